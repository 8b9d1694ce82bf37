import { reason } from '../../model/core/reason'
import type { Reason } from '../../model/core/reasonMessages'
import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  type StrippedPicture,
} from '../../model/pictures/picture'
import type { PictureProblem } from './pictureBytes'
import { stripPicture } from './stripPicture'

/** Returns a picture of an import as it is stored, or the reason why it is not. */
export function importedPicture(bytes: Uint8Array): StrippedPicture | { readonly why: Reason } {
  if (bytes.byteLength > MAX_PICTURE_BYTES) return { why: TOO_LARGE }
  const stripped = stripPicture(bytes)
  return 'problem' in stripped ? { why: problems[stripped.problem] } : stripped
}

export const TOO_LARGE = reason('picture_too_large', { max: MAX_PICTURE_BYTES / 1024 })

const problems: Record<PictureProblem, Reason> = {
  unknownType: 'picture_unknown_type',
  damaged: 'picture_damaged',
  tooManyPixels: reason('picture_too_many_pixels', { max: MAX_PICTURE_SIDE }),
}
