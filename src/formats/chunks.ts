import {
  type Bundle,
  type BundleGroup,
  type BundleMember,
  type BundleSwitch,
  MAX_ARCHIVED_BYTES,
  MAX_ARCHIVED_ROWS,
  type ReadOptions,
} from './bundle'

/** A bundle in pieces that are each worked on in a moment, in this order. */
export type BundleChunk =
  | { head: BundleHead }
  | { members: BundleMember[] }
  | { groups: BundleGroup[] }
  | { switches: BundleSwitch[] }
  | { kept: ArchivedRow[] }

export interface BundleHead extends Omit<Bundle, 'members' | 'groups' | 'switches' | 'kept'> {
  /** How many of each follow. */
  counts: { members: number; groups: number; switches: number; kept: number }
}

/** A row that is stored aside as it is. */
export interface ArchivedRow {
  collection: string
  /** JSON. */
  content: string
}

/** A file as it arrives. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Who reads a file may do so here, or let another process do it. */
export type ParseImport = (file: ByteSource, options: ReadOptions) => AsyncIterable<BundleChunk>

const ENTITIES_PER_CHUNK = 50
const SWITCHES_PER_CHUNK = 500
const ARCHIVED_PER_CHUNK = 500
const ARCHIVED_BYTES_PER_CHUNK = 64 * 1024

/** No note anybody ever wrote is as long; it would take a while to write one that is. */
const MAX_ARCHIVED_ROW = 1024 * 1024

export function* chunksOf(bundle: Bundle): Generator<BundleChunk> {
  const { members, groups, switches, kept: _, ...rest } = bundle
  const kept = serializeArchived(bundle)
  const counts = {
    members: members.length,
    groups: groups.length,
    switches: switches.length,
    kept: kept.length,
  }
  yield { head: { ...rest, counts } }
  for (const some of batches(members, ENTITIES_PER_CHUNK)) yield { members: some }
  for (const some of batches(groups, ENTITIES_PER_CHUNK)) yield { groups: some }
  for (const some of batches(switches, SWITCHES_PER_CHUNK)) yield { switches: some }
  let some: ArchivedRow[] = []
  let size = 0
  for (const row of kept) {
    some.push(row)
    size += row.content.length
    if (some.length < ARCHIVED_PER_CHUNK && size < ARCHIVED_BYTES_PER_CHUNK) continue
    yield { kept: some }
    some = []
    size = 0
  }
  if (some.length > 0) yield { kept: some }
}

/** What there is room for; the rest is counted as skipped. */
function serializeArchived({ kept, skipped }: Bundle): ArchivedRow[] {
  const rows: ArchivedRow[] = []
  let room = MAX_ARCHIVED_BYTES
  for (const [collection, all] of Object.entries(kept))
    for (const row of all) {
      const content = JSON.stringify(row)
      const size = Buffer.byteLength(content)
      if (rows.length < MAX_ARCHIVED_ROWS && size <= Math.min(room, MAX_ARCHIVED_ROW)) {
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

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** For who serves nobody else meanwhile. */
export async function* parseInProcess(...[file, options]: Parameters<ParseImport>) {
  const chunks = await Array.fromAsync(file)
  const { readFile } = await import('./read')
  yield* chunksOf(readFile(Buffer.concat(chunks), options))
}
