import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formDraft } from '../../drafts'
import { pendingHash } from '../../route'
import { isOffline, memberWord, offlineReason } from '../../store'
import { editStrings, findText, privacyStrings, strings } from '../../strings'
import { Icon } from '../icon'
import { Page } from '../page'
import { ProblemText } from '../problemText'
import { Sheet } from '../sheet'
import type { Form } from './form'

interface Props {
  form: Form
  title: string
  /** Page to return to. */
  back: string
  backName: string
  /** Content outside the form. */
  below: ComponentChildren
  children: ComponentChildren
}

/** Full-page form with a save button that is always visible. */
export function FormPage({ form, title, back, backName, below, children }: Props) {
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
      <form class="editing" onSubmit={form.onSubmit} noValidate>
        <Conflicts form={form} />
        {children}
        <div class="action-bar saving">
          <ProblemText text={isOffline.value ? offlineReason() : form.problem} />
          <button
            type="submit"
            class="main"
            aria-disabled={isOffline.value}
            aria-busy={form.isBusy || undefined}
          >
            {strings.save}
          </button>
        </div>
      </form>
      {below}
      {pendingHash.value !== null && <ConfirmLeave to={pendingHash.value} />}
    </Page>
  )
}

/** Delete button with a confirmation. */
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

function ConfirmLeave({ to }: { to: string }) {
  const stay = () => {
    pendingHash.value = null
  }
  const leave = () => {
    formDraft.value = null
    pendingHash.value = null
    location.hash = to
  }
  return (
    <Sheet heading={strings.leaveAsk} onClose={stay}>
      <p>{strings.leaveEffect}</p>
      <button type="button" class="main" onClick={stay}>
        {strings.stay}
      </button>
      <button type="button" class="danger" onClick={leave}>
        {strings.leave}
      </button>
    </Sheet>
  )
}

/** Lists fields that another client changed meanwhile; the user decides for each. */
function Conflicts({ form }: { form: Form }) {
  return (
    <div role="status" class="elsewhere">
      {form.conflicts.map((key) => (
        <div key={key} class="note">
          <p>{editStrings.changedElsewhere(labelOf(key), describeValue(form.theirs(key)))}</p>
          <div class="row">
            {(['theirs', 'mine'] as const).map((choice) => (
              <button
                key={choice}
                type="button"
                aria-label={editStrings.choiceOf(editStrings[choice], labelOf(key))}
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

export function labelOf(key: string): string {
  const word = memberWord.value
  return (
    findText(editStrings.fields(word), key) ?? findText(privacyStrings.levels(word), key) ?? key
  )
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
