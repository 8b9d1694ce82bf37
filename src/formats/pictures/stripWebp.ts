import { type Dimensions, uint24, webpFrameDimensions } from '../../model/pictures/pictureSize'
import { exifWith, orientationOf, UPRIGHT } from './orientation'
import { damaged, type PictureBytes } from './pictureBytes'

const HEADER_BYTES = 12
/** Type and size of a chunk. */
const FRAME_BYTES = 8
/** Place, size and duration of a frame of an animation, before its data. */
const ANIMATED_FRAME_BYTES = 16
const EXTENDED_BYTES = 10

/** Flags of the extended header that say which metadata follow. */
const EXIF_FLAG = 0x08
const XMP_FLAG = 0x04

/** Chunks that change how the picture is drawn. */
const kept: ReadonlySet<string> = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L'])

interface Chunk {
  readonly type: string
  readonly at: number
  /** Beginning and end of the data, without padding. */
  readonly from: number
  readonly to: number
  readonly end: number
}

/** Keeps what is drawn, and the orientation. What follows the end of the picture is dropped. */
export function stripWebp(picture: PictureBytes): Uint8Array<ArrayBuffer> {
  const size = picture.view.getUint32(4, true)
  if (size < 4) throw damaged()
  const chunks = chunksIn(picture, HEADER_BYTES, picture.endOf(8, size))
  const first = chunks.next().value
  if (!first) throw damaged()
  picture.keep(0, first.end)
  const flags = first.type === 'VP8X' ? stripExtended(picture, first, chunks) : null
  // A simple file has one frame, and nothing else that is read.
  if (flags === null) requireFrame(picture, first, null)
  const stripped = picture.build()
  const view = new DataView(stripped.buffer, stripped.byteOffset, stripped.byteLength)
  view.setUint32(4, stripped.byteLength - 8, true)
  if (flags !== null) view.setUint8(first.from, flags)
  return stripped
}

/** Keeps the chunks of an extended file. Returns its flags. */
function stripExtended(picture: PictureBytes, header: Chunk, chunks: Iterable<Chunk>): number {
  const { view, bytes } = picture
  if (header.to - header.from !== EXTENDED_BYTES) throw damaged()
  const width = uint24(view, header.from + 4) + 1
  const canvas = { width, height: uint24(view, header.from + 7) + 1 }
  let hasFrame = false
  let orientation = UPRIGHT
  for (const chunk of chunks) {
    const { type, at, from, to, end } = chunk
    if (type === 'VP8X') throw damaged()
    if (type === 'ANMF') requireAnimatedFrame(picture, chunk, canvas)
    if (isFrame(chunk)) requireFrame(picture, chunk, canvas)
    if (type === 'ANMF' || isFrame(chunk)) hasFrame = true
    if (kept.has(type)) picture.keep(at, end)
    else if (type === 'EXIF' && orientation === UPRIGHT) {
      orientation = orientationOf(bytes.subarray(from, to))
      if (orientation !== UPRIGHT) picture.add(exifChunk(orientation))
    }
  }
  if (!hasFrame) throw damaged()
  const flags = view.getUint8(header.from) & ~(EXIF_FLAG | XMP_FLAG)
  return orientation === UPRIGHT ? flags : flags | EXIF_FLAG
}

function* chunksIn(picture: PictureBytes, start: number, end: number): Generator<Chunk> {
  for (let at = start; at < end; ) {
    const from = at + FRAME_BYTES
    const to = picture.endOf(from, picture.view.getUint32(at + 4, true))
    const next = to + ((to - from) % 2)
    if (next > end) throw damaged()
    yield { type: picture.textAt(at, 4), at, from, to, end: next }
    at = next
  }
}

const isFrame = ({ type }: Chunk) => type === 'VP8 ' || type === 'VP8L'

/** Throws unless a frame of an animation is inside the canvas and has nothing but the picture. */
function requireAnimatedFrame(picture: PictureBytes, { from, end }: Chunk, canvas: Dimensions) {
  let hasFrame = false
  for (const chunk of chunksIn(picture, from + ANIMATED_FRAME_BYTES, end))
    if (isFrame(chunk)) {
      requireFrame(picture, chunk, canvas)
      hasFrame = true
    } else if (chunk.type !== 'ALPH') throw damaged()
  if (!hasFrame) throw damaged()
}

/** Throws unless a chunk is an encoded frame that is not larger than the canvas, if there is one. */
function requireFrame(
  { view }: PictureBytes,
  { type, from, to }: Chunk,
  canvas: Dimensions | null,
) {
  if (type !== 'VP8 ' && type !== 'VP8L') throw damaged()
  const isLossy = type === 'VP8 '
  if (to - from < (isLossy ? 10 : 5)) throw damaged()
  const isRight = isLossy
    ? view.getUint16(from + 3) === 0x9d01 && view.getUint8(from + 5) === 0x2a
    : view.getUint8(from) === 0x2f
  const { width, height } = webpFrameDimensions(view, from, type)
  if (!isRight || (canvas && (width > canvas.width || height > canvas.height))) throw damaged()
}

function exifChunk(orientation: number): Uint8Array {
  const exif = exifWith(orientation)
  const chunk = Buffer.alloc(FRAME_BYTES + exif.length)
  chunk.write('EXIF')
  chunk.writeUInt32LE(exif.length, 4)
  chunk.set(exif, FRAME_BYTES)
  return chunk
}
