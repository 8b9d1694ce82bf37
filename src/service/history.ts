import { and, asc, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { perHandle } from '../db/query'
import { statement } from '../db/statement'
import { switches } from '../db/tables'
import type { Db } from '../db/types'
import { deletionWatermark, isLiveSwitch, isVisible } from '../db/visibility'
import { createYielder } from '../db/yieldToEventLoop'
import { isOwner, requireListAccess, type Viewer } from '../model/privacy'
import type { System } from '../model/system'
import type { Instant } from '../model/time'
import type { Deps } from './deps'

/** A switch of the history, with its members' short IDs. */
export interface PastSwitch {
  uuid: string
  timestamp: Instant
  members: string[]
}

/** Lists switches, newest first; only those before a time if one is given. */
export async function listSwitches(
  { db }: Deps,
  viewer: Viewer,
  of: System,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<PastSwitch[]> {
  requireListAccess('history', of, isOwner(viewer, of.id))
  return pageOfSwitches(db, of.id, before ?? Infinity, limit, 'newest')
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
    const found = await stride(db).get({
      system: systemId,
      before: from,
      skipped: Math.min(left, STRIDE) - 1,
    })
    if (!found) return null
    from = found.timestamp
    await yieldIfDue()
  }
  return from
}

/** Returns a page of the history: newest first before a time, or oldest first after it. */
async function pageOfSwitches(
  db: Db,
  systemId: number,
  from: Instant,
  limit: number,
  first: 'newest' | 'oldest',
): Promise<PastSwitch[]> {
  const rows = await pages[first](db).all({ system: systemId, from, limit })
  return rows.map(({ hids, ...row }) => ({ ...row, members: JSON.parse(hids) }))
}

const ofSystem = eq(switches.system_id, sql.placeholder('system'))

const from = sql.placeholder('from')

const pages = {
  newest: createPage(lt(switches.timestamp, from), desc(switches.timestamp)),
  oldest: createPage(gt(switches.timestamp, from), asc(switches.timestamp)),
}

function createPage(range: SQL, order: SQL) {
  return perHandle((db) =>
    db
      .select({
        uuid: switches.uuid,
        timestamp: switches.timestamp,
        // Raw SQL, because Drizzle drops table names inside a selected expression.
        hids: sql<string>`${sql.raw(
          db.driver.textDialect.jsonTexts(
            'm.hid',
            `switch_members s join members m on m.id = s.member_id
             where s.switch_id = switches.id and ${isVisible('m')}`,
            's.position',
          ),
        )}`,
      })
      .from(switches)
      .where(and(ofSystem, range, sql.raw(isLiveSwitch('switches'))))
      .orderBy(order)
      .limit(sql.placeholder('limit'))
      .prepare(),
  )
}

const stride = statement<'system' | 'before' | 'skipped', { timestamp: Instant }>(`
   select timestamp from switches
   where system_id = :system and timestamp < :before and ${isLiveSwitch('switches', deletionWatermark(':system'))}
   order by timestamp desc limit 1 offset :skipped`)
