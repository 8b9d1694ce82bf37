import type { Member } from '../api/types'
import { createDraft } from '../core/drafts'
import { route } from '../core/route'
import { displayName } from '../core/store'
import { findMember } from '../features/journal/journal'
import { EditNote, NewNote } from '../features/journal/noteEdit'
import { AddNoteButton, NoteList } from '../features/journal/noteList'
import { NoteView } from '../features/journal/noteView'
import { MemberSelect } from '../features/members/memberSelect'
import { useDebounced } from '../lib/useDebounced'
import { journalStrings, strings } from '../texts/texts'
import { Page } from '../ui/page'
import { Search } from '../ui/searchField'

/** The list, one note, or the form of a new one, by the address. */
export function Notes() {
  const { id } = { id: '', ...route.value }
  const [name = '', action = ''] = id.split(/[/?]/)
  if (name === '') return <AllNotes />
  if (name === 'new') return <NewNote member={new URLSearchParams(action).get('member') ?? ''} />
  return action === 'edit' ? <EditNote id={name} /> : <NoteView id={name} />
}

/** Filters of the list, which Back keeps. */
const listing = createDraft({ member: '', search: '' })

const SEARCH_DELAY_MS = 300
const MAX_SEARCH = 200

function AllNotes() {
  const { member, search } = listing.value
  const settled = useDebounced(search.trim().slice(0, MAX_SEARCH), SEARCH_DELAY_MS)
  const change = (patch: Partial<typeof listing.value>) => {
    listing.value = { ...listing.value, ...patch }
  }
  const only = findMember(member)
  return (
    <Page title={strings.notes} actions={<AddNoteButton member={member} />}>
      <Search
        value={search}
        hint={journalStrings.searchNotes}
        onChange={(typed) => change({ search: typed })}
      />
      <MemberSelect
        label={journalStrings.whose}
        none={journalStrings.everyone}
        value={member}
        onChange={(uuid) => change({ member: uuid })}
      />
      <NoteList
        member={only ? member : ''}
        search={settled}
        empty={only ? journalStrings.noNotesOf(displayName(only)) : journalStrings.noNotes}
      />
    </Page>
  )
}

/** Notes of one member, for its page. */
export function NotesOf({ member }: { member: Member }) {
  return (
    <section class="part" aria-labelledby="notes">
      <header class="heading">
        <h2 id="notes">{strings.notes}</h2>
        <AddNoteButton member={member.uuid} />
      </header>
      <NoteList
        member={member.uuid}
        search=""
        empty={journalStrings.noNotesOf(displayName(member))}
      />
    </section>
  )
}
