import type { Db, MaybePromise } from '../../db/types'
import { createYielder, iterateCooperatively, runCooperatively } from '../../db/yieldToEventLoop'
import { createCalendar } from '../../formats/frontHistory'
import { error } from '../../model/core/errors'
import {
  hasPermission,
  isOwner,
  redact,
  requireListAccess,
  type Viewer,
} from '../../model/core/privacy'
import { parseRef } from '../../model/core/ref'
import { DAY, type Instant } from '../../model/core/time'
import { isTimezone } from '../../model/core/validation'
import { BUCKET_MARGIN, findBuckets, isTooLong, type Period } from '../../model/insights/calendar'
import { type Day, MAX_DAYS, sumDays } from '../../model/insights/days'
import { type Hours, sumHours } from '../../model/insights/hours'
import { type Pair, sumPairs } from '../../model/insights/pairs'
import { createReplay, type ReplayListener, type Span } from '../../model/insights/replay'
import {
  collectStints,
  newestFirst,
  type PendingStints,
  type Stint,
  type StintFilter,
  streamStints,
} from '../../model/insights/stints'
import { findOffsets, type Offset } from '../../model/insights/timeZone'
import { type IsHidden, MAX_SUMMED, sumTotals, type Totals } from '../../model/insights/totals'
import { member } from '../../model/members/member'
import { type System, system } from '../../model/systems/system'
import { type Names, replayBackwards, replaySwitches } from '../../store/front/replaySwitches'
import { findFirstSwitch, listFrontingMembers } from '../../store/insights/frontingRows'
import { getSettings } from '../../store/systems/settingRows'
import { getSystemById } from '../../store/systems/systemRows'
import { membersOf } from '../../store/transfer/exportRows'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { ALWAYS, readHistory } from '../front/historyPages'
import { findMember } from '../members/members'
import { getSystem } from '../systems/systems'
import { createFile, type ExportFile } from '../transfer/export/export'

// Stints and their sums. Nothing is known before the first switch and after now.

const DEFAULT_SPAN = 30 * DAY

/** Maximum size of a calendar in bytes, about 250,000 stints. */
export const MAX_CALENDAR = 50_000_000

/** Span of time that the caller requests. */
export interface SpanQuery {
  since: Instant | null
  until: Instant | null
  /** Only members or only custom fronts; both if absent. */
  kind?: FrontingKind | null
}

export const frontingKinds = ['members', 'custom_fronts'] as const
type FrontingKind = (typeof frontingKinds)[number]

export interface CalendarQuery extends SpanQuery {
  /** Time zone; null for that of the system, or UTC for callers other than the owner. */
  zone: string | null
}

export interface StintQuery extends SpanQuery {
  before: Instant | null
  limit: number
  member: string | null
}

/** Lists the stints that overlap the span, newest first, with their true start and end. */
export async function listStints(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { before, limit, member, ...query }: StintQuery,
  client: WaitingClient = noConnection,
): Promise<Stint[]> {
  const scope = await scopeOf(deps, viewer, ref, query, client)
  const only = member === null ? null : await memberOf(deps.db, scope.of, member)
  const wanted = { before: before ?? Infinity, only }
  const listener = await replayInto(deps, scope, wanted, (wanted) =>
    collectStints({ ...wanted, limit }),
  )
  return newestFirst(listener?.stints() ?? [])
}

export async function getTotals(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  query: SpanQuery,
  client: WaitingClient = noConnection,
): Promise<Totals> {
  const scope = await scopeOf(deps, viewer, ref, query, client)
  return sum(
    deps,
    scope,
    () => (hides) => sumTotals(scope.span, hides),
    (sums) => sums.totals(),
    (sums) => {
      if (sums.hasTooManyStints()) throw tooLong(`there are more than ${MAX_SUMMED} stints`)
    },
  )
}

/** Returns the time of the first switch; null without any. */
export async function findFirstSwitchTime(
  deps: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Instant | null> {
  const { of } = await scopeOf(deps, viewer, ref, { since: null, until: null }, noConnection)
  return findFirstSwitch(deps.db, of.id)
}

/** Lists days, weeks or months in the time zone, oldest first. Each is computed when it is read. */
export async function listDays(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { zone, by, ...query }: CalendarQuery & { by: Period },
  client: WaitingClient = noConnection,
): Promise<AsyncIterable<Day>> {
  const scope = await scopeOf(deps, viewer, ref, query, client)
  const { since, until } = scope.span
  const tooMany = tooLong(`there are more than ${MAX_DAYS}`)
  if (isTooLong(scope.span, by, MAX_DAYS)) throw tooMany
  const reach = { since: since - BUCKET_MARGIN, until: until + BUCKET_MARGIN }
  const zoneName = await zoneOf(deps, scope, zone)
  return sum(
    deps,
    scope,
    async () => {
      const offsets = await offsetsOf(zoneName, reach, client)
      const buckets = findBuckets(offsets, by, scope.span, MAX_DAYS)
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
  { zone, ...query }: CalendarQuery,
  client: WaitingClient = noConnection,
): Promise<Hours> {
  const scope = await scopeOf(deps, viewer, ref, query, client)
  const pastSpan = await knownPart(deps, scope)
  const zoneName = await zoneOf(deps, scope, zone)
  return sum(
    deps,
    scope,
    async () => {
      const offsets = await offsetsOf(zoneName, pastSpan, client)
      return (hides) => sumHours(offsets, hides)
    },
    (sums) => sums.hours(),
  )
}

export async function listPairs(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  query: SpanQuery,
  client: WaitingClient = noConnection,
): Promise<Pair[]> {
  const scope = await scopeOf(deps, viewer, ref, query, client)
  return sum(
    deps,
    scope,
    () => sumPairs,
    (sums) => runCooperatively(sums.pairs(), client.signal),
  )
}

/** Renders complete stints as a calendar, for programs that poll it. */
export async function getCalendar(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  query: SpanQuery,
  client: WaitingClient = noConnection,
): Promise<ExportFile> {
  const scope = await scopeOf(deps, viewer, ref, query, client, isSubscriber)
  const title = redact(system, scope.of, scope.isOwn ? 'owner' : 'public').name ?? 'Front history'
  const calendar = createCalendar(scope.now, title)
  const file = createFile()
  let events = ''
  const createListener = async (wanted: Omit<StintFilter, 'limit'>, db: Db) => {
    const titles = await titlesOf(db, scope)
    return streamStints(wanted, ({ member: hid, from, to }) => {
      events += calendar.event({
        start: from,
        end: to,
        member_id: hid,
        member: titles.get(hid) ?? hid,
      })
    })
  }
  const flush = () => {
    file.write(events)
    events = ''
    if (file.size > MAX_CALENDAR) throw tooLong(`the calendar has more than ${MAX_CALENDAR} bytes`)
  }
  file.write(calendar.head)
  await replayInto(deps, scope, everyStint, createListener, flush)
  flush()
  file.write(calendar.foot)
  const finished = file.end()
  // Yield, because finishing a large file and sending it both take a while.
  await createYielder(0)()
  return finished
}

const everyStint = { before: Infinity, only: null }

/** Returns the names of members by short ID, redacted for the viewer. */
async function titlesOf(db: Db, { of, isOwn }: FrontingScope): Promise<Map<string, string>> {
  const audience = isOwn ? 'owner' : 'public'
  const redacted = (await membersOf(db, of.id)).map((row) => redact(member, row, audience))
  return new Map(redacted.map((row) => [row.hid ?? '', row.display_name ?? row.name ?? '']))
}

function tooLong(what: string): Error {
  return error('badRequest', `${what}; ask for a shorter span`)
}

interface FrontingScope {
  of: System
  /** True if the caller sees private members, too. */
  isOwn: boolean
  now: Instant
  span: Span
  kind: FrontingKind | null
  client: WaitingClient
}

async function scopeOf(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  query: SpanQuery,
  client: WaitingClient,
  seesAll: (viewer: Viewer, systemId: number) => boolean = isOwner,
): Promise<FrontingScope> {
  const row = await getSystem(deps, viewer, ref)
  const isOwn = seesAll(viewer, row.id)
  requireListAccess('history', row, isOwn)
  const now = deps.now()
  const until = query.until ?? now
  const since = query.since ?? until - DEFAULT_SPAN
  if (since >= until) throw error('badRequest', 'since must be before until')
  return { of: row, isOwn, now, span: { since, until }, kind: query.kind ?? null, client }
}

/** A calendar token sees the calendar as the owner does, and nothing else. */
function isSubscriber({ system, access = 'full' }: Viewer, systemId: number): boolean {
  return system === systemId && hasPermission(access, 'subscribe')
}

/**
 * Replays the known part of the span into a listener. `prepare` runs when the read leaves the queue,
 * so that a refused request costs little.
 */
async function sum<L extends ReplayListener, T>(
  deps: Deps,
  { of, isOwn, now, span, kind, client }: FrontingScope,
  prepare: () => MaybePromise<(hides: IsHidden) => L>,
  result: (listener: L) => T | Promise<T>,
  onPage: (listener: L) => void = () => {},
): Promise<T> {
  const pastSpan = { since: span.since, until: Math.min(span.until, now) }
  const read = { systemId: of.id, isOwn, ...client }
  return readHistory(deps, read, pastSpan, async (db, newYielder) => {
    const createListener = await prepare()
    const { names, hides } = await namesFor(db, of.id, isOwn, kind)
    const listener = createListener(hides)
    const replay = createReplay(pastSpan, [listener])
    for await (const _ of replaySwitches(db, of.id, names, pastSpan, replay, newYielder))
      onPage(listener)
    replay.finish()
    return result(listener)
  })
}

/** Replays stints with their true start and end into a listener; null if the span has no past. */
async function replayInto<L extends ReplayListener & PendingStints>(
  deps: Deps,
  { of, isOwn, now, span, kind, client }: FrontingScope,
  { before, only }: { before: Instant; only: string | null },
  createListener: (wanted: Omit<StintFilter, 'limit'>, db: Db) => MaybePromise<L>,
  onPage: () => void = () => {},
): Promise<L | null> {
  const end = Math.min(span.until, now, before)
  // Stints that began within the span may end after it, so the replay continues until now.
  const followed = { since: span.since, until: now + 1 }
  if (span.since >= Math.min(span.until, now)) return null
  const read = { systemId: of.id, isOwn, ...client }
  // The true start and end of a stint may be anywhere in the history.
  return readHistory(deps, read, ALWAYS, async (db, newYielder) => {
    const { names, hides } = await namesFor(db, of.id, isOwn, kind)
    const isListed = (hid: string) => !hides?.(hid) && (only === null || hid === only)
    const starts = await replayBackwards(db, of.id, names, span.since, isListed, newYielder)
    const listener = await createListener({ before: end, isListed }, db)
    const replay = createReplay(followed, [listener], starts)
    for await (const at of replaySwitches(db, of.id, names, followed, replay, newYielder)) {
      onPage()
      if (at >= end && !listener.isWaiting()) break
    }
    replay.finish()
    return listener
  })
}

/** Returns the short IDs of members and a filter for hidden ones. Members created later are left out. */
async function namesFor(
  db: Db,
  systemId: number,
  isOwn: boolean,
  kind: FrontingKind | null,
): Promise<{ names: Names; hides: IsHidden }> {
  // Checked again, because the history may have become private while the read waited.
  requireListAccess('history', await getSystemById(db, systemId), isOwn)
  const rows = await listFrontingMembers(db, systemId, kind)
  const hidden = rows.filter(({ visibility }) => visibility !== 'public')
  const hids = new Set(hidden.map(({ hid }) => hid))
  return {
    names: new Map(rows.map(({ id, hid }) => [id, hid])),
    hides: isOwn ? null : (hid) => hids.has(hid),
  }
}

async function memberOf(db: Db, systemRow: System, text: string): Promise<string> {
  if (parseRef(text) === null) throw error('badRequest', 'member must be a short ID or a UUID')
  const row = await findMember(db, text)
  if (row?.system_id !== systemRow.id) throw error('memberNotFound')
  return row.hid
}

async function zoneOf(
  deps: Deps,
  { of, isOwn }: FrontingScope,
  requested: string | null,
): Promise<string> {
  if (requested !== null) return requested
  if (!isOwn) return 'UTC'
  const { timezone } = await getSettings(deps, deps.db, of.id)
  return isTimezone(timezone) ? timezone : 'UTC'
}

function offsetsOf(zone: string, span: Span, { signal }: WaitingClient): Promise<Offset[]> {
  return runCooperatively(findOffsets(zone, span), signal)
}

/** Limits the span to the time with data: from the first switch until now. */
async function knownPart({ db }: Deps, { of, span, now }: FrontingScope): Promise<Span> {
  const first = await findFirstSwitch(db, of.id)
  return {
    since: Math.max(span.since, Math.min(first ?? now, now)),
    until: Math.min(span.until, now),
  }
}
