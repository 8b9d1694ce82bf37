import {
  type Column,
  gt,
  isNotNull,
  type SQLWrapper,
  type Subquery,
  sql,
  type Table,
} from 'drizzle-orm'
import { query } from '../../db/query'
import { accounts, messages, switches } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers, visibleSystems } from '../../db/visible'
import { DAY } from '../../model/core/time'

/** Row counts of this server. */
export interface Totals {
  systems: number
  disabled: number
  members: number
  groups: number
  switches: number
  messages: number
  accounts: number
}

export async function countAll(db: Db): Promise<Totals> {
  const totals = await all(db).get({})
  if (!totals) throw new Error('count query returned no row')
  return totals
}

/** Counts the rows of a table by the day of their creation, in days since 1970. */
export async function countByDay(
  db: Db,
  table: keyof typeof byDay,
): Promise<{ day: number; count: number }[]> {
  return await byDay[table](db).all({})
}

/** Groups by days since 1970, because date functions differ between the engines. */
const byDayOf = (table: Table | Subquery, time: Column) =>
  query((db, _, { count, floorDiv }) => {
    const day = floorDiv(time, DAY)
    return db
      .select({ day: sql<number>`${day}`.as('day'), count: count().as('count') })
      .from(table)
      .where(gt(time, 0))
      .groupBy(day)
  })

const byDay = {
  systems: byDayOf(visibleSystems, visibleSystems.created),
  members: byDayOf(visibleMembers, visibleMembers.created),
  messages: byDayOf(messages, messages.timestamp),
}

// SQL text, because the builder cannot select without a table.
const all = query((_, __, { count }) => {
  const total = (rows: SQLWrapper) => sql`(select ${count()} from ${rows})`
  return sql<Totals>`
    select ${total(visibleSystems)} as systems,
      ${total(sql`${visibleSystems} where ${isNotNull(visibleSystems.disabled_at)}`)} as disabled,
      ${total(visibleMembers)} as members, ${total(visibleGroups)} as groups,
      ${total(switches)} as switches, ${total(messages)} as messages,
      ${total(accounts)} as accounts`
})
