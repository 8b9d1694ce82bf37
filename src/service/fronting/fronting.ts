import { statement } from '../../db/statement'
import type { Db, MaybePromise } from '../../db/types'
import { createCalendar } from '../../formats/frontHistory'
import type { Level } from '../../model/entity'
import { error } from '../../model/errors'
import { findBuckets, isTooLong, MARGIN, type Period } from '../../model/fronting/calendar'
import { type Day, MAX_DAYS, sumDays } from '../../model/fronting/days'
import { type Hours, sumHours } from '../../model/fronting/hours'
import { type Pair, sumPairs } from '../../model/fronting/pairs'
import { createReplay, type ReplayListener, type Span } from '../../model/fronting/replay'
import {
  collectStints,
  newestFirst,
  type Stint,
  streamStints,
  type Waiting,
  type Wanted,
} from '../../model/fronting/stints'
import { type Hides, MAX_SUMMED, sumTotals, type Totals } from '../../model/fronting/totals'
import { findOffsets, type Offset } from '../../model/fronting/zone'
import { member } from '../../model/member'
import { isOwner, redact, requireListAccess, type Viewer } from '../../model/privacy'
import { parseRef } from '../../model/ref'
import { hasPermission } from '../../model/scope'
import { type System, system } from '../../model/system'
import { DAY, type Instant } from '../../model/time'
import { isTimezone } from '../../model/validation'
import { createYielder, iterateCooperatively, runCooperatively } from '../cooperative'
import type { Deps } from '../deps'
import { noConnection, type WaitingClient } from '../longReads'
import { findMember } from '../members'
import { getSettings } from '../settings'
import { getSystem, getSystemById } from '../systems'
import { createFile, type ExportFile, membersOf } from '../transfer/export'
import { type Names, readHistory, replayBackwards, replaySwitches } from './historyPages'

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
  client: WaitingClient = noConnection,
): Promise<Stint[]> {
  const look = await scopeOf(deps, viewer, ref, asked, client)
  const only = member === null ? null : await memberOf(deps.db, look.of, member)
  const wanted = { before: before ?? Infinity, only }
  const found = await replayInto(deps, look, wanted, (wanted) =>
    collectStints({ ...wanted, limit }),
  )
  return newestFirst(found?.stints() ?? [])
}

export async function getTotals(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
  client: WaitingClient = noConnection,
): Promise<Totals> {
  const look = await scopeOf(deps, viewer, ref, asked, client)
  return sum(
    deps,
    look,
    () => (hides) => sumTotals(look.span, hides),
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
  client: WaitingClient = noConnection,
): Promise<AsyncIterable<Day>> {
  const look = await scopeOf(deps, viewer, ref, asked, client)
  const { since, until } = look.span
  const tooMany = tooLong(`there are more than ${MAX_DAYS}`)
  if (isTooLong(look.span, by, MAX_DAYS)) throw tooMany
  const reach = { since: since - MARGIN, until: until + MARGIN }
  const zoneName = await zoneOf(deps, look, zone)
  return sum(
    deps,
    look,
    async () => {
      const offsets = await offsetsOf(zoneName, reach, client)
      const buckets = findBuckets(offsets, by, look.span, MAX_DAYS)
      if (!buckets) throw tooMany
      return (hides) => sumDays(buckets, hides)
    },
    (sums) => iterateCooperatively(sums.days(), client.signal),
  )
}

export async function getHours(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { zone, ...asked }: AskedCalendar,
  client: WaitingClient = noConnection,
): Promise<Hours> {
  const look = await scopeOf(deps, viewer, ref, asked, client)
  const known = await knownPart(deps, look)
  const zoneName = await zoneOf(deps, look, zone)
  return sum(
    deps,
    look,
    async () => {
      const offsets = await offsetsOf(zoneName, known, client)
      return (hides) => sumHours(offsets, hides)
    },
    (sums) => sums.hours(),
  )
}

export async function listPairs(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
  client: WaitingClient = noConnection,
): Promise<Pair[]> {
  const look = await scopeOf(deps, viewer, ref, asked, client)
  return sum(
    deps,
    look,
    () => sumPairs,
    (sums) => runCooperatively(sums.pairs(), client.signal),
  )
}

/** Whole stints as a calendar, for programs that fetch it again and again. */
export async function getCalendar(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
  client: WaitingClient = noConnection,
): Promise<ExportFile> {
  const look = await scopeOf(deps, viewer, ref, asked, client, isSubscriber)
  const title = redact(system, look.of, look.isOwn).name ?? 'Front history'
  const calendar = createCalendar(look.now, title)
  const file = createFile()
  let events = ''
  const listen = async (wanted: Omit<Wanted, 'limit'>, db: Db) => {
    const titles = await titlesOf(db, look)
    return streamStints(wanted, ({ member: hid, from, to }) => {
      events += calendar.event({
        start: from,
        end: to,
        member_id: hid,
        member: titles.get(hid) ?? hid,
      })
    })
  }
  const turnPage = () => {
    file.write(events)
    events = ''
    if (file.size > MAX_CALENDAR) throw tooLong(`the calendar has more than ${MAX_CALENDAR} bytes`)
  }
  file.write(calendar.head)
  await replayInto(deps, look, everyStint, listen, turnPage)
  turnPage()
  file.write(calendar.foot)
  const whole = file.end()
  // Both the end of a large file and its answer take a while.
  await createYielder(0)()
  return whole
}

const everyStint = { before: Infinity, only: null }

/** Names of members as the viewer may see them, by short ID. */
async function titlesOf(db: Db, { of, isOwn }: FrontingScope): Promise<Map<string, string>> {
  const seen = (await membersOf(db, of.id)).map((row) => redact(member, row, isOwn))
  return new Map(seen.map((one) => [one.hid ?? '', one.display_name ?? one.name ?? '']))
}

function tooLong(what: string): Error {
  return error('badRequest', `${what}; ask for a shorter span`)
}

interface FrontingScope {
  of: System
  /** The owner sees everybody, others only whom the system lets them see. */
  isOwn: boolean
  now: Instant
  span: Span
  client: WaitingClient
}

async function scopeOf(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  asked: AskedSpan,
  client: WaitingClient,
  seesAll: (viewer: Viewer, systemId: number) => boolean = isOwner,
): Promise<FrontingScope> {
  const of = await getSystem(deps, viewer, ref)
  const isOwn = seesAll(viewer, of.id)
  requireListAccess('history', of, isOwn)
  const now = deps.now()
  const until = asked.until ?? now
  const since = asked.since ?? until - USUAL_SPAN
  if (since >= until) throw error('badRequest', 'since must be before until')
  return { of, isOwn, now, span: { since, until }, client }
}

/** A subscriber sees the calendar as the owner does, and nothing else. */
function isSubscriber({ system, access = 'full' }: Viewer, systemId: number): boolean {
  return system === systemId && hasPermission(access, 'subscribe')
}

/**
 * Sums up what is known of the span. What takes long to prepare is prepared in the turn of the read,
 * so that a request which is refused costs little.
 */
async function sum<L extends ReplayListener, T>(
  deps: Deps,
  { of, isOwn, now, span, client }: FrontingScope,
  prepare: () => MaybePromise<(hides: Hides) => L>,
  result: (listener: L) => T | Promise<T>,
  turnPage: (listener: L) => void = () => {},
): Promise<T> {
  const known = { since: span.since, until: Math.min(span.until, now) }
  const read = { systemId: of.id, isOwn, ...client }
  return readHistory(deps, read, known, async (db, turns) => {
    const listen = await prepare()
    const { names, hides } = await namesFor(db, of.id, isOwn)
    const listener = listen(hides)
    const walk = createReplay(known, [listener])
    for await (const _ of replaySwitches(db, of.id, names, known, walk, turns)) turnPage(listener)
    walk.finish()
    return result(listener)
  })
}

/** Goes through stints as they truly began and ended; null where none can be. */
async function replayInto<L extends ReplayListener & Waiting>(
  deps: Deps,
  { of, isOwn, now, span, client }: FrontingScope,
  { before, only }: { before: Instant; only: string | null },
  listen: (wanted: Omit<Wanted, 'limit'>, db: Db) => MaybePromise<L>,
  turnPage: () => void = () => {},
): Promise<L | null> {
  const end = Math.min(span.until, now, before)
  // What began after the end of the span is of no interest, but what had begun may end then.
  const followed = { since: span.since, until: now + 1 }
  if (span.since >= Math.min(span.until, now)) return null
  const read = { systemId: of.id, isOwn, ...client }
  // How far back a stint began, and how far on it lasts, is not known before.
  return readHistory(deps, read, ALWAYS, async (db, turns) => {
    const { names, hides } = await namesFor(db, of.id, isOwn)
    const isListed = (hid: string) => !hides?.(hid) && (only === null || hid === only)
    const began = await replayBackwards(db, of.id, names, span.since, isListed, turns)
    const listener = await listen({ before: end, isListed }, db)
    const walk = createReplay(followed, [listener], began)
    for await (const at of replaySwitches(db, of.id, names, followed, walk, turns)) {
      turnPage()
      if (at >= end && !listener.isWaiting()) break
    }
    walk.finish()
    return listener
  })
}

/** Whose names are known is seen; whoever came meanwhile is neither named nor told of. */
async function namesFor(
  db: Db,
  systemId: number,
  isOwn: boolean,
): Promise<{ names: Names; hides: Hides }> {
  // The read may have waited since the history was found to be public.
  requireListAccess('history', await getSystemById(db, systemId), isOwn)
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

async function zoneOf(
  { db }: Deps,
  { of, isOwn }: FrontingScope,
  asked: string | null,
): Promise<string> {
  if (asked !== null) return asked
  if (!isOwn) return 'UTC'
  const { timezone } = await getSettings(db, of.id)
  return isTimezone(timezone) ? timezone : 'UTC'
}

function offsetsOf(zone: string, span: Span, { signal }: WaitingClient): Promise<Offset[]> {
  return runCooperatively(findOffsets(zone, span), signal)
}

/** Where the clocks matter: not before the first switch, nor after now. */
async function knownPart({ db }: Deps, { of, span, now }: FrontingScope): Promise<Span> {
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
