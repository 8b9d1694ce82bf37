import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { MAX_COMMENT, MAX_STATUS } from '../../../model/front/frontNoteSize'
import { ApiError, errorMessage, problemMessage } from '../../api/client'
import { isArchived, isCustomFront } from '../../api/types'
import { formatter } from '../../core/appearance'
import { type FrontNoteDraft, frontNoteDraft } from '../../core/drafts'
import { exactInstantOf } from '../../core/exactTime'
import { isOffline, members, nameOf } from '../../core/store'
import { useAction } from '../../core/useAction'
import { now } from '../../lib/clock'
import { frontNoteStrings, historyStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { TimeFields } from '../../ui/timeFields'
import {
  deleteFrontNote,
  type FrontNoteValues,
  frontersAt,
  likelyAuthor,
  saveFrontNote,
} from './frontNotes'

/** Editor of a status or a comment. */
export function FrontNoteSheet({ draft }: { draft: FrontNoteDraft }) {
  const { id, kind, moment } = draft
  const { run, onSubmit, problem, setProblem, isBusy } = useAction({ explain })
  const [before] = useState(() => valuesOf(draft))
  const [isDeleting, setDeleting] = useState(false)
  const line = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const values = valuesOf(draft)
  const isChanged = JSON.stringify(values) !== JSON.stringify(before)
  const change = (patch: Partial<FrontNoteDraft>) => {
    setProblem('')
    frontNoteDraft.value = { ...draft, ...patch }
  }
  const close = () => {
    frontNoteDraft.value = null
  }
  const save = async () => {
    if (moment && values.at === null) return setProblem(strings.notATime)
    if (kind === 'comment' && values.text.trim() === '')
      return setProblem(frontNoteStrings.enterComment)
    if (isChanged) await saveFrontNote(draft, values, before)
    close()
  }
  if (id !== undefined && isDeleting)
    return (
      <ConfirmSheet
        heading={frontNoteStrings.deleteAsk[kind]}
        effect={frontNoteStrings.deleteEffect}
        action={strings.delete}
        onConfirm={() =>
          run(async () => {
            await deleteFrontNote(id, kind)
            close()
          })
        }
        onClose={() => setDeleting(false)}
      />
    )
  const input = {
    value: draft.text,
    dir: 'auto' as const,
    'aria-describedby': 'note-problem',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ text: currentTarget.value }),
  }
  const here = frontersAt(values.at)
  return (
    <Sheet
      heading={headingOf(draft)}
      isChanged={isChanged}
      field={kind === 'status' ? line : area}
      onClose={close}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        {kind === 'status' ? (
          <>
            <label class="field">
              {frontNoteStrings.status}
              <input ref={line} maxLength={MAX_STATUS} autocomplete="off" {...input} />
            </label>
            {isPastStatus(draft) && here.length > 1 && (
              <MemberSelect
                label={historyStrings.who}
                value={values.member}
                ids={here}
                onChange={(member) => change({ member })}
              />
            )}
            <p class="quiet small">
              {values.at !== null && <>{formatter.value.moment(values.at, now.value)} · </>}
              {frontNoteStrings.clearToEnd}
            </p>
          </>
        ) : (
          <>
            <label class="field">
              {frontNoteStrings.comment}
              <textarea ref={area} rows={4} maxLength={MAX_COMMENT} {...input} />
            </label>
            {id === undefined && here.length > 0 && (
              <MemberSelect
                label={frontNoteStrings.about}
                value={values.member}
                ids={here}
                onChange={(member) => change({ member })}
              >
                {frontNoteStrings.wholeFront}
              </MemberSelect>
            )}
            <MemberSelect
              label={frontNoteStrings.by}
              value={values.by}
              ids={members.value
                .filter((one) => one.id === values.by || !(isCustomFront(one) || isArchived(one)))
                .map((one) => one.id)}
              onChange={(by) => change({ by })}
            >
              {frontNoteStrings.nobodyInParticular}
            </MemberSelect>
            {moment && (
              <TimeFields
                date={moment.date}
                time={moment.time}
                problem=""
                onChange={(fields) => change({ moment: { ...moment, ...fields } })}
              />
            )}
          </>
        )}
        <ProblemText id="note-problem" text={problem} />
        <SubmitButton isBusy={isBusy}>{strings.save}</SubmitButton>
        {id !== undefined && (
          <button
            type="button"
            class="danger"
            aria-disabled={isOffline.value}
            onClick={() => run(() => setDeleting(true))}
          >
            {strings.delete}
          </button>
        )}
      </form>
    </Sheet>
  )
}

function valuesOf({ text, member, by, moment }: FrontNoteDraft): FrontNoteValues {
  const at = moment ? exactInstantOf(moment) : null
  return { text, at, member: member ?? '', by: by ?? likelyAuthor(frontersAt(at)) }
}

/** Returns true for a new status that is not about now, whose member can be chosen. */
function isPastStatus({ id, kind, moment }: FrontNoteDraft): boolean {
  return kind === 'status' && id === undefined && moment !== undefined
}

function headingOf(draft: FrontNoteDraft): string {
  const { id, kind, member = '' } = draft
  if (isPastStatus(draft)) return strings.setStatus
  if (kind === 'status') return frontNoteStrings.statusOf(nameOf(member))
  return id === undefined ? strings.addComment : frontNoteStrings.edit.comment
}

interface SelectProps {
  label: string
  /** Short ID; '' for none. */
  value: string
  ids: readonly string[]
  onChange: (id: string) => void
  /** Text for none, where that can be chosen. */
  children?: ComponentChildren
}

function MemberSelect({ label, value, ids, onChange, children }: SelectProps) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children && <option value="">{children}</option>}
        {ids.map((id) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Describes the first problem of a value, if there is one. */
function explain(cause: unknown): string {
  const [first] = cause instanceof ApiError ? Object.values(cause.problems).flat() : []
  return first ? problemMessage(first) : errorMessage(cause)
}
