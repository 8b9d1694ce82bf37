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
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { DAY } from '../../model/core/time'
import type { Deps } from '../core/deps'

/** Row counts of this server, and their growth by month. */
export interface Stats {
  systems: number
  disabled: number
  members: number
  groups: number
  switches: number
  messages: number
  accounts: number
  /** Rows created in each month (YYYY-MM) that still exist, oldest first. */
  months: Month[]
}

export interface Month {
  month: string
  systems: number
  members: number
  messages: number
}

export async function getStats({ db }: Deps, viewer: Viewer): Promise<Stats> {
  requireOperator(viewer)
  const totals = await countAll(db).get({})
  if (!totals) throw new Error('count query returned no row')
  return { ...totals, months: await growth(db) }
}

const grown = ['systems', 'members', 'messages'] as const

async function growth(db: Db): Promise<Month[]> {
  const months = new Map<string, Month>()
  for (const table of grown)
    for (const { day, count } of await byDay[table](db).all({})) {
      const month = new Date(day * DAY_MS).toISOString().slice(0, 7)
      const sum = months.get(month) ?? { month, systems: 0, members: 0, messages: 0 }
      sum[table] += count
      months.set(month, sum)
    }
  return [...months.values()].toSorted((a, b) => (a.month < b.month ? -1 : 1))
}

const DAY_MS = DAY / 1000

/** Groups by days since 1970, because date functions differ between the engines. */
const countByDay = (table: Table | Subquery, time: Column) =>
  query((db, _, { count, floorDiv }) => {
    const day = floorDiv(time, DAY)
    return db
      .select({ day: sql<number>`${day}`.as('day'), count: count().as('count') })
      .from(table)
      .where(gt(time, 0))
      .groupBy(day)
  })

const byDay = {
  systems: countByDay(visibleSystems, visibleSystems.created),
  members: countByDay(visibleMembers, visibleMembers.created),
  messages: countByDay(messages, messages.timestamp),
}

// SQL text, because the builder cannot select without a table.
const countAll = query((_, __, { count }) => {
  const total = (rows: SQLWrapper) => sql`(select ${count()} from ${rows})`
  return sql<Omit<Stats, 'months'>>`
    select ${total(visibleSystems)} as systems,
      ${total(sql`${visibleSystems} where ${isNotNull(visibleSystems.disabled_at)}`)} as disabled,
      ${total(visibleMembers)} as members, ${total(visibleGroups)} as groups,
      ${total(switches)} as switches, ${total(messages)} as messages,
      ${total(accounts)} as accounts`
})
