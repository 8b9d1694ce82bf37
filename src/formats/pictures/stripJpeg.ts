import { isFrameMarker } from '../../model/pictures/pictureSize'
import { exifWith, orientationOf, UPRIGHT } from './orientation'
import { damaged, type PictureBytes } from './pictureBytes'

const FILL = 0xff
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APP1 = 0xe1

/** Segments that decoding needs: tables of arithmetic and Huffman codes, quantization and intervals. */
const tables = [0xcc, 0xc4, 0xdb, 0xdd, 0xdc]

/** Application segments that change how the picture is drawn, by the beginning of their data. */
const kept: readonly [marker: number, begins: string][] = [
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]

const EXIF = 'Exif\0\0'

/** Keeps what is drawn, and the orientation. What follows the end of the picture is dropped. */
export function stripJpeg(picture: PictureBytes): Uint8Array<ArrayBuffer> {
  const { view } = picture
  let hasFrame = false
  let hasScan = false
  let orientation = UPRIGHT
  picture.keep(0, 2)
  for (let offset = 2; ; ) {
    if (view.getUint8(offset) !== 0xff) throw damaged()
    const marker = view.getUint8(offset + 1)
    if (marker === FILL) {
      offset++
      continue
    }
    if (marker === END_OF_IMAGE) {
      if (!hasScan) throw damaged()
      picture.keep(offset, offset + 2)
      return picture.build()
    }
    const size = view.getUint16(offset + 2)
    if (size < 2) throw damaged()
    let end = picture.endOf(offset + 2, size)
    if (isFrameMarker(marker)) {
      // The dimensions are those of the first frame.
      if (hasFrame) throw damaged()
      hasFrame = true
      picture.keep(offset, end)
    } else if (marker === START_OF_SCAN) {
      if (!hasFrame) throw damaged()
      hasScan = true
      end = endOfScan(picture, end)
      picture.keep(offset, end)
    } else if (tables.includes(marker) || isKept(picture, marker, offset + 4, end)) {
      picture.keep(offset, end)
    } else if (marker === APP1) {
      if (orientation === UPRIGHT && begins(picture, offset + 4, end, EXIF)) {
        orientation = orientationOf(picture.bytes.subarray(offset + 4 + EXIF.length, end))
        if (orientation !== UPRIGHT) picture.add(exifSegment(orientation))
      }
    } else if (!isMetadata(marker)) throw damaged()
    offset = end
  }
}

/** Returns the place of the first marker after the data of a scan. */
function endOfScan({ bytes, view }: PictureBytes, start: number): number {
  for (let offset = bytes.indexOf(0xff, start); offset >= 0; offset = bytes.indexOf(0xff, offset)) {
    const next = view.getUint8(offset + 1)
    const isRestart = next >= 0xd0 && next <= 0xd7
    if (next === 0 || isRestart) offset += 2
    else if (next === FILL) offset++
    else return offset
  }
  throw damaged()
}

function isKept(picture: PictureBytes, marker: number, from: number, end: number): boolean {
  return kept.some(
    ([keptMarker, text]) => keptMarker === marker && begins(picture, from, end, text),
  )
}

/** Checks for a comment or application data. */
function isMetadata(marker: number): boolean {
  return marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)
}

function begins(picture: PictureBytes, from: number, end: number, text: string): boolean {
  return from + text.length <= end && picture.textAt(from, text.length) === text
}

function exifSegment(orientation: number): Uint8Array {
  const exif = exifWith(orientation)
  const size = 2 + EXIF.length + exif.length
  return Buffer.concat([Uint8Array.of(0xff, APP1, size >> 8, size & 0xff), Buffer.from(EXIF), exif])
}
