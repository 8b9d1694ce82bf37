import type { Db } from '../../db/handle'
import { statement } from '../../db/statement'
import { createCalendar } from '../../formats/frontHistory'
import { isTimezone } from '../../model/check'
import type { Level } from '../../model/entity'
import { error } from '../../model/errors'
import { findBuckets, isTooLong, MARGIN, type Period } from '../../model/fronting/calendar'
import { type Day, MAX_DAYS, sumDays } from '../../model/fronting/days'
import { type Hours, sumHours } from '../../model/fronting/hours'
import { type Pair, sumPairs } from '../../model/fronting/pairs'
import {
  collectStints,
  newestFirst,
  type Stint,
  tellStints,
  type Waiting,
  type Wanted,
} from '../../model/fronting/stints'
import { type Hides, MAX_SUMMED, sumTotals, type Totals } from '../../model/fronting/totals'
import { createWalk, type Listener, type Span } from '../../model/fronting/walk'
import { findOffsets, type Offset } from '../../model/fronting/zone'
import { member } from '../../model/member'
import { isOwner, passGate, see, type Viewer } from '../../model/privacy'
import { parseRef } from '../../model/ref'
import { allows } from '../../model/scope'
import { type System, system } from '../../model/system'
import { DAY, type Instant } from '../../model/time'
import type { Deps } from '../deps'
import { findMember } from '../members'
import { getSettings } from '../settings'
import { getSystem } from '../systems'
import { createFile, type ExportFile, membersOf } from '../transfer/export'
import { doInTurns, listInTurns, takeTurns } from '../turns'
import { leadWalk, lookBack, type Names, readHistory } from './pages'

/** Stints and what they sum up to. Before the first switch and after now, nothing is known. */

const USUAL_SPAN = 30 * DAY

const ALWAYS: Span = { since: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }

/** Most bytes that one calendar has, which are about 250,000 stints. */
export const MAX_CALENDAR = 50_000_000

/** What a caller says of the time they ask about. */
export interface AskedSpan {
  since: Instant | null
  until: Instant | null
}

export interface AskedCalendar extends AskedSpan {
  /** Null for the owner's own, which is UTC for everyone else. */
  zone: string | null
}

export interface AskedStints extends AskedSpan {
  before: Instant | null
  limit: number
  member: string | null
}

/** Newest first, whole, as far as they overlap the span. */
export async function listStints(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { before, limit, member, ...asked }: AskedStints,
): Promise<Stint[]> {
  const look = await lookAt(deps, viewer, ref, asked)
  const only = member === null ? null : await memberOf(deps.db, look.of, member)
  const wanted = { before: before ?? Infinity, only }
  const found = await follow(deps, look, wanted, (wanted) => collectStints({ ...wanted, limit }))
  return newestFirst(found?.stints() ?? [])
}

export async function getTotals(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
): Promise<Totals> {
  const look = await lookAt(deps, viewer, ref, asked)
  return sum(
    deps,
    look,
    (hides) => sumTotals(look.span, hides),
    (sums) => sums.totals(),
    (sums) => {
      if (sums.isTooMuch()) throw tooLong(`there are more than ${MAX_SUMMED} stints`)
    },
  )
}

/** In the zone's calendar, oldest first; each is made when it is asked for. */
export async function listDays(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { zone, by, ...asked }: AskedCalendar & { by: Period },
): Promise<AsyncIterable<Day>> {
  const look = await lookAt(deps, viewer, ref, asked)
  const { since, until } = look.span
  const tooMany = tooLong(`there are more than ${MAX_DAYS}`)
  if (isTooLong(look.span, by, MAX_DAYS)) throw tooMany
  const reach = { since: since - MARGIN, until: until + MARGIN }
  const offsets = await offsetsOf(await zoneOf(deps, look, zone), reach)
  const buckets = findBuckets(offsets, by, look.span, MAX_DAYS)
  if (!buckets) throw tooMany
  return sum(
    deps,
    look,
    (hides) => sumDays(buckets, hides),
    (sums) => listInTurns(sums.days()),
  )
}

export async function getHours(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { zone, ...asked }: AskedCalendar,
): Promise<Hours> {
  const look = await lookAt(deps, viewer, ref, asked)
  const known = await knownPart(deps, look)
  const offsets = await offsetsOf(await zoneOf(deps, look, zone), known)
  return sum(
    deps,
    look,
    (hides) => sumHours(offsets, hides),
    (sums) => sums.hours(),
  )
}

export async function listPairs(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
): Promise<Pair[]> {
  const look = await lookAt(deps, viewer, ref, asked)
  return sum(deps, look, sumPairs, (sums) => doInTurns(sums.pairs()))
}

/** Whole stints as a calendar, for programs that fetch it again and again. */
export async function getCalendar(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
): Promise<ExportFile> {
  const look = await lookAtCalendar(deps, viewer, ref, asked)
  const seen = (await membersOf(deps.db, look.of.id)).map((row) => see(member, row, look.isOwn))
  const titles = new Map(seen.map((one) => [one.hid ?? '', one.display_name ?? one.name ?? '']))
  const title = see(system, look.of, look.isOwn).name ?? 'Front history'
  const calendar = createCalendar(look.now, title)
  const file = createFile()
  let events = ''
  const tell = ({ member: hid, from, to }: Stint) => {
    events += calendar.event({
      start: from,
      end: to,
      member_id: hid,
      member: titles.get(hid) ?? hid,
    })
  }
  const turnPage = () => {
    file.write(events)
    events = ''
    if (file.size > MAX_CALENDAR) throw tooLong(`the calendar has more than ${MAX_CALENDAR} bytes`)
  }
  file.write(calendar.head)
  await follow(deps, look, everyStint, (wanted) => tellStints(wanted, tell), turnPage)
  turnPage()
  file.write(calendar.foot)
  const whole = file.end()
  // Both the end of a large file and its answer take a while.
  await takeTurns(0)()
  return whole
}

const everyStint = { before: Infinity, only: null }

function tooLong(what: string): Error {
  return error('badRequest', `${what}; ask for a shorter span`)
}

interface Look {
  of: System
  /** The owner sees everybody, others only whom the system lets them see. */
  isOwn: boolean
  now: Instant
  span: Span
}

async function lookAt(deps: Deps, viewer: Viewer, ref: string, asked: AskedSpan): Promise<Look> {
  const of = await getSystem(deps, viewer, ref)
  return lookAs(deps, of, isOwner(viewer, of.id), asked)
}

/** A subscriber sees the calendar as the owner does, and nothing else. */
async function lookAtCalendar(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
): Promise<Look> {
  const of = await getSystem(deps, viewer, ref)
  const isSubscriber = viewer.system === of.id && allows(viewer.access ?? 'full', 'subscribe')
  return lookAs(deps, of, isSubscriber, asked)
}

function lookAs(deps: Deps, of: System, isOwn: boolean, asked: AskedSpan): Look {
  passGate('history', of, isOwn)
  const now = deps.now()
  const until = asked.until ?? now
  const since = asked.since ?? until - USUAL_SPAN
  if (since >= until) throw error('badRequest', 'since must be before until')
  return { of, isOwn, now, span: { since, until } }
}

/** Sums up what is known of the span. */
async function sum<L extends Listener, T>(
  deps: Deps,
  { of, isOwn, now, span }: Look,
  listen: (hides: Hides) => L,
  result: (listener: L) => T | Promise<T>,
  turnPage: (listener: L) => void = () => {},
): Promise<T> {
  const known = { since: span.since, until: Math.min(span.until, now) }
  return readHistory(deps, of.id, known, async (db, turns) => {
    const { names, hides } = await peopleOf(db, of.id, isOwn)
    const listener = listen(hides)
    const walk = createWalk(known, [listener])
    for await (const _ of leadWalk(db, of.id, names, known, walk, turns)) turnPage(listener)
    walk.finish()
    return result(listener)
  })
}

/** Goes through stints as they truly began and ended; null where none can be. */
async function follow<L extends Listener & Waiting>(
  deps: Deps,
  { of, isOwn, now, span }: Look,
  { before, only }: { before: Instant; only: string | null },
  listen: (wanted: Omit<Wanted, 'limit'>) => L,
  turnPage: () => void = () => {},
): Promise<L | null> {
  const end = Math.min(span.until, now, before)
  // What began after the end of the span is of no interest, but what had begun may end then.
  const followed = { since: span.since, until: now + 1 }
  if (span.since >= Math.min(span.until, now)) return null
  // How far back a stint began, and how far on it lasts, is not known before.
  return readHistory(deps, of.id, ALWAYS, async (db, turns) => {
    const { names, hides } = await peopleOf(db, of.id, isOwn)
    const isListed = (hid: string) => !hides?.(hid) && (only === null || hid === only)
    const began = await lookBack(db, of.id, names, span.since, isListed, turns)
    const listener = listen({ before: end, isListed })
    const walk = createWalk(followed, [listener], began)
    for await (const at of leadWalk(db, of.id, names, followed, walk, turns)) {
      turnPage()
      if (at >= end && !listener.isWaiting()) break
    }
    walk.finish()
    return listener
  })
}

/** Whose names are known is seen; whoever came meanwhile is neither named nor told of. */
async function peopleOf(
  db: Db,
  systemId: number,
  isOwn: boolean,
): Promise<{ names: Names; hides: Hides }> {
  const people = await everyone(db).all({ system: systemId })
  const hidden = people.filter(({ visibility }) => visibility !== 'public')
  const hids = new Set(hidden.map(({ hid }) => hid))
  return {
    names: new Map(people.map(({ id, hid }) => [id, hid])),
    hides: isOwn ? null : (hid) => hids.has(hid),
  }
}

async function memberOf(db: Db, of: System, text: string): Promise<string> {
  if (parseRef(text) === null) throw error('badRequest', 'member must be a short ID or a UUID')
  const found = await findMember(db, text)
  if (found?.system_id !== of.id) throw error('memberNotFound')
  return found.hid
}

async function zoneOf({ db }: Deps, { of, isOwn }: Look, asked: string | null): Promise<string> {
  if (asked !== null) return asked
  if (!isOwn) return 'UTC'
  const { timezone } = await getSettings(db, of.id)
  return isTimezone(timezone) ? timezone : 'UTC'
}

function offsetsOf(zone: string, span: Span): Promise<Offset[]> {
  return doInTurns(findOffsets(zone, span))
}

/** Where the clocks matter: not before the first switch, nor after now. */
async function knownPart({ db }: Deps, { of, span, now }: Look): Promise<Span> {
  const first = await firstOne(db).get({ system: of.id })
  return {
    since: Math.max(span.since, Math.min(first?.timestamp ?? now, now)),
    until: Math.min(span.until, now),
  }
}

const everyone = statement<'system', { id: number; hid: string; visibility: Level }>(
  'select id, hid, visibility from members where system_id = :system',
)

const firstOne = statement<'system', { timestamp: Instant }>(
  'select timestamp from switches where system_id = :system order by timestamp limit 1',
)
