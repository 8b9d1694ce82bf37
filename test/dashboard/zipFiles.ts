import { crc32, deflateRawSync } from 'node:zlib'

/** Entry of a ZIP file that a test writes; the last keys lie about it. */
export interface WrittenEntry {
  readonly name: string
  readonly bytes: Uint8Array
  readonly isStored?: boolean
  readonly method?: number
  readonly isEncrypted?: boolean
  readonly statedSize?: number
}

/** Writes a ZIP file. */
export function zipOf(entries: readonly WrittenEntry[], comment = ''): Uint8Array<ArrayBuffer> {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, isStored, method, isEncrypted, statedSize } of entries) {
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const title = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(isEncrypted ? 1 : 0, 2)
    common.writeUInt16LE(method ?? (isStored ? 0 : 8), 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(statedSize ?? bytes.length, 18)
    common.writeUInt16LE(title.length, 22)
    files.push(Buffer.from('PK\x03\x04'), common, title, Buffer.from(packed))
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), common, rest, title)
    offset += 30 + title.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 4)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  end.writeUInt16LE(comment.length, 16)
  const parts = [...files, listed, Buffer.from('PK\x05\x06'), end, Buffer.from(comment)]
  return Uint8Array.from(Buffer.concat(parts))
}
