import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatInstant, parseInstant } from '../../../model/core/time'
import { note as table } from '../../../model/journal/note'
import { api } from '../../api/resources'
import type { Note } from '../../api/types'
import { showToast } from '../../core/actions'
import { problemsOf } from '../../core/form'
import { blockNavigation, goTo } from '../../core/route'
import { sessionState } from '../../core/session'
import { displayName, zone } from '../../core/store'
import { createStoredDrafts } from '../../core/storedDrafts'
import { fieldsOf, instantOf, nowInstant } from '../../lib/time'
import { editStrings, journalStrings, strings } from '../../texts/texts'
import { useFormState } from '../../ui/form/formState'
import type { Form } from '../form/form'
import { excerptOf, explain, findMember } from './journal'

/** Values of the fields: texts are '' if there are none, and the date is a local time. */
type Values = Readonly<{
  title: string
  text: string
  color: string
  /** For example 2026-11-15T06:54. */
  date: string
  /** UUID; '' for the whole system. */
  member: string
  pinned: boolean
}>

interface NoteDraft {
  /** Values of the server that the user has been shown. */
  readonly base: Values
  readonly values: Values
}

export const NEW_NOTE = 'new'

/** By the ID of the note. */
export const noteDrafts = createStoredDrafts<NoteDraft>('multitude-notes')

function localTime(time: string | null): string {
  const { date, time: clock } = fieldsOf(parseInstant(time ?? '') ?? nowInstant(), zone.value)
  return `${date}T${clock}`
}

export function valuesOf(note: Note): Values {
  const { title, text, color, date, member, pinned } = note
  return {
    title: title ?? '',
    text: text ?? '',
    color: color ?? '',
    date: localTime(date),
    member: member ?? '',
    pinned,
  }
}

export function emptyValues(member: string): Values {
  return { title: '', text: '', color: '', date: localTime(null), member, pinned: false }
}

function changedKeys(values: Values, other: Values): (keyof Values)[] {
  return (Object.keys(values) as (keyof Values)[]).filter((key) => values[key] !== other[key])
}

/** Builds the request body from the values of these keys. */
function bodyOf(values: Values, keys: readonly (keyof Values)[]): Record<string, unknown> {
  const [date = '', time = ''] = values.date.split('T')
  const at = instantOf(date, time, zone.value)
  const all = { ...values, date: at === null ? undefined : formatInstant(at) }
  return Object.fromEntries(keys.map((key) => [key, all[key] === '' ? null : all[key]]))
}

function findProblems(values: Values): Record<string, string> {
  const { title, text, color } = values
  const [date = '', time = ''] = values.date.split('T')
  return {
    ...problemsOf(table, { values: { title, text, color } }),
    ...(title.trim() === '' && text.trim() === '' && { text: journalStrings.titleOrText }),
    ...(instantOf(date, time, zone.value) === null && { date: strings.notATime }),
  }
}

/** Formats a value of another client for use in a sentence. */
function describe(values: Values, key: keyof Values): unknown {
  if (key === 'text') return excerptOf(values.text, 80)
  if (key === 'date') return values.date.replace('T', ' ')
  const member = findMember(values.member)
  if (key === 'member') return member ? displayName(member) : journalStrings.wholeSystem
  return values[key]
}

export interface NoteForm extends Form {
  readonly values: Values
  /** True if the form began with what was typed earlier. */
  readonly isRestored: boolean
  /** Lets the page be left; the draft stays. */
  readonly leave: () => void
  readonly discard: () => void
}

/** Edits a note. What was typed is kept until it is saved or discarded. */
export function useNoteForm(id: string, stored: Values): NoteForm {
  const kept = noteDrafts.find(id)
  const [isRestored, setRestored] = useState(kept !== null)
  const draft = kept ?? { base: stored, values: stored }
  const { base, values } = draft
  const isLeaving = useRef(false)
  useLayoutEffect(
    () =>
      blockNavigation(
        () => !isLeaving.current && sessionState.value === 'in' && noteDrafts.find(id) !== null,
      ),
    [id],
  )
  const put = (next: NoteDraft) => {
    const isChanged = changedKeys(next.values, next.base).length > 0
    noteDrafts.put(id, isChanged ? next : null)
  }
  const discard = () => {
    noteDrafts.put(id, null)
    setRestored(false)
  }
  const save = async () => {
    const isNew = id === NEW_NOTE
    // The time of a new note is when it is saved, unless another one was chosen.
    const keys = changedKeys(values, isNew ? { ...emptyValues(''), date: base.date } : base)
    const body = bodyOf(values, keys)
    const send = () => (isNew ? api.notes.create(body) : api.notes.patch(id, body))
    const saved = keys.length === 0 ? null : await send()
    noteDrafts.put(id, null)
    if (saved) showToast({ text: strings.isSaved })
    goTo(`#/notes/${saved?.id ?? id}`)
  }
  const state = useFormState({
    base,
    values,
    put(key, value) {
      const now = noteDrafts.find(id) ?? draft
      put({ ...now, values: { ...now.values, [key]: value } })
    },
    check: () => findProblems(values),
    summary: editStrings.someProblems,
    save,
    explain,
  })
  const conflicts =
    id === NEW_NOTE ? [] : changedKeys(stored, base).filter((key) => stored[key] !== values[key])
  return {
    ...state,
    entity: table,
    labels: journalStrings.labels,
    values,
    conflicts,
    theirs: (key) => describe(stored, key as keyof Values),
    resolve(key, choice) {
      const theirs = { [key]: stored[key as keyof Values] }
      const now = noteDrafts.find(id) ?? draft
      put({
        base: { ...now.base, ...theirs },
        values: choice === 'theirs' ? { ...now.values, ...theirs } : now.values,
      })
    },
    isRestored: isRestored && kept !== null,
    leave: () => {
      isLeaving.current = true
    },
    discard,
  }
}
