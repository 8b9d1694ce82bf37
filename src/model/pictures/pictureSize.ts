import { pictureTypeOf } from './picture'

export interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Reads width and height from the header of a picture, without decoding it; null if unreadable. */
export function dimensionsOf(bytes: Uint8Array): Dimensions | null {
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

function webpDimensions(view: DataView): Dimensions | null {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((offset) => view.getUint8(offset)))
  if (kind === 'VP8X') return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  return kind === 'VP8 ' || kind === 'VP8L' ? webpFrameDimensions(view, 20, kind) : null
}

/** Reads a number of three bytes, the least first. */
export function uint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16)
}

/** Reads width and height of an encoded frame of a WebP. */
export function webpFrameDimensions(
  view: DataView,
  offset: number,
  kind: 'VP8 ' | 'VP8L',
): Dimensions {
  if (kind === 'VP8 ')
    return {
      width: view.getUint16(offset + 6, true) & 0x3fff,
      height: view.getUint16(offset + 8, true) & 0x3fff,
    }
  const bits = view.getUint32(offset + 1, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

/** Walks the segments of a JPEG up to the frame header. */
function jpegDimensions(view: DataView): Dimensions | null {
  for (let offset = 2; view.getUint8(offset) === 0xff; ) {
    const marker = view.getUint8(offset + 1)
    if (marker === 0xff) {
      offset++
      continue
    }
    if (isFrameMarker(marker))
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) }
    offset += 2 + view.getUint16(offset + 2)
  }
  return null
}

/** Checks for a frame header of a JPEG: C4, C8 and CC are none, all others from C0 to CF are. */
export function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}
