import { useState } from 'preact/hooks'
import { note as table } from '../../../model/journal/note'
import { api } from '../../api/resources'
import type { Note } from '../../api/types'
import { useQuery } from '../../core/useQuery'
import { useDebounced } from '../../lib/useDebounced'
import { editStrings, journalStrings, strings } from '../../texts/texts'
import { TimeFields } from '../../ui/form/timeFields'
import { Markdown } from '../../ui/markdown'
import { FormPage } from '../form/formPage'
import { ColorLine, common, FlagLine, Line, TextLine } from '../form/lines'
import { MemberSelect } from '../members/memberSelect'
import { emptyValues, NEW_NOTE, type NoteForm, useNoteForm, valuesOf } from './noteForm'
import { MissingNote } from './noteView'

export function NewNote({ member }: { member: string }) {
  const [stored] = useState(() => emptyValues(member))
  const form = useNoteForm(NEW_NOTE, stored)
  return <NoteFields form={form} title={journalStrings.newNote} back="#/notes" />
}

export function EditNote({ id }: { id: string }) {
  const { data: note, problem, reload } = useQuery(api.notes.at(id), 'notes')
  return note ? <Editing note={note} /> : <MissingNote problem={problem} onRetry={reload} />
}

function Editing({ note }: { note: Note }) {
  const form = useNoteForm(note.id, valuesOf(note))
  return <NoteFields form={form} title={journalStrings.editNote} back={`#/notes/${note.id}`} />
}

interface Props {
  form: NoteForm
  title: string
  back: string
}

function NoteFields({ form, title, back }: Props) {
  const { values, change } = form
  const [date = '', time = ''] = values.date.split('T')
  return (
    <FormPage
      form={form}
      title={title}
      back={back}
      backName={strings.notes}
      keptDraft={{
        effect: journalStrings.draftStays,
        discard: journalStrings.discard,
        onLeave: form.leave,
        onDiscard: form.discard,
      }}
    >
      {form.isRestored && (
        <div class="note heading" role="status">
          <p>{journalStrings.isDraft}</p>
          <button type="button" class="plain" onClick={form.discard}>
            {journalStrings.discard}
          </button>
        </div>
      )}
      <div class="card">
        <TextLine form={form} name="title" />
        <NoteText form={form} />
      </div>
      <div class="card">
        <div class="lines">
          <MemberSelect
            label={journalStrings.labels.member}
            none={journalStrings.wholeSystem}
            value={values.member}
            onChange={(member) => change('member', member)}
          />
          <ColorLine form={form} name="color" />
        </div>
        <TimeFields
          date={date}
          time={time}
          problem={form.problems.date ?? ''}
          onChange={(fields) => change('date', `${fields.date}T${fields.time}`)}
        />
        <FlagLine form={form} name="pinned" />
      </div>
    </FormPage>
  )
}

/** A long text takes a while to render, so the preview follows a pause in typing. */
const PREVIEW_DELAY_MS = 300

function NoteText({ form }: { form: NoteForm }) {
  const { text } = form.values
  const shown = useDebounced(text, PREVIEW_DELAY_MS)
  return (
    <Line form={form} name="text" isWide>
      <textarea {...common({ form, name: 'text' })} rows={8} />
      <p class="quiet small">{editStrings.letters(text.length, table.fields.text.max ?? 0)}</p>
      {shown.trim() !== '' && (
        <section class="note preview" aria-label={editStrings.preview}>
          <p class="quiet small">{editStrings.preview}</p>
          <Markdown text={shown} />
        </section>
      )}
    </Line>
  )
}
