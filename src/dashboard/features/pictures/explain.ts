import { ApiError, errorMessage } from '../../api/client'
import { LIMIT_REACHED } from '../../core/errorText'
import { pictureStrings } from '../../texts/texts'

/** Explains why a picture was not stored. */
export function explainPicture(cause: unknown): string {
  if (!(cause instanceof ApiError)) return errorMessage(cause)
  if (cause.code === LIMIT_REACHED) return pictureStrings.isFull
  if (cause.message.includes('PUBLIC_URL')) return pictureStrings.noPublicUrl
  if (cause.status === 413 || /not a PNG|damaged|pixels/.test(cause.message))
    return pictureStrings.notPicture
  return errorMessage(cause)
}
