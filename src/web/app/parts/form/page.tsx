import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formDraft } from '../../drafts'
import { leavingFor } from '../../route'
import { isAway } from '../../store'
import { words } from '../../words'
import { editWords } from '../../words/edit'
import { privacyWords } from '../../words/privacy'
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
      place={editWords.editOf(name)}
      beside={
        <a class="beside" href={back}>
          <Icon name="back" />
          {editWords.backTo(backName)}
        </a>
      }
    >
      <form class="editing" onSubmit={submit} noValidate>
        <Elsewhere form={form} />
        {children}
        <div class="action-bar saving">
          <p class="problem" role="alert">
            {isAway.value ? words.notConnected : form.problem}
          </p>
          <button
            type="submit"
            class="main"
            aria-disabled={isAway.value}
            aria-busy={form.isBusy || undefined}
          >
            {words.save}
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
          aria-disabled={isAway.value}
          onClick={() => isAway.value || setAsking(true)}
        >
          {words.remove}
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
    <Sheet heading={editWords.leaveAsk} onClose={stay}>
      <p>{editWords.leaveEffect}</p>
      <button type="button" class="main" onClick={stay}>
        {editWords.stay}
      </button>
      <button type="button" class="danger" onClick={leave}>
        {editWords.leave}
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
            <b>{editWords.changedElsewhere(labelOf(key).toLowerCase())}</b>{' '}
            {editWords.theirValue(tellValue(form.theirs(key)))}
          </p>
          <div class="row">
            {(['theirs', 'mine'] as const).map((whose) => (
              <button
                key={whose}
                type="button"
                aria-label={editWords.choiceOf(editWords[whose], labelOf(key))}
                onClick={() => form.settle(key, whose)}
              >
                {editWords[whose]}
              </button>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

export function labelOf(key: string): string {
  return editWords.fields[key] ?? privacyWords.levels[key] ?? key
}

/** A value as it is read in a sentence. */
function tellValue(value: unknown): string {
  if (value === null || value === '') return editWords.nothing
  if (value === 'public' || value === 'private') return privacyWords[value]
  if (typeof value === 'boolean') return value ? editWords.yes : editWords.no
  if (!Array.isArray(value)) return `“${value}”`
  if (value.length === 0) return editWords.nothing
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
