import { useEffect } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { api } from '../../api/resources'
import type { NoteInList } from '../../api/types'
import { announce } from '../../core/actions'
import { formatter } from '../../core/appearance'
import { usePages } from '../../core/useQuery'
import { now } from '../../lib/clock'
import { journalStrings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { PagedList } from '../../ui/pagedList'
import { excerptOf, nameOfAuthor } from './journal'

interface Props {
  /** UUID of the only member whose notes are shown; '' for all notes. */
  member: string
  search: string
  empty: string
}

const EXCERPT_LENGTH = 140
const TITLE_LENGTH = 60

/** Notes, newest first. */
export function NoteList({ member, search, empty }: Props) {
  const query = new URLSearchParams({
    ...(member !== '' && { member }),
    ...(search !== '' && { search }),
  })
  const pages = usePages<NoteInList>(`${api.notes.list}?${query}`, 'notes')
  const count = pages.items?.length
  useEffect(() => {
    if (search !== '' && count !== undefined)
      announce(journalStrings.notesFound(count, pages.hasMore))
  }, [search, count])
  return (
    <PagedList pages={pages} empty={search === '' ? empty : journalStrings.noNoteFound}>
      {(notes) => (
        <ul class="card things">
          {notes.map((note) => (
            <li key={note.id}>
              <a class="about tinted stripe" style={stripe(note.color)} href={`#/notes/${note.id}`}>
                <NoteRow note={note} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  )
}

function NoteRow({ note }: { note: NoteInList }) {
  const excerpt = note.title === null ? '' : excerptOf(note.excerpt ?? '', EXCERPT_LENGTH)
  const at = parseInstant(note.date ?? '') ?? now.value
  return (
    <>
      <b>
        <bdi>{titleOf(note.title, note.excerpt)}</bdi>
      </b>{' '}
      {note.pinned && <span class="pill">{journalStrings.pinned}</span>}
      <div class="quiet small">
        <bdi>{ownerOf(note)}</bdi> · {formatter.value.date(at)}
      </div>
      {excerpt !== '' && (
        <div class="small" dir="auto">
          {excerpt}
        </div>
      )}
    </>
  )
}

/** Returns the title of a note, or the beginning of its text. */
export function titleOf(title: string | null, text: string | null): string {
  return title ?? (excerptOf(text ?? '', TITLE_LENGTH) || journalStrings.untitled)
}

/** Returns the name of the member that a note belongs to. */
export function ownerOf({ member, author_name }: Pick<NoteInList, 'member' | 'author_name'>) {
  return nameOfAuthor(member, author_name, journalStrings.wholeSystem)
}

/** Returns CSS variables for the stripe of a note; without a colour it is invisible. */
export function stripe(color: string | null): Record<string, string> {
  return color === null ? { '--c': 'transparent' } : tint(color)
}

export function AddNoteButton({ member }: { member: string }) {
  return (
    <button
      type="button"
      class="main"
      onClick={() => {
        location.hash = `#/notes/new${member === '' ? '' : `?member=${member}`}`
      }}
    >
      <Icon name="plus" />
      {journalStrings.addNote}
    </button>
  )
}
