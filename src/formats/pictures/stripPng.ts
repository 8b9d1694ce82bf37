import { exifWith, orientationOf, UPRIGHT } from './orientation'
import { damaged, type PictureBytes } from './pictureBytes'

const SIGNATURE_BYTES = 8
/** Bytes of a chunk beside its data: size, type and checksum. */
const FRAME_BYTES = 12
const HEADER_BYTES = 13

/** Chunks that change how the picture is drawn. All others may be left out by the format. */
const kept: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'],
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT', 'bKGD', 'pHYs'],
])

/** Keeps what is drawn, and the orientation. What follows the end of the picture is dropped. */
export function stripPng(picture: PictureBytes): Uint8Array<ArrayBuffer> {
  const { view } = picture
  let hasData = false
  let orientation = UPRIGHT
  picture.keep(0, SIGNATURE_BYTES)
  for (let offset = SIGNATURE_BYTES; ; ) {
    const size = view.getUint32(offset)
    const type = picture.textAt(offset + 4, 4)
    const end = picture.endOf(offset, size + FRAME_BYTES)
    const isHeader = type === 'IHDR'
    if (isHeader !== (offset === SIGNATURE_BYTES) || (isHeader && size !== HEADER_BYTES))
      throw damaged()
    if (kept.has(type)) picture.keep(offset, end)
    else if (isNeeded(type)) throw damaged()
    else if (type === 'eXIf' && orientation === UPRIGHT) {
      orientation = orientationOf(picture.bytes.subarray(offset + 8, end - 4))
      if (orientation !== UPRIGHT) picture.add(exifChunk(orientation))
    }
    if (type === 'IDAT') hasData = true
    if (type === 'IEND') {
      if (!hasData) throw damaged()
      return picture.build()
    }
    offset = end
  }
}

/** Checks for a chunk without which the picture cannot be drawn: its type begins in upper case. */
function isNeeded(type: string): boolean {
  return !/^[a-z][A-Za-z]{3}$/.test(type)
}

function exifChunk(orientation: number): Uint8Array {
  const exif = exifWith(orientation)
  const chunk = Buffer.alloc(exif.length + FRAME_BYTES)
  chunk.writeUInt32BE(exif.length)
  chunk.write('eXIf', 4)
  chunk.set(exif, 8)
  chunk.writeUInt32BE(checksum(chunk.subarray(4, 8 + exif.length)), 8 + exif.length)
  return chunk
}

/** Returns the CRC-32 of bytes, as PNG has it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
