import { isCurrent, lastForgotten } from '../../db/finished'
import type { Db } from '../../db/handle'
import { statement } from '../../db/statement'
import {
  createLookback,
  type Lookback,
  type Shift,
  type Span,
  type Walk,
} from '../../model/fronting/walk'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import { takeTurns } from '../turns'

/** Members' short IDs by their row numbers, as SQLite writes these. */
export type Names = ReadonlyMap<string, string>

/** So many switches are read at once without anybody noticing. */
const FEW = 2000

/**
 * Reads a history. A short one is there at once; a long one comes in pages, between which others
 * may change it, so it is read as of one moment.
 */
export async function readHistory<T>(
  { db, snapshot }: Deps,
  systemId: number,
  { since, until }: Span,
  read: (db: Db) => Promise<T>,
): Promise<T> {
  const found = await countFew(db).get({ system: systemId, since, until, most: FEW + 1 })
  return (found?.count ?? 0) <= FEW ? read(db) : snapshot(systemId, read)
}

/** Leads a walk through a span, and on until it has seen enough. */
export async function leadWalk(
  db: Db,
  systemId: number,
  names: Names,
  { since, until }: Span,
  walk: Walk,
  hasSeenEnough: (at: Instant) => boolean = () => false,
): Promise<void> {
  const giveWay = takeTurns()
  const shiftOf = createReader(names)
  const standing = await lastOne(db).get({ system: systemId, at: since })
  if (standing) walk.step(shiftOf(standing))
  const pages = inPages(since, (from, limit) =>
    pageBehind(db).all({ system: systemId, from, until, limit }),
  )
  let weight = 0
  for await (const page of pages) {
    for (const row of page) {
      const shift = shiftOf(row)
      walk.step(shift)
      // Each may be with each of the others, so many at once are much to do.
      weight += 1 + shift.members.length ** 2
      if (weight < HEAVY) continue
      weight = 0
      await giveWay()
    }
    if (hasSeenEnough(page.at(-1)?.timestamp ?? until)) break
  }
  walk.finish()
}

/** Since when those were in front who were at a moment. */
export async function lookBack(
  db: Db,
  systemId: number,
  names: Names,
  at: Instant,
  isOfInterest: (member: string) => boolean,
): Promise<Lookback['began']> {
  const lookback = createLookback(isOfInterest)
  const shiftOf = createReader(names)
  const pages = inPages(at + 1, (from, limit) =>
    pageBefore(db).all({ system: systemId, from, limit }),
  )
  for await (const page of pages)
    for (const row of page) if (!lookback.step(shiftOf(row))) return lookback.began
  return lookback.began
}

interface Row {
  timestamp: Instant
  /** Row numbers of members with commas between; null for nobody. */
  members: string | null
}

const HEAVY = 20_000

/** The first page is short, because most who look back need to see no more. */
const FIRST_PAGE = 50
const LARGEST_PAGE = 500

/** How long reading a page may take, in milliseconds: some switches have 150 members. */
const SOON = 2
const LATE = 5

/** Others have their turn between pages. */
async function* inPages(
  start: Instant,
  read: (from: Instant, limit: number) => Row[],
): AsyncGenerator<Row[]> {
  const giveWay = takeTurns()
  let limit = FIRST_PAGE
  for (let from = start; ; ) {
    const began = performance.now()
    const page = read(from, limit)
    const took = performance.now() - began
    const last = page.at(-1)
    if (!last) return
    yield page
    if (page.length < limit) return
    from = last.timestamp
    if (took < SOON) limit = Math.min(limit * 2, LARGEST_PAGE)
    if (took > LATE) limit = Math.ceil(limit / 2)
    await giveWay()
  }
}

const MOST_KNOWN = 1000

/** Who is in front comes again and again, and need not be taken apart each time. */
function createReader(names: Names): (row: Row) => Shift {
  const known = new Map<string, readonly string[]>()
  const read = (text: string) => {
    const members = text.split(',').flatMap((number) => names.get(number) ?? [])
    if (known.size === MOST_KNOWN) known.clear()
    known.set(text, members)
    return members
  }
  return ({ timestamp, members: text }) => ({
    timestamp,
    members: text === null ? [] : (known.get(text) ?? read(text)),
  })
}

/** In no order: a walk asks only who is there. */
const row = `timestamp, (
  select group_concat(member_id) from switch_members where switch_id = switches.id
) as members`

const pageBehind = statement<'system' | 'from' | 'until' | 'limit', Row>(
  `select ${row} from switches
   where system_id = :system and timestamp > :from and timestamp < :until
     and ${isCurrent('switches', lastForgotten(':system'))}
   order by timestamp limit :limit`,
)

const pageBefore = statement<'system' | 'from' | 'limit', Row>(
  `select ${row} from switches
   where system_id = :system and timestamp < :from and ${isCurrent('switches', lastForgotten(':system'))}
   order by timestamp desc limit :limit`,
)

const lastOne = statement<'system' | 'at', Row>(
  `select ${row} from switches
   where system_id = :system and timestamp <= :at and ${isCurrent('switches', lastForgotten(':system'))}
   order by timestamp desc limit 1`,
)

const countFew = statement<'system' | 'since' | 'until' | 'most', { count: number }>(
  `select count(*) as count from (
     select 1 from switches where system_id = :system and timestamp > :since
       and timestamp < :until limit :most
   )`,
)
