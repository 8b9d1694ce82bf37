import { reason } from '../model/core/reason'
import { formatInstant, type Instant } from '../model/core/time'
import { MAX_FRONTERS } from '../model/front/switch'
import type { BundleSwitch, Subject } from './bundle'
import type { ImportLog } from './importLog'

/** A long list, in chunks. */
export type Pieces<T> = AsyncIterable<T> | Iterable<T>

/** Sorts switches, oldest first, merges those at the same time, and limits their members. */
export function normalizeSwitches(switches: BundleSwitch[], log: ImportLog): BundleSwitch[] {
  const first = new Map<Instant, BundleSwitch>()
  const extra = new Map<Instant, { members: Set<string>; count: number }>()
  for (const entry of switches) {
    const { timestamp, members } = entry
    const same = first.get(timestamp)
    if (!same) {
      first.set(timestamp, entry)
      continue
    }
    const all = extra.get(timestamp) ?? { members: new Set(same.members), count: 0 }
    for (const member of members) all.members.add(member)
    all.count += 1
    extra.set(timestamp, all)
  }
  for (const [timestamp, { members, count }] of extra) {
    const why = 'switches_merged'
    log.dropRow('switches', subjectOf(timestamp), 'timestamp', null, why, count)
    first.set(timestamp, { ...first.get(timestamp), timestamp, members: [...members] })
  }
  return [...first.values()]
    .sort((a, b) => a.timestamp - b.timestamp)
    .map((entry) => limitFronters(entry, log))
}

export function subjectOf(timestamp: Instant): Subject {
  return { kind: 'switch', name: formatInstant(timestamp) }
}

function limitFronters(entry: BundleSwitch, log: ImportLog): BundleSwitch {
  const count = entry.members.length
  if (count <= MAX_FRONTERS) return entry
  const why = reason('too_many_fronters', { max: MAX_FRONTERS })
  log.repair(subjectOf(entry.timestamp), 'members', count, MAX_FRONTERS, why)
  return { ...entry, members: entry.members.slice(0, MAX_FRONTERS) }
}
