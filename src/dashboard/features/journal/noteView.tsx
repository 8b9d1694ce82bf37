import { parseInstant } from '../../../model/core/time'
import { api } from '../../api/resources'
import { showToast } from '../../core/actions'
import { goTo } from '../../core/route'
import { useAction } from '../../core/useAction'
import { useQuery } from '../../core/useQuery'
import { now } from '../../lib/clock'
import { editStrings, journalStrings, memberStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Page, Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { DeleteButton } from '../form/formPage'
import { explain, formatMoment } from './journal'
import { noteDrafts } from './noteForm'
import { ownerOf, stripe, titleOf } from './noteList'

export function NoteView({ id }: { id: string }) {
  const { data: note, problem, reload } = useQuery(api.notes.at(id), 'notes')
  if (!note) return <MissingNote problem={problem} onRetry={reload} />
  const moment = (time: string | null) => formatMoment(parseInstant(time ?? '') ?? now.value)
  return (
    <Page title={titleOf(note.title, note.text)} actions={<BackToNotes />}>
      <p class="quiet">
        <bdi>{ownerOf(note)}</bdi> · {moment(note.date)}
        {note.edited && ` · ${journalStrings.edited(moment(note.edited))}`}{' '}
        {note.pinned && <span class="pill">{journalStrings.pinned}</span>}
      </p>
      {note.text !== null && (
        <div class="card">
          <div class="tinted stripe" style={stripe(note.color)} dir="auto">
            <Markdown text={note.text} />
          </div>
        </div>
      )}
      <div class="row">
        <button
          type="button"
          class="main"
          onClick={() => {
            location.hash = `#/notes/${id}/edit`
          }}
        >
          <Icon name="edit" />
          {memberStrings.edit}
        </button>
        <DeleteNote id={id} />
      </div>
    </Page>
  )
}

export function MissingNote({ problem, onRetry }: { problem: string; onRetry: () => void }) {
  return (
    <Page title={strings.notes} actions={<BackToNotes />}>
      {problem === '' ? (
        <Skeleton blocks={['card']} />
      ) : (
        <LoadProblem text={problem} onRetry={onRetry} />
      )}
    </Page>
  )
}

function BackToNotes() {
  return (
    <a class="beside" href="#/notes">
      <Icon name="back" />
      {editStrings.backTo(strings.notes)}
    </a>
  )
}

/** Asks, because a deleted note cannot be restored with its ID. */
function DeleteNote({ id }: { id: string }) {
  const { run, problem } = useAction({ explain })
  const remove = async () => {
    await api.notes.remove(id)
    noteDrafts.put(id, null)
    showToast({ text: journalStrings.noteIsDeleted })
    goTo('#/notes')
  }
  return (
    <>
      <DeleteButton
        confirm={(onClose) => (
          <ConfirmSheet
            heading={journalStrings.deleteNoteAsk}
            effect={journalStrings.cannotBeUndone}
            action={strings.delete}
            onConfirm={() => run(remove)}
            onClose={onClose}
          />
        )}
      />
      <ProblemText text={problem} />
    </>
  )
}
