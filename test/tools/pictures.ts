import { crc32, deflateSync } from 'node:zlib'

/** Smallest GIF, of one pixel, whose bytes are the same in UTF-8. */
export const GIF_TEXT = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'

/** Pictures of one pixel, without anything that was written about them. */
export const smallPictures = {
  png: pngOf({ width: 1, height: 1 }),
  jpg: fromBase64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
  ),
  webp: fromBase64('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='),
  gif: bytesOf(GIF_TEXT),
} as const

interface PngParts {
  width: number
  height: number
  /** Chunks before and after the data. */
  before?: readonly Uint8Array[]
  after?: readonly Uint8Array[]
}

/** Returns a PNG of one colour. */
export function pngOf({ width, height, before = [], after = [] }: PngParts) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  // Only tests of dimensions have more than a pixel, and decode nothing.
  const data = deflateSync(Buffer.alloc(4))
  return joined([
    bytesOf('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', data),
    ...after,
    pngChunk('IEND', new Uint8Array()),
  ])
}

export function pngChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = joined([bytesOf(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return joined([frame.subarray(0, 4), body, frame.subarray(4)])
}

const GIF_BYTES_WITHOUT_DATA = 26
const LARGEST_BLOCK = 255

/** Returns a GIF of a number of bytes. */
export function gifOfSize(size: number): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = []
  for (let left = size - GIF_BYTES_WITHOUT_DATA; left > 0; ) {
    // A block has at least one byte after its size.
    const most = left === LARGEST_BLOCK + 2 ? LARGEST_BLOCK - 1 : LARGEST_BLOCK
    const length = Math.min(most, left - 1)
    blocks.push(Uint8Array.of(length, ...new Uint8Array(length)))
    left -= length + 1
  }
  return gifOf(blocks)
}

/** Returns a GIF whose pixels are these blocks of data. */
export function gifOf(blocks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const start = GIF_TEXT.length - 5
  return joined([bytesOf(GIF_TEXT.slice(0, start)), ...blocks, bytesOf('\0;')])
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64'))
}
