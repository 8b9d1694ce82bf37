import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formDraft } from '../../core/drafts'
import { pendingHash } from '../../core/route'
import { isOffline, memberWord, offlineReason } from '../../core/store'
import { editStrings, findText, privacyStrings, strings } from '../../texts/texts'
import { Form as PlainForm } from '../../ui/form/textField'
import { Icon } from '../../ui/icon'
import { Page } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import type { Form } from './form'

interface KeptDraft {
  /** Says what happens to the draft. */
  readonly effect: string
  /** Text of the button that drops the draft. */
  readonly discard: string
  readonly onLeave: () => void
  readonly onDiscard: () => void
}

interface Props {
  form: Form
  title: string
  /** Page to return to. */
  back: string
  backName: string
  /** Content outside the form. */
  below?: ComponentChildren
  /** Set if what was typed is kept when the page is left. */
  keptDraft?: KeptDraft
  children: ComponentChildren
}

/** Full-page form with a save button that is always visible. */
export function FormPage({ form, title, back, backName, below, keptDraft, children }: Props) {
  return (
    <Page
      title={title}
      actions={
        <a class="beside" href={back}>
          <Icon name="back" />
          {editStrings.backTo(backName)}
        </a>
      }
    >
      <PlainForm class="editing" onSubmit={form.onSubmit}>
        <Conflicts form={form} />
        {children}
        <div class="action-bar saving">
          <ProblemText text={isOffline.value ? offlineReason() : form.problem} />
          <SubmitButton isBusy={form.isBusy}>{strings.save}</SubmitButton>
        </div>
      </PlainForm>
      {below}
      {pendingHash.value !== null && <ConfirmLeave to={pendingHash.value} keptDraft={keptDraft} />}
    </Page>
  )
}

export function DeleteButton({ confirm }: { confirm: (onClose: () => void) => ComponentChildren }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <div>
        <button
          type="button"
          class="danger"
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || setAsking(true)}
        >
          {strings.delete}
        </button>
      </div>
      {isAsking && confirm(() => setAsking(false))}
    </>
  )
}

function ConfirmLeave({ to, keptDraft }: { to: string; keptDraft: KeptDraft | undefined }) {
  const stay = () => {
    pendingHash.value = null
  }
  const leave = (onLeave: () => void) => {
    onLeave()
    pendingHash.value = null
    location.hash = to
  }
  return (
    <Sheet heading={strings.leaveAsk} onClose={stay}>
      <p>{keptDraft?.effect ?? strings.leaveEffect}</p>
      <button type="button" class="main" onClick={stay}>
        {strings.stay}
      </button>
      <button
        type="button"
        class={keptDraft ? '' : 'danger'}
        onClick={() => leave(keptDraft?.onLeave ?? dropForm)}
      >
        {strings.leave}
      </button>
      {keptDraft && (
        <button type="button" class="danger" onClick={() => leave(keptDraft.onDiscard)}>
          {keptDraft.discard}
        </button>
      )}
    </Sheet>
  )
}

function dropForm(): void {
  formDraft.value = null
}

/** Lists fields that another client changed meanwhile; the user decides for each. */
function Conflicts({ form }: { form: Form }) {
  return (
    <div role="status" class="elsewhere">
      {form.conflicts.map((key) => (
        <div key={key} class="note">
          <p>{editStrings.changedElsewhere(labelOf(key, form), describeTheirs(form, key))}</p>
          <div class="row">
            {(['theirs', 'mine'] as const).map((choice) => (
              <button
                key={choice}
                type="button"
                aria-label={editStrings.choiceOf(editStrings[choice], labelOf(key, form))}
                onClick={() => form.resolve(key, choice)}
              >
                {editStrings[choice]}
              </button>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

/** Returns the label of a key; that of a custom field is in the field table. */
export function labelOf(key: string, form?: Form): string {
  const word = memberWord.value
  const label =
    form?.labels?.[key] ??
    findText(editStrings.fields(word), key) ??
    findText(privacyStrings.levels(word), key)
  return label ?? form?.entity.fields[key]?.doc ?? key
}

function describeTheirs(form: Form, key: string): string {
  const value = form.theirs(key)
  return form.describe?.(key, value) ?? describeValue(value)
}

/** Formats a value for use in a sentence. */
function describeValue(value: unknown): string {
  if (value === null || value === '') return editStrings.nothing
  if (value === 'public' || value === 'private') return privacyStrings[value]
  if (typeof value === 'boolean') return value ? editStrings.yes : editStrings.no
  if (!Array.isArray(value)) return strings.quoted(String(value))
  if (value.length === 0) return editStrings.nothing
  return value.map(({ prefix, suffix }) => `${prefix ?? ''}…${suffix ?? ''}`).join(' ')
}

interface FoldProps {
  title: string
  form: Form
  /** Keys of the fields inside; the section opens if one of them is invalid. */
  keys: readonly string[]
  isFirst?: boolean
  children: ComponentChildren
}

/** Collapsible section of a form. */
export function Fold({ title, form, keys, isFirst = false, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isFirst)
  const isWrong = form.wasTried && keys.some((key) => key in form.problems)
  return (
    <details
      class="card fold"
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>{title}</h2>
        <Icon name="forth" />
      </summary>
      <div class="lines">{children}</div>
    </details>
  )
}
