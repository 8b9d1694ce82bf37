import { eq, sql } from 'drizzle-orm'
import { type Db, prepared } from '../db/open'
import { systemSettings } from '../db/tables'
import { changesOf } from '../model/entity'
import { error } from '../model/errors'
import type { Viewer } from '../model/privacy'
import type { Settings, SettingsPatch, settings } from '../model/settings'
import type { Deps } from './deps'
import { tell } from './outbox'
import { getOwnSystem } from './systems'

export async function getSettings(db: Db, systemId: number): Promise<Settings> {
  const found = await bySystem(db).get({ system: systemId })
  if (!found) throw error('systemNotFound')
  return found
}

export async function patchSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: SettingsPatch,
): Promise<Settings> {
  const { id } = await getOwnSystem(deps, viewer, ref)
  return deps.transact(async (tx) => {
    const before = await getSettings(tx, id)
    const changed = changesOf<typeof settings>(before, patch)
    if (Object.keys(changed).length === 0) return before
    await tell(tx, deps.now(), {
      system_id: id,
      type: 'UPDATE_SETTINGS',
      subject: null,
      data: changed,
    })
    await tx.update(systemSettings).set(changed).where(eq(systemSettings.system_id, id))
    return { ...before, ...changed }
  })
}

const bySystem = prepared((db) =>
  db
    .select()
    .from(systemSettings)
    .where(eq(systemSettings.system_id, sql.placeholder('system')))
    .prepare(),
)
