import {
  MAX_PICTURE_SIDE,
  type PictureType,
  pictureTypeOf,
  type StrippedPicture,
} from '../../model/pictures/picture'
import { dimensionsOf } from '../../model/pictures/pictureSize'
import { PictureBytes, type PictureProblem, RefusedPicture } from './pictureBytes'
import { stripGif } from './stripGif'
import { stripJpeg } from './stripJpeg'
import { stripPng } from './stripPng'
import { stripWebp } from './stripWebp'

const strip: Record<PictureType, (picture: PictureBytes) => Uint8Array<ArrayBuffer>> = {
  jpg: stripJpeg,
  png: stripPng,
  webp: stripWebp,
  gif: stripGif,
}

/**
 * Removes everything but the picture and its orientation: Exif, with places and devices, XMP, texts
 * and comments. The picture is not decoded. Returns the reason if it cannot be stored.
 */
export function stripPicture(bytes: Uint8Array): StrippedPicture | { problem: PictureProblem } {
  const type = pictureTypeOf(bytes)
  if (type === null) return { problem: 'unknownType' }
  const picture = new PictureBytes(bytes)
  try {
    const stripped = strip[type](picture)
    const { width = 0, height = 0 } = dimensionsOf(stripped) ?? {}
    if (Math.min(width, height) === 0) return { problem: 'damaged' }
    if (Math.max(width, height) > MAX_PICTURE_SIDE) return { problem: 'tooManyPixels' }
    return { type, bytes: stripped }
  } catch (cause) {
    if (cause instanceof RefusedPicture) return { problem: cause.problem }
    // The file ends inside a part.
    if (cause instanceof RangeError) return { problem: 'damaged' }
    throw cause
  }
}
