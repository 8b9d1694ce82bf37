import type { PictureProblem } from '../../formats/pictures/pictureBytes'
import { stripPicture } from '../../formats/pictures/stripPicture'
import { error } from '../../model/core/errors'
import { MAX_PICTURE_SIDE, type StrippedPicture } from '../../model/pictures/picture'
import type { Deps } from '../core/deps'

/** Throws if the server does not know the address that pictures are read from. */
export function requirePublicUrl({ publicUrl }: Pick<Deps, 'publicUrl'>): void {
  if (publicUrl === '') throw error('badRequest', 'the server has no PUBLIC_URL')
}

const problems: Record<PictureProblem, string> = {
  unknownType: 'not a PNG, JPEG, WebP or GIF',
  damaged: 'the picture is damaged',
  tooManyPixels: `more than ${MAX_PICTURE_SIDE} pixels a side`,
}

/** Returns an uploaded picture as it is stored, or throws the reason why it is not. */
export function requirePicture(bytes: Uint8Array): StrippedPicture {
  const stripped = stripPicture(bytes)
  if ('problem' in stripped) throw error('badRequest', problems[stripped.problem])
  return stripped
}
