import { useState } from 'preact/hooks'
import { room as table } from '../../../model/journal/room'
import { api } from '../../api/resources'
import type { Room } from '../../api/types'
import { showToast } from '../../core/actions'
import { useAction } from '../../core/useAction'
import { journalStrings, strings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { explain, findProblems } from './journal'

interface Props {
  /** Null for a new one. */
  room: Room | null
  /** All rooms, whose categories are suggested. */
  rooms: readonly Room[]
  onSaved: () => void
  onClose: () => void
}

/** Creates or edits a room. */
export function RoomSheet({ room, rooms, onSaved, onClose }: Props) {
  const [opened] = useState({
    name: room?.name ?? '',
    about: room?.about ?? '',
    category: room?.category ?? '',
  })
  const [values, setValues] = useState(opened)
  const [wasTried, setTried] = useState(false)
  const { onSubmit, problem, isBusy } = useAction({ explain })
  const { name, about, category } = values
  const problems: Record<string, string> = {
    ...findProblems(table, values),
    ...(name.trim() === '' && { name: strings.enterName }),
  }
  const shown = (key: string) => (wasTried ? (problems[key] ?? '') : '')
  const change = (patch: Partial<typeof values>) => setValues({ ...values, ...patch })
  const save = async () => {
    setTried(true)
    if (Object.keys(problems).length > 0) return
    const body = {
      name: name.trim(),
      about: about.trim() === '' ? null : about,
      category: category.trim() === '' ? null : category.trim(),
    }
    if (room) await api.rooms.patch(room.id, body)
    else await api.rooms.create(body)
    showToast({ text: room ? strings.isSaved : strings.isAdded(body.name) })
    onClose()
    onSaved()
  }
  const categories = new Set(rooms.flatMap((one) => one.category ?? []))
  return (
    <Sheet
      heading={room ? journalStrings.editRoom : journalStrings.addRoom}
      isChanged={JSON.stringify(values) !== JSON.stringify(opened)}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        <label class="field">
          {strings.name}
          <input
            value={name}
            dir="auto"
            autocomplete="off"
            aria-invalid={shown('name') !== ''}
            aria-describedby="room-name-problem"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <ProblemText id="room-name-problem" text={shown('name')} />
        <label class="field">
          {journalStrings.roomAbout}
          <textarea
            rows={2}
            value={about}
            dir="auto"
            aria-invalid={shown('about') !== ''}
            aria-describedby="room-about-problem"
            onInput={(event) => change({ about: event.currentTarget.value })}
          />
        </label>
        <ProblemText id="room-about-problem" text={shown('about')} />
        <div class="field">
          <label for="room-category">{journalStrings.category}</label>
          <input
            id="room-category"
            list="room-categories"
            value={category}
            dir="auto"
            autocomplete="off"
            aria-invalid={shown('category') !== ''}
            aria-describedby="room-category-more room-category-problem"
            onInput={(event) => change({ category: event.currentTarget.value })}
          />
          <datalist id="room-categories">
            {[...categories].map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <p id="room-category-more" class="quiet small">
            {journalStrings.categoryMore}
          </p>
          <ProblemText id="room-category-problem" text={shown('category')} />
        </div>
        <SaveButtons isNew={!room} isBusy={isBusy} problem={problem} />
      </form>
    </Sheet>
  )
}
