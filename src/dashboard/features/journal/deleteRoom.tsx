import { useEffect, useState } from 'preact/hooks'
import { request } from '../../api/client'
import { api } from '../../api/resources'
import type { Room } from '../../api/types'
import { showToast } from '../../core/actions'
import { goTo } from '../../core/route'
import { useAction } from '../../core/useAction'
import { journalStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'
import { DeleteButton } from '../form/formPage'
import { boardOfRoom } from './board'
import { explain } from './journal'

/** Deletes a room after a question that names the number of its posts. */
export function DeleteRoom({ room }: { room: Room }) {
  const { run, problem } = useAction({ explain })
  const remove = async () => {
    await api.rooms.remove(room.id)
    showToast({ text: journalStrings.roomIsDeleted(room.name) })
    goTo('#/chat')
  }
  return (
    <>
      <DeleteButton
        confirm={(onClose) => (
          <Question room={room} onConfirm={() => run(remove)} onClose={onClose} />
        )}
      />
      <ProblemText text={problem} />
    </>
  )
}

interface QuestionProps {
  room: Room
  onConfirm: () => void
  onClose: () => void
}

function Question({ room, onConfirm, onClose }: QuestionProps) {
  const [effect, setEffect] = useState(journalStrings.countingPosts)
  useEffect(() => {
    const stop = new AbortController()
    countPosts(room.id, stop.signal).then(
      ({ count, hasMore }) => setEffect(journalStrings.deleteRoomEffect(count, hasMore)),
      (cause) => stop.signal.aborted || setEffect(explain(cause)),
    )
    return () => stop.abort()
  }, [])
  return (
    <ConfirmSheet
      heading={journalStrings.deleteRoomAsk(room.name)}
      effect={effect}
      action={strings.delete}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}

const PAGE_SIZE = 1000
/** Beyond this the exact number takes too long, and it changes no decision. */
const MAX_PAGES = 10

/** The API has no number of posts, so they are listed. */
async function countPosts(
  room: string,
  signal: AbortSignal,
): Promise<{ count: number; hasMore: boolean }> {
  let count = 0
  let before = ''
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const path = `${api.posts.list}?${boardOfRoom(room).query}&limit=${PAGE_SIZE}${before}`
    const page = (await request<{ id: string }[]>(path, { signal })) ?? []
    count += page.length
    if (page.length < PAGE_SIZE) return { count, hasMore: false }
    before = `&before=${page.at(-1)?.id}`
  }
  return { count, hasMore: true }
}
