import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { extSettingsOfSystems } from '../../db/tables'
import type { Db } from '../../db/types'
import { diff, fillDefaults, isEmptyPatch } from '../../model/core/entity'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import {
  type ExtSettings,
  type ExtSettingsPatch,
  extSettings,
} from '../../model/systems/extSettings'
import { recordEvent } from '../../store/events/recordEvent'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'

/** Returns the settings of the caller's system that PluralKit does not have. */
export async function getExtSettings(
  { db }: Deps,
  viewer: Viewer,
): Promise<Redacted<typeof extSettings>> {
  return redact(extSettings, await extSettingsOf(db, requireSystem(viewer, 'read')), 'owner')
}

export async function patchExtSettings(
  deps: Deps,
  viewer: Viewer,
  patch: ExtSettingsPatch,
): Promise<Redacted<typeof extSettings>> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const before = await extSettingsOf(tx, systemId)
    const changed = diff<typeof extSettings>(before, patch)
    const after = { ...before, ...changed }
    if (!isEmptyPatch(changed)) {
      await store(tx, { ...after, system_id: systemId })
      await recordEvent(tx, deps.now(), {
        system_id: systemId,
        type: 'UPDATE_EXT_SETTINGS',
        subject: null,
        data: changed,
      })
    }
    return redact(extSettings, after, 'owner')
  })
}

/** Returns the stored settings of a system, or the defaults. */
export async function extSettingsOf(db: Db, systemId: number): Promise<ExtSettings> {
  return (await bySystem(db).get({ system: systemId })) ?? fillDefaults(extSettings, {})
}

const { system_id, ...columns } = extSettingsOfSystems

const bySystem = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ front_status_privacy: columns.front_status_privacy })
    .from(extSettingsOfSystems)
    .where(eq(system_id, system)),
)

const store = createUpserter(extSettingsOfSystems, ['system_id'], columnsOfEntity(extSettings))
