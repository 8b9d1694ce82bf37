import type { Db } from '../../../db/types'
import { diff, fillDefaults, isEmptyPatch } from '../../../model/core/entity'
import { autoproxy } from '../../../model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../../model/proxy/guild'
import { storeAutoproxyRow } from '../../../store/proxy/autoproxyRows'
import {
  findMemberGuild,
  findSystemGuild,
  storeMemberGuild,
  storeSystemGuild,
} from '../../../store/proxy/guildRows'
import { guildsWithAutoproxy } from '../../../store/transfer/importEntityRows'
import type { ImportRun } from './importRun'
import type { ImportStep } from './importStep'

/** Settings of guilds, and autoproxy in guilds that have none here. */
export class Guilds implements ImportStep {
  readonly reads = 'head'

  constructor(readonly run: ImportRun) {}

  async apply(tx: Db, systemId: number): Promise<boolean> {
    if (this.run.options.only !== null) return false
    const isChanged = await this.#applySettings(tx, systemId)
    return (await this.#applyAutoproxy(tx, systemId)) || isChanged
  }

  async #applySettings(tx: Db, systemId: number): Promise<boolean> {
    const { file, ids, advance } = this.run
    let isChanged = false
    for (const { guild_id, ...values } of file.head.systemGuilds) {
      const stored = await findSystemGuild(tx, systemId, guild_id)
      const before = stored ?? fillDefaults(systemGuild, {})
      const changed = diff<typeof systemGuild>(before, values)
      if (stored && isEmptyPatch(changed)) continue
      await storeSystemGuild(tx, { ...before, ...changed, system_id: systemId, guild_id })
      isChanged = true
      await advance(0)
    }
    for (const { guild_id, member: key, ...values } of file.head.memberGuilds) {
      const member_id = ids.members.get(key)
      if (member_id === undefined) continue
      const stored = await findMemberGuild(tx, member_id, guild_id)
      const before = stored ?? fillDefaults(memberGuild, {})
      const changed = diff<typeof memberGuild>(before, values)
      if (stored && isEmptyPatch(changed)) continue
      await storeMemberGuild(tx, { ...before, ...changed, member_id, guild_id })
      isChanged = true
      await advance(0)
    }
    return isChanged
  }

  /** Skips guilds that have autoproxy, because the stored state is newer than the file. */
  async #applyAutoproxy(tx: Db, systemId: number): Promise<boolean> {
    const { file, ids, advance } = this.run
    const isSet = new Set(await guildsWithAutoproxy(tx, systemId))
    let isChanged = false
    for (const { guild_id, autoproxy_member, ...values } of file.head.autoproxy) {
      const member = autoproxy_member ? (ids.members.get(autoproxy_member) ?? null) : null
      const lacksMember = values.autoproxy_mode === 'member' && member === null
      if (isSet.has(guild_id) || lacksMember) continue
      const row = { ...fillDefaults(autoproxy, values), autoproxy_member: member }
      await storeAutoproxyRow(tx, { ...row, system_id: systemId, guild_id })
      isChanged = true
      await advance(0)
    }
    return isChanged
  }
}
