import type { Db } from '../../db/types'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { DAY } from '../../model/core/time'
import { countAll, countByDay, type Totals } from '../../store/admin/statRows'
import type { Deps } from '../core/deps'

/** Row counts of this server, and their growth by month. */
export interface Stats extends Totals {
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
  return { ...(await countAll(db)), months: await growth(db) }
}

const grown = ['systems', 'members', 'messages'] as const

async function growth(db: Db): Promise<Month[]> {
  const months = new Map<string, Month>()
  for (const table of grown)
    for (const { day, count } of await countByDay(db, table)) {
      const month = new Date(day * DAY_MS).toISOString().slice(0, 7)
      const sum = months.get(month) ?? { month, systems: 0, members: 0, messages: 0 }
      sum[table] += count
      months.set(month, sum)
    }
  return [...months.values()].toSorted((a, b) => (a.month < b.month ? -1 : 1))
}

const DAY_MS = DAY / 1000
