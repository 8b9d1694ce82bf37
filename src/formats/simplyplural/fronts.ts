import { reason } from '../../model/core/reason'
import type { Instant } from '../../model/core/time'
import { MAX_FRONTERS } from '../../model/front/switch'
import { type BundleSwitch, MAX_SWITCHES, type Subject } from '../bundle'
import type { Presence } from '../frontHistory'
import { Counter, type ImportLog } from '../importLog'
import { readRef } from '../repair'
import { type AppRow, timeOf } from './rows'

const history: Subject = { kind: 'switch', name: null }

/** Converts rows to presences; invalid rows are logged. */
export function readPresences(
  rows: readonly AppRow[],
  members: ReadonlyMap<string, string>,
  log: ImportLog,
): Presence[] {
  const unknown = new Counter()
  const lost = new Counter<'no_duration' | 'no_readable_time'>()
  let swapped = 0
  const presences: Presence[] = []
  for (const row of rows) {
    const ref = readRef(row.member) ?? ''
    const member = members.get(ref)
    const start = timeOf(row.startTime)
    const isOpen = row.live === true || !row.endTime
    const end = isOpen ? null : timeOf(row.endTime)
    const isReadable = start !== null && (isOpen || end !== null) && start !== end
    if (member !== undefined && isReadable) {
      const isReversed = end !== null && end < start
      if (isReversed) swapped += 1
      presences.push(isReversed ? { member, start: end, end: start } : { member, start, end })
      continue
    }
    if (member === undefined) unknown.add(ref)
    else lost.add(start === end && start !== null ? 'no_duration' : 'no_readable_time')
  }
  for (const [ref, count] of unknown)
    log.dropRow('switches', history, 'member', ref, 'no_such_member', count)
  for (const [why, count] of lost) log.dropRow('switches', history, 'startTime', null, why, count)
  if (swapped > 0) {
    const why = 'start_and_end_swapped'
    log.repair(history, 'startTime', swapped, swapped, why)
  }
  return presences
}

/** Converts overlapping presences to switches: one per change of the fronters, oldest first. */
export function toSwitches(presences: readonly Presence[], log: ImportLog): BundleSwitch[] {
  const fronting = new Fronting()
  const switches: BundleSwitch[] = []
  let before: string[] = []
  let maxFronters = 0
  for (const [timestamp, changes] of changesByInstant(presences)) {
    for (const member of changes.leave) fronting.leave(member)
    for (const member of changes.arrive) fronting.arrive(member)
    maxFronters = Math.max(maxFronters, fronting.size)
    const now = fronting.first(MAX_FRONTERS)
    if (!isSameSet(now, before)) switches.push({ timestamp, members: now })
    before = now
  }
  if (maxFronters > MAX_FRONTERS) {
    const why = reason('too_many_fronters', { max: MAX_FRONTERS })
    log.repair(history, 'members', maxFronters, MAX_FRONTERS, why)
  }
  if (switches.length <= MAX_SWITCHES) return switches
  const why = reason('only_newest', { max: MAX_SWITCHES })
  const surplus = switches.length - MAX_SWITCHES
  log.dropRow('switches', history, 'switches', switches.length, why, surplus)
  return switches.slice(-MAX_SWITCHES)
}

interface Changes {
  leave: string[]
  arrive: string[]
}

function changesByInstant(presences: readonly Presence[]): [Instant, Changes][] {
  const changes = new Map<Instant, Changes>()
  const at = (instant: Instant) => {
    const entry = changes.get(instant) ?? { leave: [], arrive: [] }
    changes.set(instant, entry)
    return entry
  }
  for (const { member, start, end } of presences) {
    at(start).arrive.push(member)
    if (end !== null) at(end).leave.push(member)
  }
  return [...changes].sort(([a], [b]) => a - b)
}

/**
 * Current fronters, in order of arrival. A member with overlapping rows stays until the last ends.
 */
class Fronting {
  #rows = new Map<string, number>()

  get size(): number {
    return this.#rows.size
  }

  arrive(member: string): void {
    this.#rows.set(member, (this.#rows.get(member) ?? 0) + 1)
  }

  leave(member: string): void {
    const remaining = (this.#rows.get(member) ?? 0) - 1
    if (remaining > 0) this.#rows.set(member, remaining)
    else this.#rows.delete(member)
  }

  first(count: number): string[] {
    const members: string[] = []
    for (const member of this.#rows.keys()) {
      if (members.length === count) break
      members.push(member)
    }
    return members
  }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  if (a.every((member, index) => member === b[index])) return true
  return new Set(a).isSubsetOf(new Set(b))
}
