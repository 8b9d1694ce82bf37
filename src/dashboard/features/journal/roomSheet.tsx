import { room as table } from '../../../model/journal/room'
import { api } from '../../api/resources'
import type { Room } from '../../api/types'
import { journalStrings, strings } from '../../texts/texts'
import { AreaField } from '../../ui/form/fields'
import { FormSheet, useSheetForm } from '../../ui/form/sheetForm'
import { TextField } from '../../ui/form/textField'
import { explain } from './journal'

interface Props {
  /** Null for a new one. */
  room: Room | null
  /** All rooms, whose categories are suggested. */
  rooms: readonly Room[]
  onSaved: () => void
  onClose: () => void
}

export function RoomSheet({ room, rooms, onSaved, onClose }: Props) {
  const { name = '', about, category } = room ?? {}
  const form = useSheetForm({
    id: 'room',
    entity: table,
    row: room,
    resource: api.rooms,
    values: { name, about: about ?? '', category: category ?? '' },
    explain,
    onDone() {
      onClose()
      onSaved()
    },
  })
  const categories = new Set(rooms.flatMap((other) => other.category ?? []))
  return (
    <FormSheet
      form={form}
      heading={room ? journalStrings.editRoom : journalStrings.addRoom}
      onClose={onClose}
    >
      <TextField {...form.field('name')} label={strings.name} />
      <AreaField {...form.field('about')} label={journalStrings.roomAbout} rows={2} />
      <TextField
        {...form.field('category')}
        label={journalStrings.category}
        hint={journalStrings.categoryMore}
        input={{ list: 'room-categories' }}
      >
        <datalist id="room-categories">
          {[...categories].map((title) => (
            <option key={title} value={title} />
          ))}
        </datalist>
      </TextField>
    </FormSheet>
  )
}
