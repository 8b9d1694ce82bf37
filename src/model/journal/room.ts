import { type Draft, entity, type Patch, type Row } from '../core/entity'
import { count, required, text } from '../core/field'

export const room = entity('room', {
  name: required({ max: 100, doc: 'Name', example: 'General' }),
  about: text({ max: 2_000, doc: 'What the room is for' }),
  category: text({ max: 100, doc: 'Heading under which the room is listed' }),
  position: count(0, { doc: 'Position in the list' }),
})

export type Room = Row<typeof room>
export type RoomDraft = Draft<typeof room>
export type RoomPatch = Patch<typeof room>
