/** Part of a picture that is shown: enlargement, and position from 0 (left, top) to 1. */
export interface Crop {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

export const centered: Crop = { zoom: 1, x: 0.5, y: 0.5 }

/** Square part of a picture that a crop shows. */
export function cropSquare(
  { width, height }: { width: number; height: number },
  { zoom, x, y }: Crop,
): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / zoom
  return { left: (width - side) * x, top: (height - side) * y, side }
}
