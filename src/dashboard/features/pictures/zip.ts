/** Reader of ZIP files. It reads one entry at a time and never more than its bounds. */

/** Entries that are read; further ones are only named. */
export const MAX_ENTRIES = 5_000
/** Largest entry after unpacking. */
export const MAX_UNPACKED = 8 * 1024 * 1024
/** Largest end record: 22 bytes and a comment. */
const MAX_END = 22 + 0xffff
/** Names of 65,535 entries, which the format allows at most, with room to spare. */
const MAX_DIRECTORY = 16 * 1024 * 1024

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const STORED = 0
const DEFLATED = 8

/** Reasons why an entry is not read. */
export type ZipProblem = 'tooMany' | 'tooLarge' | 'unsupported' | 'damaged'

export interface ZipEntry {
  /** Only to be shown and compared: it is never a path. */
  readonly name: string
  /** Set if the entry is outside the bounds. */
  readonly problem: ZipProblem | null
  /** Unpacks the entry. Throws a `ZipError` if it is not what the directory says. */
  read(): Promise<Uint8Array<ArrayBuffer>>
}

export class ZipError extends Error {
  constructor(readonly problem: ZipProblem) {
    super(problem)
  }
}

/** Lists the entries of a ZIP file. Throws a `ZipError` if it is none. */
export async function readZip(file: Blob): Promise<ZipEntry[]> {
  const tail = await viewOf(file.slice(Math.max(0, file.size - MAX_END)))
  const end = findEnd(tail)
  const size = tail.getUint32(end + 12, true)
  const start = tail.getUint32(end + 16, true)
  if (size > MAX_DIRECTORY || start + size > file.size) throw new ZipError('damaged')
  const directory = await viewOf(file.slice(start, start + size))
  const entries: ZipEntry[] = []
  for (let offset = 0; offset < size; ) {
    if (offset + 46 > size || directory.getUint32(offset, true) !== ENTRY)
      throw new ZipError('damaged')
    const lengths = [28, 30, 32].map((field) => directory.getUint16(offset + field, true))
    const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths
    const next = offset + 46 + nameLength + extraLength + commentLength
    if (next > size) throw new ZipError('damaged')
    const name = utf8.decode(new Uint8Array(directory.buffer, offset + 46, nameLength))
    // A folder has no content.
    if (!name.endsWith('/')) entries.push(entryAt(file, directory, offset, name, entries.length))
    offset = next
  }
  return entries
}

const utf8 = new TextDecoder()

/** Finds the end record, from the end of the file on. */
function findEnd(tail: DataView): number {
  for (let index = tail.byteLength - 22; index >= 0; index--)
    if (tail.getUint32(index, true) === END) return index
  throw new ZipError('damaged')
}

function entryAt(
  file: Blob,
  directory: DataView,
  offset: number,
  name: string,
  index: number,
): ZipEntry {
  const isEncrypted = (directory.getUint16(offset + 8, true) & 1) === 1
  const method = directory.getUint16(offset + 10, true)
  const packed = directory.getUint32(offset + 20, true)
  const unpacked = directory.getUint32(offset + 24, true)
  const header = directory.getUint32(offset + 42, true)
  const problem =
    index >= MAX_ENTRIES
      ? 'tooMany'
      : isEncrypted || (method !== STORED && method !== DEFLATED)
        ? 'unsupported'
        : unpacked > MAX_UNPACKED
          ? 'tooLarge'
          : method === STORED && packed !== unpacked
            ? 'damaged'
            : null
  return {
    name,
    problem,
    async read() {
      if (problem) throw new ZipError(problem)
      const local = await viewOf(file.slice(header, header + 30))
      if (local.byteLength < 30 || local.getUint32(0, true) !== LOCAL) throw new ZipError('damaged')
      const start = header + 30 + local.getUint16(26, true) + local.getUint16(28, true)
      const bytes = file.slice(start, start + packed)
      if (bytes.size !== packed) throw new ZipError('damaged')
      return method === STORED
        ? new Uint8Array(await bytes.arrayBuffer())
        : inflate(bytes, unpacked)
    },
  }
}

/** Unpacks a stream, and stops as soon as it is longer than the directory says. */
async function inflate(packed: Blob, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const result = new Uint8Array(size)
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (length + value.byteLength > size) throw new ZipError('damaged')
      result.set(value, length)
      length += value.byteLength
    }
  } catch {
    throw new ZipError('damaged')
  } finally {
    reader.cancel().catch(() => {})
  }
  if (length !== size) throw new ZipError('damaged')
  return result
}

async function viewOf(part: Blob): Promise<DataView<ArrayBuffer>> {
  return new DataView(await part.arrayBuffer())
}
