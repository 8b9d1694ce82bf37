import { dimensionsOf } from '../../../model/pictures/pictureSize'
import { type Crop, cropSquare } from './crop'
import { isDecodable } from './isDecodable'

/** Width and height of what is sent. */
export const SIDE = 512

/** Decodes a picture; null if it is none, or larger than the page decodes. */
export async function decodePicture(bytes: Uint8Array<ArrayBuffer>): Promise<ImageBitmap | null> {
  if (!isDecodable(dimensionsOf(bytes))) return null
  try {
    return await createImageBitmap(new Blob([bytes]))
  } catch {
    return null
  }
}

/** Draws the cropped picture onto a canvas, whose size it fills. */
export function drawCropped(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const { left, top, side } = cropSquare(picture, crop)
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height)
}

/** Encodes the cropped picture as WebP, or as JPEG in browsers that cannot encode WebP. */
export async function encodePicture(picture: ImageBitmap, crop: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = SIDE
  canvas.height = SIDE
  drawCropped(canvas, picture, crop)
  const encoded = (await toBlob(canvas, 'image/webp')) ?? (await toBlob(canvas, 'image/jpeg'))
  if (!encoded) throw new Error('the canvas cannot be encoded')
  return encoded
}

/** Browsers return a PNG for a type that they cannot encode. */
function toBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob?.type === type ? blob : null), type, 0.85),
  )
}
