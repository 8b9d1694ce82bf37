import { and, asc, eq, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import { isEnabled, visibleReminders, visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/** Number of reminders that are listed at once. */
export const DUE_PAGE = 200

/** A reminder whose time has passed. */
interface DueReminder {
  readonly id: number
  readonly system_id: number
  readonly due: Instant | null
}

/** Lists the next reminders of enabled systems that are due, oldest first, after one of them. */
export function listDueReminders(
  db: Db,
  now: Instant,
  { due, id }: { due: Instant; id: number },
): MaybePromise<DueReminder[]> {
  return duePage(db).all({ now, due, id })
}

/** Returns the number of reminders that were due before a time, and the oldest of these times. */
export function countRemindersDueBefore(
  db: Db,
  before: Instant,
): MaybePromise<{ count: number; oldest: Instant | null } | null> {
  return overdue(db).get({ before })
}

const duePage = query((db, values: Placeholders<'now' | 'due' | 'id'>) => {
  const { id, system_id, due } = visibleReminders
  const isAfter = or(
    sql`${due} > ${values.due}`,
    and(sql`${due} = ${values.due}`, sql`${id} > ${values.id}`),
  )
  return db
    .select({ id, system_id, due })
    .from(visibleReminders)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(lte(due, values.now), isAfter, isNull(visibleSystems.disabled_at)))
    .orderBy(asc(due), asc(id))
    .limit(DUE_PAGE)
})

const overdue = query((db, { before }: Placeholders<'before'>, { count }) => {
  const { due, system_id } = visibleReminders
  return db
    .select({ count: count().as('count'), oldest: sql<number | null>`min(${due})`.as('oldest') })
    .from(visibleReminders)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(lt(due, before), isEnabled('systems')))
})
