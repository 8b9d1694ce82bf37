import type { ComponentType } from 'preact'
import type { Member } from '../api/types'
import { useLazy } from '../lib/useLazy'
import { LoadProblem } from '../ui/loadProblem'
import { Skeleton } from '../ui/page'

interface Props {
  member: Member
}

export const MemberNotes = lazyTab(async () => (await import('./notes')).NotesOf)

export const MemberBoard = lazyTab(async () => (await import('./chat')).BoardOf)

function lazyTab(load: () => Promise<ComponentType<Props>>) {
  return (props: Props) => {
    const { Content, hasFailed, retry } = useLazy(load)
    if (Content) return <Content {...props} />
    return hasFailed ? <LoadProblem onRetry={retry} /> : <Skeleton blocks={['card']} />
  }
}
