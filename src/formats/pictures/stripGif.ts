import { MAX_PICTURE_SIDE } from '../../model/pictures/picture'
import { damaged, type PictureBytes, RefusedPicture } from './pictureBytes'

const HEADER_BYTES = 13
const FRAME_BYTES = 10

const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b

const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff

/** Application extensions that change how the picture is drawn: repetition and colours. */
const kept: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])
const APPLICATION_BYTES = 11

/** Keeps what is drawn. What follows the end of the picture is dropped. */
export function stripGif(picture: PictureBytes): Uint8Array<ArrayBuffer> {
  const { view } = picture
  let hasFrame = false
  let at = picture.endOf(0, HEADER_BYTES) + coloursAt(view, HEADER_BYTES - 3)
  picture.keep(0, picture.endOf(at, 0))
  for (;;) {
    const start = at
    const kind = view.getUint8(at)
    if (kind === TRAILER) {
      if (!hasFrame) throw damaged()
      picture.keep(at, at + 1)
      return picture.build()
    }
    if (kind === FRAME) {
      hasFrame = true
      requireSmall(view, at + 1)
      // After the colours of the frame comes the size of its codes.
      at = endOfBlocks(view, at + FRAME_BYTES + coloursAt(view, at + FRAME_BYTES - 1) + 1)
      picture.keep(start, picture.endOf(at, 0))
    } else if (kind === EXTENSION) {
      at = endOfBlocks(view, at + 2)
      if (isKept(picture, start)) picture.keep(start, picture.endOf(at, 0))
    } else throw damaged()
  }
}

/** Returns the size of the table of colours that flags announce. */
function coloursAt(view: DataView, flags: number): number {
  const value = view.getUint8(flags)
  return value & 0x80 ? 3 * 2 ** ((value & 0x07) + 1) : 0
}

/** Browsers may enlarge the picture to its first frame. */
function requireSmall(view: DataView, at: number): void {
  const [left, top, width, height] = [0, 2, 4, 6].map((more) => view.getUint16(at + more, true))
  const sides = [Number(left) + Number(width), Number(top) + Number(height)]
  if (Math.max(...sides) > MAX_PICTURE_SIDE) throw new RefusedPicture('tooManyPixels')
}

/** Returns the end of a list of blocks, each of which begins with its size; an empty one is last. */
function endOfBlocks(view: DataView, start: number): number {
  let at = start
  for (let size = view.getUint8(at); size > 0; size = view.getUint8(at)) at += size + 1
  return at + 1
}

function isKept(picture: PictureBytes, at: number): boolean {
  const label = picture.view.getUint8(at + 1)
  if (label !== APPLICATION) return label === GRAPHIC_CONTROL
  const isNamed = picture.view.getUint8(at + 2) === APPLICATION_BYTES
  return isNamed && kept.has(picture.textAt(at + 3, APPLICATION_BYTES))
}
