import { and, eq, ne } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { systemSettings } from '../../db/tables'
import type { Db } from '../../db/types'
import { diff, isEmptyPatch } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import {
  audienceOf,
  type Redacted,
  redact,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import { type Settings, type SettingsPatch, settings } from '../../model/systems/settings'
import type { System, SystemPatch } from '../../model/systems/system'
import { recordEvent } from '../../store/events/recordEvent'
import { updateDuesIn } from '../../store/reminders/reminderDues'
import { updateSystem } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { getOwnSystem, getSystem } from './systems'

/** Returns the settings of any system, redacted for the viewer. */
export async function getVisibleSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof settings>> {
  const { id } = await getSystem(deps, viewer, ref)
  return redact(settings, await getSettings(deps, deps.db, id), audienceOf(viewer, id))
}

/** Returns the settings of a system. Where it has no limit of its own, the server's applies. */
export async function getSettings(
  deps: Pick<Deps, 'quotas'>,
  db: Db,
  systemId: number,
): Promise<Settings> {
  return withLimits(deps, await getStored(db, systemId))
}

async function getStored(db: Db, systemId: number): Promise<StoredSettings> {
  const found = await bySystem(db).get({ system: systemId })
  if (!found) throw error('systemNotFound')
  return found
}

function withLimits({ quotas }: Pick<Deps, 'quotas'>, stored: StoredSettings): Settings {
  return {
    ...stored,
    member_limit: stored.member_limit ?? quotas.members,
    group_limit: stored.group_limit ?? quotas.groups,
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
  const stored = await getStored(tx, id)
  const before = withLimits(deps, stored)
  const changed = diff<typeof settings>(before, patch)
  if (isEmptyPatch(changed)) return before
  await recordEvent(tx, deps.now(), {
    system_id: id,
    type: 'UPDATE_SETTINGS',
    subject: null,
    data: changed,
  })
  await store(tx, { ...stored, ...changed })
  if (changed.timezone !== undefined) await updateDuesIn(deps, tx, id, changed.timezone)
  return { ...before, ...changed }
}

/** Stores a setting of PluralKit that is only exported again. Returns whether it changed. */
export async function storeColorHex(tx: Db, systemId: number, shown: boolean): Promise<boolean> {
  return (await setColorHex(tx).get({ system: systemId, shown: Number(shown) })) !== null
}

export async function getColorHex(db: Db, systemId: number): Promise<boolean> {
  const stored = await bySystem(db).get({ system: systemId })
  return stored?.card_show_color_hex ?? false
}

type StoredSettings = typeof systemSettings.$inferSelect

const { system_id, card_show_color_hex } = systemSettings

const bySystem = query((db, { system }: Placeholders<'system'>) =>
  db.select().from(systemSettings).where(eq(system_id, system)),
)

const store = createUpserter(systemSettings, ['system_id'], columnsOfEntity(settings))

const setColorHex = query((db, { system, shown }: Placeholders<'system' | 'shown'>) =>
  db
    .update(systemSettings)
    .set({ card_show_color_hex: shown })
    .where(and(eq(system_id, system), ne(card_show_color_hex, shown)))
    .returning({ system_id }),
)
