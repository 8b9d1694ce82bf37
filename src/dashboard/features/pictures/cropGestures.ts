import { useRef } from 'preact/hooks'
import { type Crop, moveCrop, type Point, zoomCrop } from './crop'

type Gesture = PointerEvent & { readonly currentTarget: HTMLCanvasElement }

/** Zoom of one step of a mouse wheel, which is 100 pixels in most browsers. */
const WHEEL_PIXELS = 500

/** Handlers that move the picture by dragging, and enlarge it by two fingers or the wheel. */
export function useCropGestures(
  picture: ImageBitmap,
  change: (next: (crop: Crop) => Crop) => void,
) {
  /** Fingers on the picture, or the mouse, by the ID of the pointer. */
  const pointers = useRef(new Map<number, Point>())
  const end = ({ pointerId }: PointerEvent) => pointers.current.delete(pointerId)
  return {
    onPointerDown(event: Gesture) {
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, pointIn(event))
    },
    onPointerMove(event: Gesture) {
      const before = pointers.current.get(event.pointerId)
      if (!before) return
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId)
      const point = pointIn(event)
      pointers.current.set(event.pointerId, point)
      const [, other] = others[0] ?? []
      // Each of two fingers moves the picture by half of its own way.
      const share = other ? 0.5 : 1
      const by = { x: (point.x - before.x) * share, y: (point.y - before.y) * share }
      change((crop) => {
        const moved = moveCrop(picture, crop, by)
        if (!other) return moved
        const times = distance(point, other) / (distance(before, other) || 1)
        return zoomCrop(picture, moved, times, middle(point, other))
      })
    },
    onPointerUp: end,
    onPointerCancel: end,
    onWheel(event: WheelEvent & { readonly currentTarget: HTMLCanvasElement }) {
      event.preventDefault()
      const at = pointIn(event)
      const times = Math.exp(-event.deltaY / WHEEL_PIXELS)
      change((crop) => zoomCrop(picture, crop, times, at))
    },
  }
}

/** Returns where in the canvas an event is, from 0 to 1. */
function pointIn(event: MouseEvent & { readonly currentTarget: HTMLCanvasElement }): Point {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
  return { x: (event.clientX - left) / width, y: (event.clientY - top) / height }
}

function distance(point: Point, other: Point): number {
  return Math.hypot(point.x - other.x, point.y - other.y)
}

function middle(point: Point, other: Point): Point {
  return { x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 }
}
