import type { Dimensions } from '../../../model/pictures/pictureSize'

/** Largest width and height that the page decodes: a small file may hold a picture of gigabytes. */
const MAX_SIDE = 8_192

export function isDecodable(size: Dimensions | null): boolean {
  if (!size) return false
  const { width, height } = size
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE
}
