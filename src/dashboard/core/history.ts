import { DAY, type Instant } from '../../model/core/time'
import type { Bucket } from '../../model/insights/calendar'
import { createLookback, createReplay } from '../../model/insights/replay'

/** Switch as kept by the page, with short member IDs. */
export interface Switch {
  readonly id: string
  readonly timestamp: Instant
  readonly members: readonly string[]
}

/** Newest first, as the server sends them. */
export type Switches = readonly Switch[]

/** Merges switches by ID, newer data winning, and sorts them. */
export function mergeSwitches(entries: Switches, newer: Switches): Switches {
  const all = new Map([...entries, ...newer].map((entry) => [entry.id, entry]))
  return [...all.values()].sort((a, b) => b.timestamp - a.timestamp)
}

/** Replaces the part of the history that a newly fetched first page covers; older switches stay. */
export function mergeNewestPage(entries: Switches, page: Switches, isAll: boolean): Switches {
  const oldest = page.at(-1)
  if (isAll || !oldest) return page
  return [...page, ...entries.filter(({ timestamp }) => timestamp < oldest.timestamp)]
}

/**
 * Inserts a switch. If older switches are not loaded yet, one beyond the oldest is dropped, because
 * it would leave a gap.
 */
export function insertSwitch(entries: Switches, entry: Switch, hasOlder: boolean): Switches {
  const others = entries.filter(({ id }) => id !== entry.id)
  const oldest = others.at(-1)
  if (hasOlder && oldest && entry.timestamp < oldest.timestamp) return others
  return mergeSwitches(others, [entry])
}

/** Returns the switch in effect at a time. */
export function switchAt(switches: Switches, at: Instant): Switch | null {
  return switches.find(({ timestamp }) => timestamp <= at) ?? null
}

/** Returns the start of the uninterrupted stint of each current fronter. */
export function sinceWhen(switches: Switches): ReadonlyMap<string, Instant> {
  const lookback = createLookback(() => true)
  for (const entry of switches) if (!lookback.step(entry)) break
  return lookback.began
}

/** Returns the end of each member's last stint; null for current fronters. */
export function lastHere(switches: Switches): ReadonlyMap<string, Instant | null> {
  const last = new Map<string, Instant | null>()
  let until: Instant | null = null
  for (const { timestamp, members } of switches) {
    for (const member of members) if (!last.has(member)) last.set(member, until)
    until = timestamp
  }
  return last
}

const HALF_LIFE = 7 * DAY

/** Sums each member's fronting time; time counts half for each week that has passed since. */
export function weighTime(switches: Switches, now: Instant): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const oldest = switches.at(-1)
  if (!oldest) return weights
  const decay = (at: Instant) => 2 ** (-(now - at) / HALF_LIFE)
  const replay = createReplay({ since: oldest.timestamp, until: now }, [
    {
      ended(member, from, to) {
        // Integral of the decay over the stint.
        const weight = ((decay(to) - decay(from)) * HALF_LIFE) / Math.LN2
        weights.set(member, (weights.get(member) ?? 0) + weight)
      },
    },
  ])
  for (const entry of switches.toReversed()) replay.step(entry)
  replay.finish()
  return weights
}

/** Returns the members likely to front next: pinned ones first, then by weighted fronting time. */
export function likelyFronters(
  members: readonly { id: string; uuid: string }[],
  pinned: readonly string[],
  weights: ReadonlyMap<string, number>,
  here: readonly string[],
  limit: number,
): string[] {
  const rank = new Map(pinned.map((uuid, index) => [uuid, index]))
  return members
    .filter(({ id }) => !here.includes(id))
    .map(({ id, uuid }, at) => ({
      id,
      at,
      pinRank: rank.get(uuid) ?? Number.POSITIVE_INFINITY,
      weight: weights.get(id) ?? 0,
    }))
    .sort(
      (a, b) =>
        (a.pinRank === b.pinRank ? 0 : a.pinRank - b.pinRank) || b.weight - a.weight || a.at - b.at,
    )
    .slice(0, limit)
    .map(({ id }) => id)
}

/** Part of a day with the same fronters. */
export interface Piece {
  readonly from: Instant
  readonly to: Instant
  readonly members: readonly string[]
  readonly switch: Switch
}

/**
 * Splits a day into pieces with constant fronters. The time before the first known switch has none.
 */
export function piecesOf(switches: Switches, { start, end }: Bucket, now: Instant): Piece[] {
  const pieces: Piece[] = []
  let until = Math.min(end, now)
  for (const entry of switches) {
    const from = Math.max(entry.timestamp, start)
    if (from < until && entry.members.length > 0)
      pieces.unshift({ from, to: until, members: entry.members, switch: entry })
    until = Math.min(until, entry.timestamp)
    if (until <= start) break
  }
  return pieces
}

/** Reduces pieces to one member, joining those in which only co-fronters change. */
export function piecesOfOne(pieces: readonly Piece[], id: string): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    if (!piece.members.includes(id)) continue
    const last = joined.at(-1)
    if (last?.to === piece.from) joined[joined.length - 1] = { ...last, to: piece.to }
    else joined.push({ ...piece, members: [id] })
  }
  return joined
}

/**
 * Preview of what a change does to the history: fronters `before` become `after` in a span, whose
 * `to` is null for "until now".
 */
export interface Effect {
  readonly from: Instant
  readonly to: Instant | null
  readonly before: readonly string[] | null
  readonly after: readonly string[] | null
}

/** Compares two histories and returns the differences, oldest first. */
export function compareHistories(before: Switches, after: Switches): Effect[] {
  const times = [...new Set([...before, ...after].map(({ timestamp }) => timestamp))].sort(
    (a, b) => a - b,
  )
  const effects: Effect[] = []
  for (const [index, from] of times.entries()) {
    const was = switchAt(before, from)?.members ?? null
    const is = switchAt(after, from)?.members ?? null
    const to = times[index + 1] ?? null
    if (isSame(was, is)) continue
    const last = effects.at(-1)
    if (last && last.to === from && isSame(last.before, was) && isSame(last.after, is))
      effects[effects.length - 1] = { ...last, to }
    else effects.push({ from, to, before: was, after: is })
  }
  return effects
}

function isSame(ids: readonly string[] | null, other: readonly string[] | null): boolean {
  if (ids === null || other === null) return ids === other
  return ids.length === other.length && ids.every((id) => other.includes(id))
}
