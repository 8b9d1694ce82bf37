import { useState } from 'preact/hooks'
import { api } from '../../api/resources'
import { displayName } from '../../core/store'
import { useQuery } from '../../core/useQuery'
import { editStrings, journalStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Page, Skeleton } from '../../ui/page'
import { boardOf, boardOfRoom } from './board'
import { DeleteRoom } from './deleteRoom'
import { findMember, SYSTEM_BOARD } from './journal'
import { Posts } from './posts'
import { RoomSheet } from './roomSheet'

/** Board of a member, by UUID, or of the system. */
export function BoardPage({ board }: { board: string }) {
  const member = findMember(board)
  if (!member && board !== SYSTEM_BOARD)
    return (
      <Page title={journalStrings.noBoardByThatId}>
        <BackToChat />
      </Page>
    )
  const title = member ? journalStrings.boardOf(displayName(member)) : journalStrings.systemBoard
  return (
    <Page title={title} actions={<BackToChat />}>
      <Posts board={boardOf(board)} />
    </Page>
  )
}

export function RoomPage({ id }: { id: string }) {
  const { data: rooms, problem, reload } = useQuery(api.rooms.list, 'posts')
  const [isEditing, setEditing] = useState(false)
  const room = rooms?.find((room) => room.id === id)
  if (!rooms || !room)
    return (
      <Page title={rooms ? journalStrings.noRoomByThatId : strings.chat} actions={<BackToChat />}>
        {rooms ? null : problem === '' ? (
          <Skeleton blocks={['card']} />
        ) : (
          <LoadProblem text={problem} onRetry={reload} />
        )}
      </Page>
    )
  return (
    <Page title={room.name} actions={<BackToChat />}>
      {room.about !== null && (
        <div dir="auto">
          <Markdown text={room.about} />
        </div>
      )}
      <Posts board={boardOfRoom(id)} />
      <div class="row">
        <button type="button" onClick={() => setEditing(true)}>
          <Icon name="edit" />
          {journalStrings.editRoom}
        </button>
        <DeleteRoom room={room} />
      </div>
      {isEditing && (
        <RoomSheet room={room} rooms={rooms} onSaved={reload} onClose={() => setEditing(false)} />
      )}
    </Page>
  )
}

export function BackToChat() {
  return (
    <a class="beside" href="#/chat">
      <Icon name="back" />
      {editStrings.backTo(strings.chat)}
    </a>
  )
}
