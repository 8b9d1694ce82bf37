import { type ExtPart, extParts } from '../model/transfer/transfer'
import {
  type Bundle,
  type BundleExtRow,
  type BundleGroup,
  type BundleMember,
  type BundlePicture,
  type BundleSwitch,
  MAX_ARCHIVED_BYTES,
  MAX_ARCHIVED_ROWS,
  type ReadOptions,
} from './bundle'

/** Part of a bundle, small enough to be processed without blocking; sent in this order. */
export type BundleChunk =
  | { head: BundleHead }
  | { pictures: BundlePicture[] }
  | { members: BundleMember[] }
  | { groups: BundleGroup[] }
  | { switches: BundleSwitch[] }
  | { ext: BundleExtRow[]; part: ExtPart }
  | { origins: Bundle['origins'] }
  | { kept: ArchivedRow[] }

export interface BundleHead
  extends Omit<
    Bundle,
    'pictures' | 'members' | 'groups' | 'switches' | 'ext' | 'origins' | 'kept'
  > {
  /** Number of items that follow. */
  counts: { members: number; groups: number; switches: number; ext: number; kept: number }
}

/** A row that is archived unchanged. */
export interface ArchivedRow {
  collection: string
  /** The row as JSON. */
  content: string
}

/** Stream of a file's bytes. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Parses a file, in this process or in another one. */
export type ParseImport = (file: ByteSource, options: ReadOptions) => AsyncIterable<BundleChunk>

const ENTITIES_PER_CHUNK = 50
const SWITCHES_PER_CHUNK = 500
const ROWS_PER_CHUNK = 500
const BYTES_PER_CHUNK = 64 * 1024

/** Longer than any real note. Writing a longer row would block the database for too long. */
const MAX_ARCHIVED_ROW_BYTES = 1024 * 1024

export function* chunksOf(bundle: Bundle): Generator<BundleChunk> {
  const { pictures, members, groups, switches, ext, origins, kept: _, ...rest } = bundle
  const kept = serializeArchived(bundle)
  const counts = {
    members: members.length,
    groups: groups.length,
    switches: switches.length,
    ext: extParts.reduce((sum, part) => sum + ext[part].length, 0),
    kept: kept.length,
  }
  yield { head: { ...rest, counts } }
  for (const chunk of batchesBySize(pictures, ({ base64 }) => base64.length))
    yield { pictures: chunk }
  for (const chunk of batches(members, ENTITIES_PER_CHUNK)) yield { members: chunk }
  for (const chunk of batches(groups, ENTITIES_PER_CHUNK)) yield { groups: chunk }
  for (const chunk of batches(switches, SWITCHES_PER_CHUNK)) yield { switches: chunk }
  for (const part of extParts)
    for (const chunk of batchesBySize(ext[part], sizeOf)) yield { ext: chunk, part }
  for (const chunk of batches(origins, ROWS_PER_CHUNK)) yield { origins: chunk }
  for (const chunk of batchesBySize(kept, ({ content }) => content.length)) yield { kept: chunk }
}

/** Size of a row as JSON, with about 40 bytes for each reference of a bucket. */
function sizeOf({ values, contents }: BundleExtRow): number {
  const references = Object.values(contents ?? {}).reduce((sum, { length }) => sum + length, 0)
  return JSON.stringify(values).length + 40 * references
}

/** Serializes rows up to the limits; the rest is counted as skipped. */
function serializeArchived({ kept, skipped }: Bundle): ArchivedRow[] {
  const rows: ArchivedRow[] = []
  let remainingBytes = MAX_ARCHIVED_BYTES
  for (const [collection, all] of Object.entries(kept))
    for (const row of all) {
      const content = JSON.stringify(row)
      const size = Buffer.byteLength(content)
      if (
        rows.length < MAX_ARCHIVED_ROWS &&
        size <= Math.min(remainingBytes, MAX_ARCHIVED_ROW_BYTES)
      ) {
        rows.push({ collection, content })
        remainingBytes -= size
      } else countIn(skipped, collection)
    }
  return rows
}

/** Increments a count. A collection may have the name of an inherited property. */
export function countIn(tally: Record<string, number>, name: string): void {
  tally[name] = (Object.hasOwn(tally, name) ? (tally[name] ?? 0) : 0) + 1
}

export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let index = 0; index < items.length; index += size) yield items.slice(index, index + size)
}

/** Splits rows of different sizes into chunks of similar size. */
export function* batchesBySize<T>(items: Iterable<T>, sizeOf: (item: T) => number): Generator<T[]> {
  let chunk: T[] = []
  let size = 0
  for (const item of items) {
    chunk.push(item)
    size += sizeOf(item)
    if (chunk.length < ROWS_PER_CHUNK && size < BYTES_PER_CHUNK) continue
    yield chunk
    chunk = []
    size = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Parses in this process, for callers that serve no other requests meanwhile. */
export async function* parseInProcess(...[file, options]: Parameters<ParseImport>) {
  const chunks = await Array.fromAsync(file)
  const { readFile } = await import('./read')
  yield* chunksOf(readFile(Buffer.concat(chunks), options))
}
