import type { ComponentChildren } from 'preact'
import { unreadPath } from '../api/paths'
import { api } from '../api/resources'
import type { Member, Poll } from '../api/types'
import { route } from '../core/route'
import { useQuery } from '../core/useQuery'
import { boardOf } from '../features/journal/board'
import { BoardPage, RoomPage } from '../features/journal/boardPage'
import { Boards } from '../features/journal/boards'
import { Polls } from '../features/journal/pollList'
import { Posts } from '../features/journal/posts'
import { Rooms } from '../features/journal/rooms'
import { useLazy } from '../lib/useLazy'
import { journalStrings, strings } from '../texts/texts'
import { LoadProblem } from '../ui/loadProblem'
import { Page, Skeleton } from '../ui/page'

/** All boards, rooms and polls, or one of them, by the address. */
export function Chat() {
  const { id } = { id: '', ...route.value }
  const [kind = '', name = ''] = id.split('/')
  if (kind === 'board') return <BoardPage board={decodeURIComponent(name)} />
  if (kind === 'room') return <RoomPage id={name} />
  return kind === 'poll' ? <LazyPoll id={name} /> : <Overview />
}

function LazyPoll({ id }: { id: string }) {
  const { Content, hasFailed, retry } = useLazy(
    async () => (await import('../features/journal/lazyPolls')).PollPage,
  )
  if (Content) return <Content id={id} />
  return (
    <Page title={strings.chat}>
      {hasFailed ? <LoadProblem onRetry={retry} /> : <Skeleton blocks={['card']} />}
    </Page>
  )
}

function Overview() {
  const unread = useQuery(unreadPath, 'posts')
  const rooms = useQuery(api.rooms.list, 'posts')
  // All of them, because the open ones are first.
  const polls = useQuery<readonly Poll[]>(`${api.polls.list}?limit=1000`, 'polls')
  return (
    <Page title={strings.chat}>
      <Loaded own={unread}>{(data) => <Boards unread={data} />}</Loaded>
      <Loaded own={rooms}>{(data) => <Rooms rooms={data} onChanged={rooms.reload} />}</Loaded>
      <Loaded own={polls}>{(data) => <Polls polls={data} onChanged={polls.reload} />}</Loaded>
    </Page>
  )
}

interface LoadedProps<T> {
  own: ReturnType<typeof useQuery<T>>
  children: (data: T) => ComponentChildren
}

function Loaded<T>({ own: { data, problem, reload }, children }: LoadedProps<T>) {
  if (data !== null) return <>{children(data)}</>
  if (problem !== '') return <LoadProblem text={problem} onRetry={reload} />
  return <Skeleton blocks={['card']} />
}

/** Board of one member, for its page. */
export function BoardOf({ member }: { member: Member }) {
  return (
    <section class="part" aria-labelledby="board">
      <h2 id="board">{journalStrings.board}</h2>
      <Posts board={boardOf(member.uuid)} />
    </section>
  )
}
