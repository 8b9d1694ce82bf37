import type { Room } from '../../api/types'

/** Rooms of one category; null for those without one. */
export interface RoomCategory {
  readonly name: string | null
  readonly rooms: readonly Room[]
}

/** Groups rooms by category. Rooms and categories stay in the order of their positions. */
export function groupRooms(rooms: readonly Room[]): RoomCategory[] {
  const names = new Set(rooms.map(({ category }) => category))
  return [...names].map((name) => ({
    name,
    rooms: rooms.filter(({ category }) => category === name),
  }))
}
