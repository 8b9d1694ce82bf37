import { and, eq, ne } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { systemSettings } from '../../db/tables'
import type { Db } from '../../db/types'
import { diff, isEmptyPatch } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import { type Settings, type SettingsPatch, settings } from '../../model/systems/settings'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'
import { updateDuesIn } from '../reminders/reminderDues'

/** Returns the settings of a system. Where it has no limit of its own, the server's applies. */
export async function getSettings(
  deps: Pick<StoreDeps, 'quotas'>,
  db: Db,
  systemId: number,
): Promise<Settings> {
  return withLimits(deps, await getStored(db, systemId))
}

async function getStored(db: Db, systemId: number): Promise<StoredSettings> {
  const row = await bySystem(db).get({ system: systemId })
  if (!row) throw error('systemNotFound')
  return row
}

function withLimits({ quotas }: Pick<StoreDeps, 'quotas'>, stored: StoredSettings): Settings {
  return {
    ...stored,
    member_limit: stored.member_limit ?? quotas.members,
    group_limit: stored.group_limit ?? quotas.groups,
  }
}

export async function updateSettings(
  deps: StoreDeps,
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
