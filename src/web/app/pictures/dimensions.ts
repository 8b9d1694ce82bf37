import { pictureTypeOf } from '../../../model/ext/picture'

/** Largest width and height that the page decodes: a small file may hold a picture of gigabytes. */
export const MAX_SIDE = 8_192

export interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Reads width and height from the header of a picture, without decoding it; null if unreadable. */
export function dimensionsOf(bytes: Uint8Array<ArrayBuffer>): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    switch (pictureTypeOf(bytes)) {
      case 'png':
        return { width: view.getUint32(16), height: view.getUint32(20) }
      case 'gif':
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
      case 'webp':
        return webpDimensions(view)
      case 'jpg':
        return jpegDimensions(view)
      default:
        return null
    }
  } catch (cause) {
    // The file ends inside its header.
    if (cause instanceof RangeError) return null
    throw cause
  }
}

export function isDecodable(size: Dimensions | null): boolean {
  if (!size) return false
  const { width, height } = size
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE
}

function webpDimensions(view: DataView): Dimensions | null {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  if (kind === 'VP8X') return { width: uint24(24) + 1, height: uint24(27) + 1 }
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind !== 'VP8L') return null
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

/** Walks the segments of a JPEG up to the frame header. */
function jpegDimensions(view: DataView): Dimensions | null {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    // C4, C8 and CC are tables; all others from C0 to CF are frame headers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + view.getUint16(at + 2)
  }
  return null
}
