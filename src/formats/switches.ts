import { formatInstant, type Instant } from '../model/time'
import { type BundleSwitch, MAX_FRONTERS, type Subject } from './bundle'
import type { Ledger } from './ledger'

/** A long history, some of it at a time. */
export type Pages<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>

/** Oldest first, each instant once, and nowhere more fronters than fit. */
export function tidySwitches(switches: BundleSwitch[], ledger: Ledger): BundleSwitch[] {
  const first = new Map<Instant, BundleSwitch>()
  const extra = new Map<Instant, Set<string>>()
  for (const entry of switches) {
    const { timestamp, members } = entry
    const same = first.get(timestamp)
    if (!same) {
      first.set(timestamp, entry)
      continue
    }
    const all = extra.get(timestamp) ?? new Set(same.members)
    for (const member of members) all.add(member)
    extra.set(timestamp, all)
  }
  for (const [timestamp, members] of extra) {
    const why = 'members of all of them are in it'
    ledger.repair(subjectOf(timestamp), 'timestamp', 'several switches', 'one switch', why)
    first.set(timestamp, { ...first.get(timestamp), timestamp, members: [...members] })
  }
  return [...first.values()]
    .sort((a, b) => a.timestamp - b.timestamp)
    .map((entry) => uncrowded(entry, ledger))
}

export function subjectOf(timestamp: Instant): Subject {
  return { kind: 'switch', name: formatInstant(timestamp) }
}

function uncrowded(entry: BundleSwitch, ledger: Ledger): BundleSwitch {
  const count = entry.members.length
  if (count <= MAX_FRONTERS) return entry
  const why = `at most ${MAX_FRONTERS} members front at once`
  ledger.repair(subjectOf(entry.timestamp), 'members', count, MAX_FRONTERS, why)
  return { ...entry, members: entry.members.slice(0, MAX_FRONTERS) }
}
