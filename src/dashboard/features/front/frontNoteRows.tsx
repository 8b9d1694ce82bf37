import type { FrontNote } from '../../api/types'
import { formatter } from '../../core/appearance'
import { type FrontNoteDraft, frontNoteDraft } from '../../core/drafts'
import { exactFieldsOf } from '../../core/exactTime'
import type { Switch } from '../../core/history'
import { isOffline, nameOf, switches } from '../../core/store'
import { now } from '../../lib/clock'
import { frontNoteStrings, offlineStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Skeleton } from '../../ui/page'
import { draftOfNote, idOf, selectNotes, timeOf, useFrontNotes } from './frontNotes'

/** Status texts and comments, newest first, each with a button to edit it. */
export function FrontNoteRows({ notes }: { notes: readonly FrontNote[] }) {
  return (
    <ul class="switches">
      {notes.map((note) => (
        <FrontNoteRow key={note.id} note={note} />
      ))}
    </ul>
  )
}

function FrontNoteRow({ note }: { note: FrontNote }) {
  const { kind } = note
  const text = note.text ?? ''
  const time = formatter.value.moment(timeOf(note), now.value)
  const isStatus = kind === 'status'
  const name = isStatus ? nameOf(idOf(note.member)) : authorOf(note)
  return (
    <li>
      <div class="about">
        {name !== '' && <bdi class="name">{name}</bdi>}
        {isStatus ? (
          <div>
            <bdi>{text}</bdi>
          </div>
        ) : (
          <Markdown text={text} />
        )}
        <div class="quiet small">
          {isStatus
            ? frontNoteStrings.statusAt(time)
            : note.member === null
              ? frontNoteStrings.commentAt(time)
              : frontNoteStrings.aboutAt(nameOf(idOf(note.member)), time)}
        </div>
      </div>
      <button
        type="button"
        class="round"
        aria-label={
          isStatus
            ? frontNoteStrings.editStatus(time, text)
            : frontNoteStrings.editComment(time, excerptOf(text))
        }
        title={frontNoteStrings.edit[kind]}
        onClick={() => {
          frontNoteDraft.value = draftOfNote(note)
        }}
      >
        <Icon name="edit" />
      </button>
    </li>
  )
}

function authorOf({ by, author_name }: FrontNote): string {
  return by === null ? (author_name ?? '') : nameOf(idOf(by))
}

/** Characters of a text in the list of switches; the whole text is on the page of its day. */
const EXCERPT = 100

/** Returns the first line of a text, or its beginning. */
function excerptOf(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const characters = [...line].slice(0, EXCERPT).join('')
  return characters === text ? text : `${characters.trimEnd()}…`
}

/** Status texts and comments of a switch, a line each. */
export function FrontNoteLines({ entry, notes }: { entry: Switch; notes: readonly FrontNote[] }) {
  const until = endOf(entry) ?? Number.POSITIVE_INFINITY
  return notes
    .filter((note) => timeOf(note) >= entry.timestamp && timeOf(note) < until)
    .map((note) => {
      const isOfOne = note.kind === 'status' && entry.members.length === 1
      const name = note.kind === 'status' ? nameOf(idOf(note.member)) : authorOf(note)
      const text = excerptOf(note.text ?? '')
      return (
        <div key={note.id} class="whole-row small">
          {isOfOne || name === '' ? strings.quoted(text) : frontNoteStrings.said(name, text)}
        </div>
      )
    })
    .reverse()
}

/** Returns the end of a switch; undefined for the latest. */
function endOf(entry: Switch): number | undefined {
  return switches.value[switches.value.findIndex(({ id }) => id === entry.id) - 1]?.timestamp
}

/** Shown in place of notes that are not loaded. */
export function Pending() {
  return isOffline.value ? (
    <p class="quiet">{offlineStrings.notOnDevice}</p>
  ) : (
    <Skeleton blocks={[]} />
  )
}

/** Status texts and comments in the sheet of a switch. */
export function SwitchNotes({ entry }: { entry: Switch }) {
  const { notes, problem, reload } = useFrontNotes({ since: entry.timestamp, until: endOf(entry) })
  const moment = exactFieldsOf(entry.timestamp)
  const add = (draft: FrontNoteDraft) => () => {
    frontNoteDraft.value = { ...draft, moment }
  }
  const shown = selectNotes(notes)
  const [only] = entry.members
  return (
    <section aria-label={frontNoteStrings.notes}>
      <h3>{frontNoteStrings.notes}</h3>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {notes === null && problem === '' && <Pending />}
      {notes !== null && shown.length === 0 && <p class="quiet">{frontNoteStrings.noNotes}</p>}
      <FrontNoteRows notes={shown} />
      <div class="row">
        {only !== undefined && (
          <button
            type="button"
            class="plain"
            onClick={add({ kind: 'status', text: '', member: only })}
          >
            {strings.setStatus}
          </button>
        )}
        <button type="button" class="plain" onClick={add({ kind: 'comment', text: '' })}>
          {strings.addComment}
        </button>
      </div>
    </section>
  )
}
