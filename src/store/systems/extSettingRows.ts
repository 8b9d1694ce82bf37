import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { extSettingsOfSystems } from '../../db/tables'
import type { Db } from '../../db/types'
import { fillDefaults } from '../../model/core/entity'
import { type ExtSettings, extSettings } from '../../model/systems/extSettings'

/** Returns the stored settings of a system, or the defaults. */
export async function extSettingsOf(db: Db, systemId: number): Promise<ExtSettings> {
  return (await bySystem(db).get({ system: systemId })) ?? fillDefaults(extSettings, {})
}

export async function storeExtSettings(
  tx: Db,
  systemId: number,
  values: ExtSettings,
): Promise<void> {
  await store(tx, { ...values, system_id: systemId })
}

const { system_id, ...columns } = extSettingsOfSystems

const bySystem = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ front_status_privacy: columns.front_status_privacy })
    .from(extSettingsOfSystems)
    .where(eq(system_id, system)),
)

const store = createUpserter(extSettingsOfSystems, ['system_id'], columnsOfEntity(extSettings))
