import { useEffect } from 'preact/hooks'
import { formatInstant, type Instant, parseInstant } from '../../../model/core/time'
import { request } from '../../api/client'
import type { Path } from '../../api/json'
import { api } from '../../api/resources'
import { type FronterStatus, type FrontNote, isCustomFront } from '../../api/types'
import { showToast } from '../../core/actions'
import type { FrontNoteDraft } from '../../core/drafts'
import { exactFieldsOf } from '../../core/exactTime'
import { switchAt } from '../../core/history'
import { front, members, membersById, recordedStatuses, switches } from '../../core/store'
import { usePages } from '../../core/useQuery'
import { frontNoteStrings } from '../../texts/texts'

/** Status texts and comments of the logged-in system. */

interface Span {
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}

function notesPath({ since, until }: Span): Path<readonly FrontNote[]> {
  const query = new URLSearchParams({
    ...(since !== undefined && { since: formatInstant(since) }),
    ...(until !== undefined && { until: formatInstant(until) }),
  })
  return `${api.frontNotes.list}?${query}`
}

/**
 * Loads the front notes about a span, newest first. Of a list that grows at its end, it loads those
 * since the oldest time that is shown.
 */
export function useFrontNotes(span: Span, shownSince = -Infinity) {
  const loaded = usePages(notesPath(span), 'frontNotes')
  const { items, hasMore, loadMore, problem, reload } = loaded
  const oldest = items?.at(-1)
  useEffect(() => {
    if (hasMore && oldest && timeOf(oldest) >= shownSince) loadMore()
  }, [oldest?.id, hasMore, shownSince])
  return { notes: items, problem, reload }
}

/** Returns the statuses that were set at exactly this time. */
export async function loadStatusesAt(at: Instant): Promise<FronterStatus[]> {
  const path = notesPath({ since: at, until: at + 1 })
  const notes = (await request<FrontNote[]>(`${path}&kind=status`)) ?? []
  return notes.flatMap(({ member, text }) =>
    text === null ? [] : [{ id: idOf(member), status: text }],
  )
}

/** Returns the notes to show: those with a text, and of one member only if there is a filter. */
export function selectNotes(
  notes: readonly FrontNote[] | null,
  { kind, only }: { kind?: FrontNote['kind'] | undefined; only?: string | undefined } = {},
): FrontNote[] {
  const uuid = only === undefined ? undefined : membersById.value.get(only)?.uuid
  return (notes ?? []).filter(
    (note) =>
      note.text !== null &&
      (kind === undefined || note.kind === kind) &&
      (uuid === undefined || note.member === null || [note.member, note.by].includes(uuid)),
  )
}

export function timeOf({ at }: FrontNote): Instant {
  return parseInstant(at) ?? 0
}

/** Returns the short ID of a member that a note refers to; '' without one. */
export function idOf(uuid: string | null): string {
  return members.value.find((member) => member.uuid === uuid)?.id ?? ''
}

export function draftOfNote(note: FrontNote): FrontNoteDraft {
  const { id, kind, text, member, by } = note
  const about = { member: idOf(member), by: idOf(by), moment: exactFieldsOf(timeOf(note)) }
  return { id, kind, text: text ?? '', ...about }
}

/** Returns the members in front at a time; now if it is null. */
export function frontersAt(at: Instant | null): readonly string[] {
  return (at === null ? front.value : switchAt(switches.value, at))?.members ?? []
}

/** Returns the first fronter who is not a custom front; '' without one. */
export function likelyAuthor(fronters: readonly string[]): string {
  const isPerson = (id: string) => {
    const member = membersById.value.get(id)
    return member !== undefined && !isCustomFront(member)
  }
  return fronters.find(isPerson) ?? ''
}

/** Values of the form for a front note; '' means no member. */
export interface FrontNoteValues {
  readonly text: string
  readonly member: string
  readonly by: string
  /** Null for now. */
  readonly at: Instant | null
}

/** Writes a front note, or changes what differs from its values before. */
export async function saveFrontNote(
  { id, kind }: Pick<FrontNoteDraft, 'id' | 'kind'>,
  now: FrontNoteValues,
  before: FrontNoteValues,
): Promise<void> {
  const text = now.text.trim() || null
  const by = now.by || null
  const at = now.at === null ? {} : { at: formatInstant(now.at) }
  if (id === undefined) {
    const about = { kind, member: now.member || null, ...at }
    const body = kind === 'status' ? { ...about, text } : { ...about, text, by }
    await api.frontNotes.create(body)
  } else {
    const body = {
      ...(now.text !== before.text && { text }),
      ...(now.by !== before.by && { by }),
      ...(now.at !== before.at && at),
    }
    await api.frontNotes.patch(id, body)
  }
  // The event that announces the change may come later.
  if (kind === 'status' && now.at === null) {
    const statuses = new Map(recordedStatuses.value)
    if (text === null) statuses.delete(now.member)
    else statuses.set(now.member, text)
    recordedStatuses.value = statuses
  }
  showToast({
    text:
      kind === 'comment'
        ? frontNoteStrings.isCommentSaved
        : text === null
          ? frontNoteStrings.isStatusEnded
          : frontNoteStrings.isStatusSaved,
  })
}

export async function deleteFrontNote(id: string, kind: FrontNote['kind']): Promise<void> {
  await api.frontNotes.remove(id)
  showToast({ text: frontNoteStrings.isDeleted[kind] })
}
