import { eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { lastActivity } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/**
 * Records when a system was active, before the rows that show it are deleted. Does nothing if the
 * system is deleted.
 */
export function recordActivity(tx: Db, system: number, at: Instant): MaybePromise<unknown> {
  return store(tx).run({ system, at })
}

const store = query((db, { system, at }: Placeholders<'system' | 'at'>, { number }) => {
  const active_at = number(at)
  const row = db
    .select({
      system_id: visibleSystems.id,
      active_at: sql<number>`${active_at}`.as('active_at'),
    })
    .from(visibleSystems)
    .where(eq(visibleSystems.id, system))
  return db
    .insert(lastActivity)
    .select(row)
    .onConflictDoUpdate({
      target: lastActivity.system_id,
      set: { active_at },
      setWhere: gt(active_at, lastActivity.active_at),
    })
})
