import { createYielder, yieldToEventLoop } from '../../db/yieldToEventLoop'
import { ListPieces } from '../../model/core/listPieces'
import type { Serialized, SerializedJson } from '../../model/core/privacy'
import { LARGE_LIST_BYTES } from '../../store/reads/memberListSql'
import type { Json } from '../../store/reads/objectSql'
import type { Deps } from '../core/deps'
import type { LongRead } from '../core/longReads'

const encoder = new TextEncoder()

/** Size of a piece, about a millisecond of work. */
const PIECE_BYTES = 128 * 1024

/** JSON list as bytes, or in pieces if it is large. */
export type ListJson = Json | (ListPieces & Serialized)

/** Row ID of each object, in ascending order, and the estimated size of its JSON. */
export type ObjectSizes = readonly (readonly [id: number, bytes: number])[]

/** Row IDs of the first and the last object of a piece. */
export interface PieceRange {
  readonly first: number
  readonly last: number
}

/** Reads a JSON list of the objects that still exist and that the caller may still see. */
type ReadPiece = (range: PieceRange) => Promise<Uint8Array<ArrayBuffer> | string>

/**
 * Reads a list whose sizes are known: at once, or in pieces if it is large. Yields to the event loop
 * in between.
 */
export async function readList(
  deps: Deps,
  request: LongRead,
  sizes: ObjectSizes,
  read: ReadPiece,
): Promise<SerializedJson | (ListPieces & Serialized)> {
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  if (bytes > LARGE_LIST_BYTES) return readInPieces(deps, request, async () => sizes, read)
  const yieldIfDue = createYielder(undefined, request.signal)
  const elements: string[] = []
  for (const range of splitIntoPieces(sizes)) {
    await yieldIfDue()
    const list = String(await read(range))
    if (list !== '[]') elements.push(list.slice(1, -1))
  }
  return `[${elements.join()}]` as SerializedJson
}

/**
 * Reads a large list in pieces: the first one as a long read, each further one when the client has
 * taken the one before. No snapshot is kept, because a client may take any time, so each piece
 * shows its objects as they are then, and checks again what the caller may see.
 */
export async function readInPieces(
  { longReads, openLists }: Deps,
  request: LongRead,
  readSizes: () => Promise<ObjectSizes>,
  read: ReadPiece,
): Promise<ListPieces & Serialized> {
  const { systemId, signal } = request
  const close = openLists.open(request)
  signal?.addEventListener('abort', close, { once: true })
  try {
    const { first, rest } = await longReads(request, async () => {
      const [range, ...rest] = splitIntoPieces(await readSizes())
      return { first: range === undefined ? '[]' : await read(range), rest }
    })
    const lists = async function* () {
      yield first
      for (const range of rest)
        yield await openLists.readPiece({ systemId, signal }, async () => {
          await yieldToEventLoop()
          signal?.throwIfAborted()
          return read(range)
        })
    }
    return new ListPieces(joinLists(lists()), close) as ListPieces & Serialized
  } catch (cause) {
    close()
    throw cause
  }
}

/** Joins the elements of JSON lists to one list. */
async function* joinLists(
  lists: AsyncIterable<Uint8Array<ArrayBuffer> | string>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let separator = '['
  for await (const list of lists) {
    if (list.length === '[]'.length) continue
    const bytes = typeof list === 'string' ? encoder.encode(list) : list
    // In place: a copy of each piece would be as much garbage again.
    bytes[0] = separator.charCodeAt(0)
    yield bytes.subarray(0, -1)
    separator = ','
  }
  yield Buffer.from(separator === '[' ? '[]' : ']')
}

/** Divides a list into pieces of about the same number of bytes. */
export function splitIntoPieces(sizes: ObjectSizes): PieceRange[] {
  const ranges: PieceRange[] = []
  let bytes = Infinity
  for (const [id, size] of sizes) {
    const current = ranges.at(-1)
    bytes += size
    if (current && bytes <= PIECE_BYTES) {
      ranges[ranges.length - 1] = { ...current, last: id }
      continue
    }
    ranges.push({ first: id, last: id })
    bytes = size
  }
  return ranges
}
