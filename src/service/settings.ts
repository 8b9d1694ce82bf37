import { eq } from 'drizzle-orm'
import { createDecoder } from '../db/rows'
import { statement } from '../db/statement'
import { systemSettings } from '../db/tables'
import type { Db } from '../db/types'
import { diff, isEmptyPatch } from '../model/entity'
import { error } from '../model/errors'
import { isOwner, type Redacted, redact, requireSystem, type Viewer } from '../model/privacy'
import { type Settings, type SettingsPatch, settings } from '../model/settings'
import type { System, SystemPatch } from '../model/system'
import type { Deps } from './deps'
import { recordEvent } from './outbox'
import { getOwnSystem, getSystem, updateSystem } from './systems'

/** Returns the settings of any system, redacted for the viewer. */
export async function getVisibleSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof settings>> {
  const { id } = await getSystem(deps, viewer, ref)
  return redact(settings, await getSettings(deps, deps.db, id), isOwner(viewer, id))
}

/** Returns the settings of a system. Where it has no limit of its own, the server's applies. */
export async function getSettings(
  { quotas }: Pick<Deps, 'quotas'>,
  db: Db,
  systemId: number,
): Promise<Settings> {
  const found = await bySystem(db).get({ system: systemId })
  if (!found) throw error('systemNotFound')
  const { member_limit, group_limit } = found
  return {
    ...decode(found),
    member_limit: member_limit ?? quotas.members,
    group_limit: group_limit ?? quotas.groups,
  }
}

export async function patchSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: SettingsPatch,
): Promise<Settings> {
  const { id } = await getOwnSystem(deps, viewer, ref)
  return deps.transact({ system: id }, (tx) => updateSettings(deps, tx, id, patch))
}

/** Changes the caller's system and its settings in one transaction. */
export async function patchSystemAndSettings(
  deps: Deps,
  viewer: Viewer,
  patch: { system: SystemPatch; settings: SettingsPatch },
): Promise<System> {
  const id = requireSystem(viewer)
  return deps.transact({ system: id }, async (tx) => {
    await updateSettings(deps, tx, id, patch.settings)
    return (await updateSystem(deps, tx, id, patch.system)).row
  })
}

export async function updateSettings(
  deps: Deps,
  tx: Db,
  id: number,
  patch: SettingsPatch,
): Promise<Settings> {
  const before = await getSettings(deps, tx, id)
  const changed = diff<typeof settings>(before, patch)
  if (isEmptyPatch(changed)) return before
  await recordEvent(tx, deps.now(), {
    system_id: id,
    type: 'UPDATE_SETTINGS',
    subject: null,
    data: changed,
  })
  await tx.update(systemSettings).set(changed).where(eq(systemSettings.system_id, id))
  return { ...before, ...changed }
}

/** Stores a setting of PluralKit that is only exported again. Returns whether it changed. */
export async function storeColorHex(tx: Db, systemId: number, shown: boolean): Promise<boolean> {
  const changed = await setColorHex(tx).all({ system: systemId, shown: Number(shown) })
  return changed.length > 0
}

export async function getColorHex(db: Db, systemId: number): Promise<boolean> {
  const row = await db
    .select({ shown: systemSettings.card_show_color_hex })
    .from(systemSettings)
    .where(eq(systemSettings.system_id, systemId))
    .get()
  return row?.shown ?? false
}

const setColorHex = statement<'system' | 'shown'>(`
   update settings set card_show_color_hex = :shown
   where system_id = :system and card_show_color_hex <> :shown returning system_id`)

const decode = createDecoder(settings)

type Limit = 'member_limit' | 'group_limit'
type StoredSettings = Omit<Settings, Limit> & { [L in Limit]: number | null }

const bySystem = statement<'system', StoredSettings>(
  'select * from settings where system_id = :system',
)
