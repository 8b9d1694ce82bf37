import type { ComponentType } from 'preact'
import type { Member } from '../store'
import { useLazy } from '../useLazy'
import { LoadProblem } from './loadProblem'
import { Skeleton } from './page'

interface Props {
  member: Member
}

/** Notes of a member, for its page. */
export const MemberNotes = lazyTab(async () => (await import('../pages/notes')).NotesOf)

/** Board of a member, for its page. */
export const MemberBoard = lazyTab(async () => (await import('../pages/chat')).BoardOf)

function lazyTab(load: () => Promise<ComponentType<Props>>) {
  return (props: Props) => {
    const { Content, hasFailed, retry } = useLazy(load)
    if (Content) return <Content {...props} />
    return hasFailed ? <LoadProblem onRetry={retry} /> : <Skeleton blocks={['card']} />
  }
}
