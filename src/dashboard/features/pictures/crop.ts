/** Part of a picture that is shown: enlargement, and position from 0 (left, top) to 1. */
export interface Crop {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Point or distance in the shown square, whose sides are 1. */
export interface Point {
  readonly x: number
  readonly y: number
}

export const MAX_ZOOM = 5

export const centered: Crop = { zoom: 1, x: 0.5, y: 0.5 }

/** Square part of a picture that a crop shows. */
export function cropSquare(
  { width, height }: Size,
  { zoom, x, y }: Crop,
): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / zoom
  return { left: (width - side) * x, top: (height - side) * y, side }
}

/** Moves the picture in the shown square, as far as its edges. */
export function moveCrop(size: Size, crop: Crop, by: Point): Crop {
  const { left, top, side } = cropSquare(size, crop)
  return {
    zoom: crop.zoom,
    x: positionOf(left - by.x * side, size.width - side, crop.x),
    y: positionOf(top - by.y * side, size.height - side, crop.y),
  }
}

/** Enlarges the picture; what is at the point stays there, unless an edge would be passed. */
export function zoomCrop(size: Size, crop: Crop, times: number, at: Point): Crop {
  const zoom = clamp(crop.zoom * times, 1, MAX_ZOOM)
  const before = cropSquare(size, crop)
  const { side } = cropSquare(size, { ...crop, zoom })
  const moved = before.side - side
  return {
    zoom,
    x: positionOf(before.left + at.x * moved, size.width - side, crop.x),
    y: positionOf(before.top + at.y * moved, size.height - side, crop.y),
  }
}

/** Returns the position from 0 to 1; the present one if the picture cannot be moved. */
function positionOf(offset: number, room: number, present: number): number {
  return room > 0 ? clamp(offset / room, 0, 1) : present
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
