import { and, eq, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { isEnabled, visibleReminders, visibleSystems } from '../../db/visible'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { type Instant, MINUTE } from '../../model/core/time'
import type { Deps } from '../core/deps'

/** Reminders that should have been fired before. */
export interface OverdueReminders {
  readonly count: number
  readonly oldest: Instant | null
}

/** A server looks for due reminders every few seconds. */
const TOLERANCE = MINUTE

/** Counts the reminders of all systems that no server has fired in time. */
export async function countOverdueReminders(
  { db, now }: Deps,
  viewer: Viewer,
): Promise<OverdueReminders> {
  requireOperator(viewer)
  const found = await overdue(db).get({ before: now() - TOLERANCE })
  return found ?? { count: 0, oldest: null }
}

const overdue = query((db, { before }: Placeholders<'before'>, { count }) => {
  const { due, system_id } = visibleReminders
  return db
    .select({ count: count().as('count'), oldest: sql<number | null>`min(${due})`.as('oldest') })
    .from(visibleReminders)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(lt(due, before), isEnabled('systems')))
})
