import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formDraft } from '../../drafts'
import { leavingFor } from '../../route'
import { isOffline } from '../../store'
import { strings } from '../../strings'
import { editStrings } from '../../strings/edit'
import { privacyStrings } from '../../strings/privacy'
import { Icon } from '../icon'
import { Page } from '../page'
import { Sheet } from '../sheet'
import type { Form } from './form'

interface Props {
  form: Form
  name: string
  /** Where whoever is done goes back to. */
  back: string
  /** What that is called, if it is not what is edited. */
  backName?: string
  /** What is no part of the form. */
  below: ComponentChildren
  children: ComponentChildren
}

/** A form over a whole page, with the one button that saves it always in reach. */
export function FormPage({ form, name, back, backName = name, below, children }: Props) {
  const submit = (event: Event) => {
    event.preventDefault()
    form.save()
  }
  return (
    <Page
      place={editStrings.editOf(name)}
      beside={
        <a class="beside" href={back}>
          <Icon name="back" />
          {editStrings.backTo(backName)}
        </a>
      }
    >
      <form class="editing" onSubmit={submit} noValidate>
        <Elsewhere form={form} />
        {children}
        <div class="action-bar saving">
          <p class="problem" role="alert">
            {isOffline.value ? strings.notConnected : form.problem}
          </p>
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
      {leavingFor.value !== null && <Leaving to={leavingFor.value} />}
    </Page>
  )
}

/** What can be deleted here; before that is done, it is asked about. */
export function Removing({ ask }: { ask: (onClose: () => void) => ComponentChildren }) {
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
          {strings.remove}
        </button>
      </div>
      {isAsking && ask(() => setAsking(false))}
    </>
  )
}

function Leaving({ to }: { to: string }) {
  const stay = () => {
    leavingFor.value = null
  }
  const leave = () => {
    formDraft.value = null
    leavingFor.value = null
    location.hash = to
  }
  return (
    <Sheet heading={editStrings.leaveAsk} onClose={stay}>
      <p>{editStrings.leaveEffect}</p>
      <button type="button" class="main" onClick={stay}>
        {editStrings.stay}
      </button>
      <button type="button" class="danger" onClick={leave}>
        {editStrings.leave}
      </button>
    </Sheet>
  )
}

/** What somebody else changed while this was open: field by field, and nothing is taken unasked. */
function Elsewhere({ form }: { form: Form }) {
  return (
    <div role="status" class="elsewhere">
      {form.elsewhere.map((key) => (
        <div key={key} class="note">
          <p>
            <b>{editStrings.changedElsewhere(labelOf(key).toLowerCase())}</b>{' '}
            {editStrings.theirValue(describeValue(form.theirs(key)))}
          </p>
          <div class="row">
            {(['theirs', 'mine'] as const).map((whose) => (
              <button
                key={whose}
                type="button"
                aria-label={editStrings.choiceOf(editStrings[whose], labelOf(key))}
                onClick={() => form.settle(key, whose)}
              >
                {editStrings[whose]}
              </button>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

export function labelOf(key: string): string {
  return editStrings.fields[key] ?? privacyStrings.levels[key] ?? key
}

/** A value as it is read in a sentence. */
function describeValue(value: unknown): string {
  if (value === null || value === '') return editStrings.nothing
  if (value === 'public' || value === 'private') return privacyStrings[value]
  if (typeof value === 'boolean') return value ? editStrings.yes : editStrings.no
  if (!Array.isArray(value)) return `“${value}”`
  if (value.length === 0) return editStrings.nothing
  return value.map(({ prefix, suffix }) => `${prefix ?? ''}…${suffix ?? ''}`).join(' ')
}

interface FoldProps {
  title: string
  form: Form
  /** The keys within, so that it opens where one of them is not right. */
  keys: readonly string[]
  isFirst?: boolean
  children: ComponentChildren
}

/** A part of a long form. */
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
