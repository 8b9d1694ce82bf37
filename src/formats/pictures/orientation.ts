/** Orientation of a picture that is shown as it is stored. */
export const UPRIGHT = 1

const LAST_ORIENTATION = 8
const ORIENTATION_TAG = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12
const HEADER_BYTES = 8

/** Returns the orientation in Exif data; `UPRIGHT` if none can be read. */
export function orientationOf(exif: Uint8Array): number {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength)
  try {
    const order = view.getUint16(0)
    const isLittle = order === 0x4949
    if (!isLittle && order !== 0x4d4d) return UPRIGHT
    if (view.getUint16(2, isLittle) !== 42) return UPRIGHT
    const directory = view.getUint32(4, isLittle)
    const end = directory + 2 + view.getUint16(directory, isLittle) * ENTRY_BYTES
    // A directory ends with the address of the next one; what is stored is no longer than this.
    view.getUint32(end)
    for (let offset = directory + 2; offset < end; offset += ENTRY_BYTES) {
      if (view.getUint16(offset, isLittle) !== ORIENTATION_TAG) continue
      const isOne = view.getUint32(offset + 4, isLittle) === 1
      const value = view.getUint16(offset + 8, isLittle)
      const isKnown = value > UPRIGHT && value <= LAST_ORIENTATION
      return isOne && view.getUint16(offset + 2, isLittle) === SHORT && isKnown ? value : UPRIGHT
    }
    return UPRIGHT
  } catch (cause) {
    // The data end early.
    if (cause instanceof RangeError) return UPRIGHT
    throw cause
  }
}

/** Returns Exif data that have an orientation and nothing else. */
export function exifWith(orientation: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + 2 + ENTRY_BYTES + 4))
  view.setUint16(0, 0x4d4d)
  view.setUint16(2, 42)
  view.setUint32(4, HEADER_BYTES)
  view.setUint16(HEADER_BYTES, 1)
  view.setUint16(HEADER_BYTES + 2, ORIENTATION_TAG)
  view.setUint16(HEADER_BYTES + 4, SHORT)
  view.setUint32(HEADER_BYTES + 6, 1)
  view.setUint16(HEADER_BYTES + 10, orientation)
  return new Uint8Array(view.buffer)
}
