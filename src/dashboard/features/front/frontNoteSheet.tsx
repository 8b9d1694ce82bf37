import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { frontNote } from '../../../model/front/frontNote'
import { MAX_STATUS } from '../../../model/front/frontNoteSize'
import { isArchived, isCustomFront } from '../../api/types'
import { formatter } from '../../core/appearance'
import { type FrontNoteDraft, frontNoteDraft } from '../../core/drafts'
import { exactInstantOf } from '../../core/exactTime'
import { problemsOf } from '../../core/form'
import { isOffline, members, nameOf } from '../../core/store'
import { now } from '../../lib/clock'
import { frontNoteStrings, historyStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { AreaField } from '../../ui/form/fields'
import { useFormState } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { TimeFields } from '../../ui/form/timeFields'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import {
  deleteFrontNote,
  type FrontNoteValues,
  frontersAt,
  likelyAuthor,
  saveFrontNote,
} from './frontNotes'

export function FrontNoteSheet({ draft }: { draft: FrontNoteDraft }) {
  const { id, kind, moment } = draft
  const [before] = useState(() => valuesOf(draft))
  const [isDeleting, setDeleting] = useState(false)
  const line = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const values = valuesOf(draft)
  const isChanged = JSON.stringify(values) !== JSON.stringify(before)
  const close = () => {
    frontNoteDraft.value = null
  }
  const form = useFormState({
    id: 'note',
    base: { ...before },
    values: { ...values },
    put(key, value) {
      frontNoteDraft.value = { ...draft, [key === 'at' ? 'moment' : key]: value }
    },
    check: () => ({
      ...problemsOf(frontNote, { values: { text: values.text } }),
      ...(kind === 'comment' &&
        values.text.trim() === '' && { text: frontNoteStrings.enterComment }),
      ...(moment && values.at === null && { at: strings.notATime }),
    }),
    async save() {
      if (isChanged) await saveFrontNote(draft, values, before)
      close()
    },
  })
  const { run, change } = form
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
  const here = frontersAt(values.at)
  return (
    <Sheet
      heading={headingOf(draft)}
      isChanged={isChanged}
      field={kind === 'status' ? line : area}
      onClose={close}
    >
      <Form onSubmit={form.onSubmit}>
        {kind === 'status' ? (
          <>
            <TextField
              {...form.field('text')}
              label={frontNoteStrings.status}
              input={{ ref: line, maxLength: MAX_STATUS }}
            />
            {isPastStatus(draft) && here.length > 1 && (
              <MemberSelect
                label={historyStrings.who}
                value={values.member}
                ids={here}
                onChange={(member) => change('member', member)}
              />
            )}
            <p class="quiet small">
              {values.at !== null && <>{formatter.value.moment(values.at, now.value)} · </>}
              {frontNoteStrings.clearToEnd}
            </p>
          </>
        ) : (
          <>
            <AreaField
              {...form.field('text')}
              label={frontNoteStrings.comment}
              rows={4}
              field={area}
            />
            {id === undefined && here.length > 0 && (
              <MemberSelect
                label={frontNoteStrings.about}
                value={values.member}
                ids={here}
                onChange={(member) => change('member', member)}
              >
                {frontNoteStrings.wholeFront}
              </MemberSelect>
            )}
            <MemberSelect
              label={frontNoteStrings.by}
              value={values.by}
              ids={members.value
                .filter(
                  (member) =>
                    member.id === values.by || !(isCustomFront(member) || isArchived(member)),
                )
                .map((member) => member.id)}
              onChange={(by) => change('by', by)}
            >
              {frontNoteStrings.nobodyInParticular}
            </MemberSelect>
            {moment && (
              <TimeFields
                date={moment.date}
                time={moment.time}
                problem={form.problems.at ?? ''}
                onChange={(fields) => change('at', { ...moment, ...fields })}
              />
            )}
          </>
        )}
        <ProblemText text={form.problem} />
        <SubmitButton isBusy={form.isBusy}>{strings.save}</SubmitButton>
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
      </Form>
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
