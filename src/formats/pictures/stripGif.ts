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
  let offset = picture.endOf(0, HEADER_BYTES) + coloursAt(view, HEADER_BYTES - 3)
  picture.keep(0, picture.endOf(offset, 0))
  for (;;) {
    const start = offset
    const kind = view.getUint8(offset)
    if (kind === TRAILER) {
      if (!hasFrame) throw damaged()
      picture.keep(offset, offset + 1)
      return picture.build()
    }
    if (kind === FRAME) {
      hasFrame = true
      requireSmall(view, offset + 1)
      // After the colours of the frame comes the size of its codes.
      offset = endOfBlocks(
        view,
        offset + FRAME_BYTES + coloursAt(view, offset + FRAME_BYTES - 1) + 1,
      )
      picture.keep(start, picture.endOf(offset, 0))
    } else if (kind === EXTENSION) {
      offset = endOfBlocks(view, offset + 2)
      if (isKept(picture, start)) picture.keep(start, picture.endOf(offset, 0))
    } else throw damaged()
  }
}

/** Returns the size of the table of colours that flags announce. */
function coloursAt(view: DataView, flags: number): number {
  const value = view.getUint8(flags)
  return value & 0x80 ? 3 * 2 ** ((value & 0x07) + 1) : 0
}

/** Browsers may enlarge the picture to its first frame. */
function requireSmall(view: DataView, offset: number): void {
  const [left, top, width, height] = [0, 2, 4, 6].map((more) => view.getUint16(offset + more, true))
  const sides = [Number(left) + Number(width), Number(top) + Number(height)]
  if (Math.max(...sides) > MAX_PICTURE_SIDE) throw new RefusedPicture('tooManyPixels')
}

/** Returns the end of a list of blocks, each of which begins with its size; an empty one is last. */
function endOfBlocks(view: DataView, start: number): number {
  let offset = start
  for (let size = view.getUint8(offset); size > 0; size = view.getUint8(offset)) offset += size + 1
  return offset + 1
}

function isKept(picture: PictureBytes, offset: number): boolean {
  const label = picture.view.getUint8(offset + 1)
  if (label !== APPLICATION) return label === GRAPHIC_CONTROL
  const isNamed = picture.view.getUint8(offset + 2) === APPLICATION_BYTES
  return isNamed && kept.has(picture.textAt(offset + 3, APPLICATION_BYTES))
}
