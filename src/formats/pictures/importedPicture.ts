import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  type StrippedPicture,
} from '../../model/pictures/picture'
import type { PictureProblem } from './pictureBytes'
import { stripPicture } from './stripPicture'

/** Returns a picture of an import as it is stored, or the reason why it is not. */
export function importedPicture(bytes: Uint8Array): StrippedPicture | { readonly why: string } {
  if (bytes.byteLength > MAX_PICTURE_BYTES) return { why: TOO_LARGE }
  const stripped = stripPicture(bytes)
  return 'problem' in stripped ? { why: problems[stripped.problem] } : stripped
}

export const TOO_LARGE = 'the picture is larger than 512 KiB'

const problems: Record<PictureProblem, string> = {
  unknownType: 'the picture is no PNG, JPEG, WebP or GIF',
  damaged: 'the picture is damaged',
  tooManyPixels: `the picture has more than ${MAX_PICTURE_SIDE} pixels a side`,
}
