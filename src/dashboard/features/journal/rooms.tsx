import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { moveItem, useOrder } from '../../actions/useOrder'
import { api } from '../../api/resources'
import type { Room } from '../../api/types'
import { isOffline } from '../../core/store'
import { now } from '../../lib/clock'
import { formatAgo } from '../../lib/time'
import { journalStrings, listStrings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { MoveButtons } from '../../ui/moveButtons'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { NameForm } from '../members/createMember'
import { groupRooms, type RoomCategory } from './roomOrder'
import { RoomSheet } from './roomSheet'

interface Props {
  rooms: readonly Room[]
  onChanged: () => void
}

/** Rooms by category, with buttons to order them. */
export function Rooms({ rooms, onChanged }: Props) {
  const [isAdding, setAdding] = useState(false)
  const [isOrdering, setOrdering] = useState(false)
  const categories = groupRooms(rooms)
  return (
    <section class="part" aria-labelledby="rooms">
      <header class="heading">
        <h2 id="rooms">{journalStrings.rooms}</h2>
        <div class="row">
          {rooms.length > 1 && (
            <button
              type="button"
              class="plain"
              aria-pressed={isOrdering}
              onClick={() => setOrdering(!isOrdering)}
            >
              {isOrdering ? listStrings.done : journalStrings.order}
            </button>
          )}
          <button type="button" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {journalStrings.addRoom}
          </button>
        </div>
      </header>
      {rooms.length === 0 && <p class="quiet">{journalStrings.noRooms}</p>}
      {isOrdering ? (
        <OrderRooms rooms={rooms} onChanged={onChanged} />
      ) : (
        categories.map((category) => (
          <section key={category.name} class="card">
            {categories.length > 1 || category.name !== null ? (
              <h3>
                <bdi>{category.name ?? journalStrings.withoutCategory}</bdi>
              </h3>
            ) : null}
            <ul class="things">
              {category.rooms.map((room) => (
                <li key={room.id}>
                  <a class="about" href={`#/chat/room/${room.id}`}>
                    <b>
                      <bdi>{room.name}</bdi>
                    </b>
                    <br />
                    <span class="quiet small">{describeRoom(room)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
      {isAdding && (
        <RoomSheet room={null} rooms={rooms} onSaved={onChanged} onClose={() => setAdding(false)} />
      )}
    </section>
  )
}

function describeRoom({ last_written }: Room): string {
  const at = parseInstant(last_written ?? '')
  return at === null ? journalStrings.noPostsIn : journalStrings.lastPost(formatAgo(now.value - at))
}

function OrderRooms({ rooms, onChanged }: Props) {
  const { items, reorder, problem } = useOrder(rooms, api.rooms.order, onChanged)
  const categories = groupRooms(items)
  const [renaming, setRenaming] = useState<RoomCategory | null>(null)
  const move = (pressed: string, moved: readonly RoomCategory[] | null) => {
    if (moved === null || isOffline.value) return
    const ids = moved.flatMap((category) => category.rooms.map(({ id }) => id))
    reorder(ids, pressed)
  }
  const rename = async (category: RoomCategory, name: string) => {
    for (const room of category.rooms) await api.rooms.patch(room.id, { category: name })
    setRenaming(null)
    onChanged()
  }
  return (
    <>
      <ProblemText text={problem} />
      {categories.map((category, index) => (
        <section key={category.name} class="card">
          <header class="heading">
            <h3>
              <bdi>{category.name ?? journalStrings.withoutCategory}</bdi>
            </h3>
            <div class="row">
              {category.name !== null && (
                <button
                  type="button"
                  class="plain"
                  aria-label={journalStrings.renameNamed(category.name)}
                  onClick={() => setRenaming(category)}
                >
                  {journalStrings.rename}
                </button>
              )}
              {categories.length > 1 && (
                <MoveButtons
                  id={`category-${index}`}
                  name={category.name ?? journalStrings.withoutCategory}
                  isFirst={index === 0}
                  isLast={index === categories.length - 1}
                  onMove={(step, id) => move(id, moveItem(categories, index, step))}
                />
              )}
            </div>
          </header>
          <ul class="things">
            {category.rooms.map((room, place) => (
              <li key={room.id}>
                <bdi class="about">{room.name}</bdi>
                <MoveButtons
                  id={room.id}
                  name={room.name}
                  isFirst={place === 0}
                  isLast={place === category.rooms.length - 1}
                  onMove={(step, id) => {
                    const moved = moveItem(category.rooms, place, step)
                    move(id, moved && categories.with(index, { ...category, rooms: moved }))
                  }}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {renaming && (
        <Sheet
          heading={journalStrings.renameNamed(renaming.name ?? '')}
          onClose={() => setRenaming(null)}
        >
          <NameForm
            label={journalStrings.rename}
            initial={renaming.name ?? ''}
            onName={(name) => rename(renaming, name)}
          />
        </Sheet>
      )}
    </>
  )
}
