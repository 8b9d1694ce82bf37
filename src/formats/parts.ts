import {
  type Bundle,
  type BundleGroup,
  type BundleMember,
  type BundleSwitch,
  MAX_KEPT_BYTES,
  MAX_KEPT_ROWS,
  type ReadOptions,
} from './bundle'

/** A bundle in pieces that are each worked on in a moment, in this order. */
export type BundlePart =
  | { head: BundleHead }
  | { members: BundleMember[] }
  | { groups: BundleGroup[] }
  | { switches: BundleSwitch[] }
  | { kept: KeptRow[] }

export interface BundleHead extends Omit<Bundle, 'members' | 'groups' | 'switches' | 'kept'> {
  /** How many of each follow. */
  counts: { members: number; groups: number; switches: number; kept: number }
}

/** A row that is stored aside as it is. */
export interface KeptRow {
  collection: string
  /** JSON. */
  content: string
}

/** A file as it arrives. */
export type Arriving = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Who reads a file may do so here, or let another process do it. */
export type ReadParts = (file: Arriving, options: ReadOptions) => AsyncIterable<BundlePart>

const PEOPLE_AT_ONCE = 50
const SWITCHES_AT_ONCE = 500
const KEPT_AT_ONCE = 500
const KEPT_BYTES_AT_ONCE = 64 * 1024

/** No note anybody ever wrote is as long; it would take a while to write one that is. */
const MAX_KEPT_ROW = 1024 * 1024

export function* partsOf(bundle: Bundle): Generator<BundlePart> {
  const { members, groups, switches, kept: _, ...rest } = bundle
  const kept = spellKept(bundle)
  const counts = {
    members: members.length,
    groups: groups.length,
    switches: switches.length,
    kept: kept.length,
  }
  yield { head: { ...rest, counts } }
  for (const some of slices(members, PEOPLE_AT_ONCE)) yield { members: some }
  for (const some of slices(groups, PEOPLE_AT_ONCE)) yield { groups: some }
  for (const some of slices(switches, SWITCHES_AT_ONCE)) yield { switches: some }
  let some: KeptRow[] = []
  let size = 0
  for (const row of kept) {
    some.push(row)
    size += row.content.length
    if (some.length < KEPT_AT_ONCE && size < KEPT_BYTES_AT_ONCE) continue
    yield { kept: some }
    some = []
    size = 0
  }
  if (some.length > 0) yield { kept: some }
}

/** What there is room for; the rest is counted as skipped. */
function spellKept({ kept, skipped }: Bundle): KeptRow[] {
  const rows: KeptRow[] = []
  let room = MAX_KEPT_BYTES
  for (const [collection, all] of Object.entries(kept))
    for (const row of all) {
      const content = JSON.stringify(row)
      const size = Buffer.byteLength(content)
      if (rows.length < MAX_KEPT_ROWS && size <= Math.min(room, MAX_KEPT_ROW)) {
        rows.push({ collection, content })
        room -= size
      } else countIn(skipped, collection)
    }
  return rows
}

/** A collection may be called by a name that every object has. */
export function countIn(tally: Record<string, number>, name: string): void {
  tally[name] = (Object.hasOwn(tally, name) ? (tally[name] ?? 0) : 0) + 1
}

function* slices<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** For who serves nobody else meanwhile. */
export async function* readHere(...[file, options]: Parameters<ReadParts>) {
  const chunks = await Array.fromAsync(file)
  const { readFile } = await import('./read')
  yield* partsOf(readFile(Buffer.concat(chunks), options))
}
