import { deflateRawSync } from 'node:zlib'

/** A file of the archive. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array
}

const VERSION = 20
const DEFLATED = 8
const UTF8_NAMES = 0x0800
/** The first of January 1980, so that the same files always give the same archive. */
const OLDEST_DAY = 0x21

/** Builds a ZIP archive, the only format that every Windows can open. */
export function zip(files: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = []
  const entries: Uint8Array[] = []
  let offset = 0
  for (const { name, content } of files) {
    const path = new TextEncoder().encode(name)
    const packed = deflateRawSync(content, { level: 9 })
    const common = [
      ...[u16(VERSION), u16(UTF8_NAMES), u16(DEFLATED), u16(0), u16(OLDEST_DAY)],
      ...[u32(Bun.hash.crc32(content)), u32(packed.length), u32(content.length)],
      ...[u16(path.length), u16(0)],
    ]
    const local = Buffer.concat([u32(0x04034b50), ...common, path, packed])
    const rest = [u16(0), u16(0), u16(0), u32(0), u32(offset)]
    entries.push(Buffer.concat([u32(0x02014b50), u16(VERSION), ...common, ...rest, path]))
    parts.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const count = u16(files.length)
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(directory.length), u32(offset)]
  return Buffer.concat([...parts, directory, ...end, u16(0)])
}

function u16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
