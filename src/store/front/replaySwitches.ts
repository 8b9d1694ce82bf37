import {
  and,
  asc,
  desc,
  eq,
  gt,
  lt,
  lte,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { switchMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { liveSwitchesOf } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import {
  createLookback,
  type Lookback,
  type Replay,
  type Span,
  type SwitchPoint,
} from '../../model/insights/replay'

/** Short IDs of members by row ID. */
export type Names = ReadonlyMap<number, string>

/** Creates the function that yields to the event loop between pages. */
export type CreateYielder = () => () => Promise<boolean>

/**
 * Feeds the switches of a span to a replay, page by page, and yields the time of the last switch of
 * each page, so that the caller can stop early.
 */
export async function* replaySwitches(
  db: Db,
  systemId: number,
  names: Names,
  { since, until }: Span,
  replay: Replay,
  newYielder: CreateYielder,
): AsyncGenerator<Instant> {
  const yieldIfDue = newYielder()
  const [current] = switchPointsOf(await lastSwitch(db).all({ system: systemId, at: since }), names)
  if (current) replay.step(current)
  const pages = inPages(since, yieldIfDue, async (from, limit) =>
    switchPointsOf(await pageAfter(db).all({ system: systemId, from, until, limit }), names),
  )
  let weight = 0
  for await (const page of pages) {
    for (const point of page) {
      replay.step(point)
      // Sums of pairs take time quadratic in the number of fronters.
      weight += 1 + point.members.length ** 2
      if (weight < HEAVY) continue
      weight = 0
      await yieldIfDue()
    }
    yield page.at(-1)?.timestamp ?? until
  }
}

/** Returns the start times of the members who were in front at a moment. */
export async function replayBackwards(
  db: Db,
  systemId: number,
  names: Names,
  at: Instant,
  isOfInterest: (member: string) => boolean,
  newYielder: CreateYielder,
): Promise<Lookback['began']> {
  const lookback = createLookback(isOfInterest)
  const pages = inPages(at + 1, newYielder(), async (from, limit) =>
    switchPointsOf(await pageBefore(db).all({ system: systemId, from, limit }), names),
  )
  for await (const page of pages)
    for (const point of page) if (!lookback.step(point)) return lookback.began
  return lookback.began
}

/**
 * Returns the start times of the members who front in the first of the last switches, newest first.
 * Returns null if a stint may have begun before them, because there are as many as were read at most.
 */
export function stintStartsWithin(
  rows: readonly SwitchPointRow[],
  names: Names,
  most: number,
): Lookback['began'] | null {
  const lookback = createLookback(() => true)
  const page = switchPointsOf(rows, names)
  const isLonger = page.every((point) => lookback.step(point)) && page.length === most
  return isLonger ? null : lookback.began
}

/** Lists the members of the last switches before a time, newest first. */
export function listSwitchPointRows(
  db: Db,
  systemId: number,
  before: Instant,
  most: number,
): MaybePromise<SwitchPointRow[]> {
  return pageBefore(db).all({ system: systemId, from: before, limit: most })
}

/** Counts the members of the switches of a span, up to a maximum. */
export function countSwitchPointRows(
  db: Db,
  systemId: number,
  { since, until }: Span,
  most: number,
): MaybePromise<{ count: number } | null> {
  return countFew(db).get({ system: systemId, since, until, most })
}

/** A member of a switch; null for a switch without members. */
export interface SwitchPointRow {
  timestamp: Instant
  member: number | null
}

const HEAVY = 20_000

/** The first page is short, because most lookbacks need no more. */
const FIRST_PAGE = 50
const LARGEST_PAGE = 500

/** Bounds for the rows of a page, to which its number of switches adapts: some have 150 members. */
const FEW_ROWS = 1000
const MANY_ROWS = 3000

/** Reads page after page and yields to the event loop between them when due. */
async function* inPages(
  start: Instant,
  yieldIfDue: () => Promise<boolean>,
  read: (from: Instant, limit: number) => Promise<SwitchPoint[]>,
): AsyncGenerator<SwitchPoint[]> {
  let limit = FIRST_PAGE
  for (let from = start; ; ) {
    const page = await read(from, limit)
    const last = page.at(-1)
    if (!last) return
    yield page
    if (page.length < limit) return
    from = last.timestamp
    const rows = page.reduce((count, { members }) => count + Math.max(1, members.length), 0)
    if (rows < FEW_ROWS) limit = Math.min(limit * 2, LARGEST_PAGE)
    if (rows > MANY_ROWS) limit = Math.ceil(limit / 2)
    await yieldIfDue()
  }
}

/** Groups rows into switches. Rows of one switch are adjacent. */
function switchPointsOf(rows: readonly SwitchPointRow[], names: Names): SwitchPoint[] {
  const points: SwitchPoint[] = []
  let members: string[] = []
  let last: Instant | null = null
  for (const { timestamp, member } of rows) {
    if (timestamp !== last) {
      members = []
      points.push({ timestamp, members })
      last = timestamp
    }
    const name = member === null ? undefined : names.get(member)
    if (name !== undefined) members.push(name)
  }
  return points
}

/**
 * Selects rows of members, unordered within a switch, because a replay needs no order. Aggregating a
 * list for each switch in SQL would take half as long again.
 */
function selectRows<Name extends string>(
  order: typeof asc,
  range: (timestamp: SQLWrapper, values: Placeholders<Name>) => SQL | undefined,
  limitOf: (values: Placeholders<Name>) => number | Placeholder,
) {
  return query((db, values: Placeholders<Name | 'system'>) => {
    const live = liveSwitchesOf(values.system)
    const page = db
      .select({ id: live.id, timestamp: live.timestamp })
      .from(live)
      .where(and(eq(live.system_id, values.system), range(live.timestamp, values)))
      .orderBy(order(live.timestamp))
      .limit(limitOf(values))
      .as('page')
    return db
      .select({
        timestamp: page.timestamp,
        member: sql<number | null>`${switchMembers.member_id}`.as('member'),
      })
      .from(page)
      .leftJoin(switchMembers, eq(switchMembers.switch_id, page.id))
      .orderBy(order(page.timestamp))
  })
}

const pageAfter = selectRows<'from' | 'until' | 'limit'>(
  asc,
  (timestamp, { from, until }) => and(gt(timestamp, from), lt(timestamp, until)),
  ({ limit }) => limit,
)

const pageBefore = selectRows<'from' | 'limit'>(
  desc,
  (timestamp, { from }) => lt(timestamp, from),
  ({ limit }) => limit,
)

const lastSwitch = selectRows<'at'>(
  desc,
  (timestamp, { at }) => lte(timestamp, at),
  () => 1,
)

const countFew = query(
  (db, values: Placeholders<'system' | 'since' | 'until' | 'most'>, { count }) => {
    const live = liveSwitchesOf(values.system)
    const { id, system_id, timestamp } = live
    const few = db
      .select({ id })
      .from(live)
      .leftJoin(switchMembers, eq(switchMembers.switch_id, id))
      .where(
        and(eq(system_id, values.system), gt(timestamp, values.since), lt(timestamp, values.until)),
      )
      .limit(values.most)
      .as('few')
    return db.select({ count: count().as('count') }).from(few)
  },
)
