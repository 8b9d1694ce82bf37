import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { switchMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import { liveSwitches, liveSwitchesOf, visibleMembers } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import type { Instant } from '../../model/core/time'

/** A switch of the history, with its members' short IDs. */
export interface PastSwitch {
  uuid: string
  timestamp: Instant
  members: string[]
}

/** Returns a page of the history: newest first before a time, or oldest first after it. */
export async function pageOfSwitches(
  db: Db,
  systemId: number,
  from: Instant,
  limit: number,
  first: 'newest' | 'oldest',
): Promise<PastSwitch[]> {
  const rows = await pages[first](db).all({ system: systemId, from, limit })
  return rows.map(({ hids, ...row }) => ({ ...row, members: JSON.parse(hids) }))
}

const PAGE = 1000

/** Iterates over the history in pages and yields to the event loop between them when due. */
export async function* historyInPages(
  db: Db,
  systemId: number,
  first: 'newest' | 'oldest',
  signal: AbortSignal | null,
  start: Instant = first === 'newest' ? Infinity : -Infinity,
  most: number = Infinity,
): AsyncGenerator<PastSwitch[]> {
  const yieldIfDue = createYielder(undefined, signal)
  let from = start
  for (let left = most; left > 0; ) {
    const page = await pageOfSwitches(db, systemId, from, Math.min(PAGE, left), first)
    const last = page.at(-1)
    if (!last) return
    yield page
    from = last.timestamp
    left -= page.length
    await yieldIfDue()
  }
}

const STRIDE = 10_000

/** Returns the time of the switch `count` switches before a time; null if there are fewer. */
export async function skipSwitches(
  db: Db,
  systemId: number,
  before: Instant,
  count: number,
  signal: AbortSignal | null,
): Promise<Instant | null> {
  const yieldIfDue = createYielder(undefined, signal)
  let from = before
  for (let left = count; left > 0; left -= STRIDE) {
    const row = await stride(db).get({
      system: systemId,
      before: from,
      skipped: Math.min(left, STRIDE) - 1,
    })
    if (!row) return null
    from = row.timestamp
    await yieldIfDue()
  }
  return from
}

const pages = { newest: createPage(lt, desc), oldest: createPage(gt, asc) }

function createPage(isBeyond: typeof lt, order: typeof desc) {
  return query(
    (db, { system, from, limit }: Placeholders<'system' | 'from' | 'limit'>, { jsonTexts }) => {
      const { id, uuid, system_id, timestamp } = liveSwitches
      const hids = jsonTexts(
        visibleMembers.hid,
        sql`${switchMembers} join ${visibleMembers} on ${visibleMembers.id} = ${switchMembers.member_id}
          where ${switchMembers.switch_id} = ${id}`,
        switchMembers.position,
      )
      return db
        .select({ uuid, timestamp, hids: sql<string>`${hids}`.as('hids') })
        .from(liveSwitches)
        .where(and(eq(system_id, system), isBeyond(timestamp, from)))
        .orderBy(order(timestamp))
        .limit(limit)
    },
  )
}

const stride = query(
  (db, { system, before, skipped }: Placeholders<'system' | 'before' | 'skipped'>) => {
    const live = liveSwitchesOf(system)
    return db
      .select({ timestamp: live.timestamp })
      .from(live)
      .where(and(eq(live.system_id, system), lt(live.timestamp, before)))
      .orderBy(desc(live.timestamp))
      .limit(1)
      .offset(skipped)
  },
)
