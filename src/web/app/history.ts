import type { Bucket } from '../../model/fronting/calendar'
import { createLookback, createReplay } from '../../model/fronting/replay'
import { DAY, type Instant } from '../../model/time'

/** A switch as the page keeps it; members by short ID. */
export interface Switch {
  readonly id: string
  readonly timestamp: Instant
  readonly members: readonly string[]
}

/** Newest first, as the server tells them. */
export type Switches = readonly Switch[]

/** Takes over what is new of some, by ID, and keeps them in order. */
export function mergeSwitches(known: Switches, news: Switches): Switches {
  const all = new Map([...known, ...news].map((one) => [one.id, one]))
  return [...all.values()].sort((a, b) => b.timestamp - a.timestamp)
}

/** What is known after the newest page was fetched again: of its span, only what is in it. */
export function takeNewest(known: Switches, page: Switches, isAll: boolean): Switches {
  const oldest = page.at(-1)
  if (isAll || !oldest) return page
  return [...page, ...known.filter(({ timestamp }) => timestamp < oldest.timestamp)]
}

/** Takes one in; but where older ones are not known yet, nothing beyond: it would leave a hole. */
export function takeOne(known: Switches, one: Switch, hasOlder: boolean): Switches {
  const others = known.filter(({ id }) => id !== one.id)
  const oldest = others.at(-1)
  if (hasOlder && oldest && one.timestamp < oldest.timestamp) return others
  return mergeSwitches(others, [one])
}

/** The switch that holds at a moment. */
export function switchAt(switches: Switches, at: Instant): Switch | null {
  return switches.find(({ timestamp }) => timestamp <= at) ?? null
}

/** Since when those in front have been there without a break. */
export function sinceWhen(switches: Switches): ReadonlyMap<string, Instant> {
  const lookback = createLookback(() => true)
  for (const one of switches) if (!lookback.step(one)) break
  return lookback.began
}

/** When everybody was here last: the end of their last stint, null while they are here. */
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

/** How much time everybody spent here, where an hour of a week ago counts half. */
export function weighTime(switches: Switches, now: Instant): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const oldest = switches.at(-1)
  if (!oldest) return weights
  const faded = (at: Instant) => 2 ** (-(now - at) / HALF_LIFE)
  const walk = createReplay({ since: oldest.timestamp, until: now }, [
    {
      ended(member, from, to) {
        // The integral of the fading over the stint.
        const weight = ((faded(to) - faded(from)) * HALF_LIFE) / Math.LN2
        weights.set(member, (weights.get(member) ?? 0) + weight)
      },
    },
  ])
  for (const one of switches.toReversed()) walk.step(one)
  walk.finish()
  return weights
}

/** Who is likely to come: the pinned ones first, then by time here. */
export function likelyOnes(
  members: readonly { id: string; uuid: string }[],
  pinned: readonly string[],
  weights: ReadonlyMap<string, number>,
  here: readonly string[],
  most: number,
): string[] {
  const rank = new Map(pinned.map((uuid, at) => [uuid, at]))
  return members
    .filter(({ id }) => !here.includes(id))
    .map(({ id, uuid }, at) => ({
      id,
      at,
      pin: rank.get(uuid) ?? Number.POSITIVE_INFINITY,
      weight: weights.get(id) ?? 0,
    }))
    .sort((a, b) => (a.pin === b.pin ? 0 : a.pin - b.pin) || b.weight - a.weight || a.at - b.at)
    .slice(0, most)
    .map(({ id }) => id)
}

/** A time in which the same ones were here, within one day. */
export interface Piece {
  readonly from: Instant
  readonly to: Instant
  readonly members: readonly string[]
  readonly switch: Switch
}

/** What is drawn of a day: who was here from when to when. Nothing is known before the first. */
export function piecesOf(switches: Switches, { start, end }: Bucket, now: Instant): Piece[] {
  const pieces: Piece[] = []
  let until = Math.min(end, now)
  for (const one of switches) {
    const from = Math.max(one.timestamp, start)
    if (from < until && one.members.length > 0)
      pieces.unshift({ from, to: until, members: one.members, switch: one })
    until = Math.min(until, one.timestamp)
    if (until <= start) break
  }
  return pieces
}

/** The same of one alone: who came and went beside them makes no difference. */
export function piecesOfOne(pieces: readonly Piece[], id: string): Piece[] {
  const own: Piece[] = []
  for (const piece of pieces) {
    if (!piece.members.includes(id)) continue
    const last = own.at(-1)
    if (last?.to === piece.from) own[own.length - 1] = { ...last, to: piece.to }
    else own.push({ ...piece, members: [id] })
  }
  return own
}

/** What a change of the history does to who was here, told before it is done. */
export interface Effect {
  /** Who is replaced by whom, from when until when; null is now. */
  readonly from: Instant
  readonly to: Instant | null
  readonly before: readonly string[] | null
  readonly after: readonly string[] | null
}

/** Compares two histories, newest difference last. */
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

function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((id) => other.includes(id))
}
