import { type Snapshot, writePluralkit } from '../../../src/formats/pluralkit/write'
import { fillDefaults } from '../../../src/model/core/entity'
import { settings } from '../../../src/model/systems/settings'
import { system } from '../../../src/model/systems/system'

export const now = 1767225600_000000

/** Export of a system without rows. */
export const emptySnapshot: Snapshot = {
  exportedAt: now,
  system: { ...fillDefaults(system, {}), hid: 'abcdef', uuid: crypto.randomUUID() },
  settings: fillDefaults(settings, {}),
  colorHex: true,
  accounts: [],
  members: [],
  groups: [],
  switches: [],
  systemGuilds: [],
  memberGuilds: [],
  autoproxy: [],
  preferences: null,
  ext: null,
  kept: [],
}

export async function textOf(snapshot: Snapshot): Promise<string> {
  return (await Array.fromAsync(writePluralkit(snapshot))).join('')
}
