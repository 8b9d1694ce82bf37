import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { deletionWatermark, isLiveSwitch } from '../../db/visibility'
import {
  createLookback,
  type Lookback,
  type Replay,
  type Span,
  type SwitchPoint,
} from '../../model/fronting/replay'
import type { Instant } from '../../model/time'
import { createYielder } from '../cooperative'
import type { Deps } from '../deps'
import type { LongRead } from '../longReads'

/** Members' short IDs by their row numbers. */
export type Names = ReadonlyMap<number, string>

/** So many rows of switches and their members are gone through without anybody noticing. */
const FEW = 2000

/** When to let others have their turn. */
export type CreateYielder = () => () => Promise<boolean>

const withoutYielding: CreateYielder = () => async () => false

/**
 * Reads a history, of which the span is all that is looked at. A short one is gone through at once;
 * a long one waits for its turn and comes in pages, between which others may change it, so it is
 * read as of one moment.
 */
export async function readHistory<T>(
  { db, snapshot, longReads }: Deps,
  asked: LongRead,
  { since, until }: Span,
  read: (db: Db, turns: CreateYielder) => Promise<T>,
): Promise<T> {
  const { systemId, signal } = asked
  signal?.throwIfAborted()
  const few = await countFew(db).get({ system: systemId, since, until, most: FEW + 1 })
  if (few && few.count <= FEW)
    return db.driver.dialect.hasStableReads
      ? read(db, withoutYielding)
      : snapshot((then) => read(then, withoutYielding))
  const yielding: CreateYielder = () => createYielder(YIELD_MS, signal)
  return longReads(asked, () => snapshot((then) => read(then, yielding)))
}

/**
 * Leads a walk through a span, page by page. Whoever has seen enough need not ask for the next one,
 * which is told by the time of the last switch.
 */
export async function* replaySwitches(
  db: Db,
  systemId: number,
  names: Names,
  { since, until }: Span,
  replay: Replay,
  turns: CreateYielder,
): AsyncGenerator<Instant> {
  const yieldIfDue = turns()
  const [standing] = switchPointsOf(await lastOne(db).all({ system: systemId, at: since }), names)
  if (standing) replay.step(standing)
  const pages = inPages(since, yieldIfDue, async (from, limit) =>
    switchPointsOf(await pageBehind(db).all({ system: systemId, from, until, limit }), names),
  )
  let weight = 0
  for await (const page of pages) {
    for (const shift of page) {
      replay.step(shift)
      // Each may be with each of the others, so many at once are much to do.
      weight += 1 + shift.members.length ** 2
      if (weight < HEAVY) continue
      weight = 0
      await yieldIfDue()
    }
    yield page.at(-1)?.timestamp ?? until
  }
}

/** Since when those were in front who were at a moment. */
export async function replayBackwards(
  db: Db,
  systemId: number,
  names: Names,
  at: Instant,
  isOfInterest: (member: string) => boolean,
  turns: CreateYielder,
): Promise<Lookback['began']> {
  const lookback = createLookback(isOfInterest)
  const pages = inPages(at + 1, turns(), async (from, limit) =>
    switchPointsOf(await pageBefore(db).all({ system: systemId, from, limit }), names),
  )
  for await (const page of pages)
    for (const shift of page) if (!lookback.step(shift)) return lookback.began
  return lookback.began
}

/** A member of a switch; null where it has none. */
interface Row {
  timestamp: Instant
  member: number | null
}

/** Shorter than others' turns, since a page lies between two looks at the clock. */
const YIELD_MS = 5

const HEAVY = 20_000

/** The first page is short, because most who look back need to see no more. */
const FIRST_PAGE = 50
const LARGEST_PAGE = 500

/** How many rows a page may be: some switches have 150 members. */
const FEW_ROWS = 1000
const MANY_ROWS = 3000

/** Others have their turn between pages. */
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

/** Puts the members of each switch together, whose rows follow each other. */
function switchPointsOf(rows: readonly Row[], names: Names): SwitchPoint[] {
  const shifts: SwitchPoint[] = []
  let members: string[] = []
  let last: Instant | null = null
  for (const { timestamp, member } of rows) {
    if (timestamp !== last) {
      members = []
      shifts.push({ timestamp, members })
      last = timestamp
    }
    const name = member === null ? undefined : names.get(member)
    if (name !== undefined) members.push(name)
  }
  return shifts
}

/**
 * Rows of members, in no order among those of one switch: a walk asks only who is there. Lists
 * that the engine puts together for each switch would take half as long again.
 */
const chosen = (range: string, order: 'asc' | 'desc', limit: string) => `
  select s.timestamp, m.member_id as member
  from (
    select id, timestamp from switches
    where system_id = :system and ${range} and ${isLiveSwitch('switches', deletionWatermark(':system'))}
    order by timestamp ${order} limit ${limit}
  ) s left join switch_members m on m.switch_id = s.id
  order by s.timestamp ${order}`

const pageBehind = statement<'system' | 'from' | 'until' | 'limit', Row>(
  chosen('timestamp > :from and timestamp < :until', 'asc', ':limit'),
)

const pageBefore = statement<'system' | 'from' | 'limit', Row>(
  chosen('timestamp < :from', 'desc', ':limit'),
)

const lastOne = statement<'system' | 'at', Row>(chosen('timestamp <= :at', 'desc', '1'))

const countFew = statement<'system' | 'since' | 'until' | 'most', { count: number }>(
  (say) => `select ${say.count()} as count from (
     select 1 from switches left join switch_members on switch_members.switch_id = switches.id
     where system_id = :system and timestamp > :since and timestamp < :until limit :most
   ) few`,
)
