import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
import { requireOperator, type Viewer } from '../../model/privacy'
import { DAY } from '../../model/time'
import type { Deps } from '../deps'

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
const countByDay = (table: string, time: string, condition = 'true') =>
  statement<never, { day: number; count: number }>(
    ({
      count,
      floorDiv,
    }) => `select ${floorDiv(time, DAY)} as day, ${count()} as count from ${table}
     where ${time} > 0 and ${condition} group by ${floorDiv(time, DAY)}`,
  )

const byDay = {
  systems: countByDay('systems', 'created', isVisible('systems')),
  members: countByDay('members', 'created', isVisible('members')),
  messages: countByDay('messages', 'timestamp'),
}

const countAll = statement<never, Omit<Stats, 'months'>>(
  ({ count }) => `
   select (select ${count()} from systems where ${isVisible('systems')}) as systems,
     (select ${count()} from systems where disabled_at is not null and ${isVisible('systems')})
       as disabled,
     (select ${count()} from members where ${isVisible('members')}) as members,
     (select ${count()} from groups where ${isVisible('groups')}) as groups,
     (select ${count()} from switches) as switches,
     (select ${count()} from messages) as messages,
     (select ${count()} from accounts) as accounts`,
)
