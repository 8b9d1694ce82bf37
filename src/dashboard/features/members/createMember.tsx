import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Problem } from '../../../model/core/validation'
import { member } from '../../../model/members/member'
import { ApiError, errorMessage, problemMessage } from '../../api/client'
import { api } from '../../api/resources'
import { showToast } from '../../core/actions'
import { isOffline, memberWord, putMembers } from '../../core/store'
import { useAction } from '../../core/useAction'
import { moreStrings, strings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'

/** Creates a member from a name alone. */
export async function createMember(name: string): Promise<void> {
  const created = await api.v2Members.create({ name })
  if (!created) return
  putMembers([created])
  showToast({ text: strings.isAdded(name) })
}

/** Shown while the system has no members. */
export function EmptyState() {
  return (
    <section class="card">
      <h2>{strings.noMembers(memberWord.value)}</h2>
      <a class="button" href="#/import">
        {moreStrings.importMembers}
      </a>
      <NameForm label={strings.addFirst(memberWord.value)} onName={createMember} />
    </section>
  )
}

interface NameProps {
  label: string
  initial?: string
  onName: (name: string) => Promise<void>
  onTyped?: (name: string) => void
  /** Further fields. */
  children?: ComponentChildren
}

/** Form for a name, validated before it is sent. */
export function NameForm({ label, initial = '', onName, onTyped, children }: NameProps) {
  const [name, setName] = useState(initial)
  const { onSubmit, problem, setProblem, isBusy } = useAction({ explain: explainName })
  const submit = () => {
    if (name.trim() === '') return setProblem(strings.enterName)
    // All names have the same limit.
    const checked = member.fields.name.parse(name.trim())
    if (checked instanceof Problem) return setProblem(problemMessage(checked))
    return onName(checked)
  }
  return (
    <form onSubmit={onSubmit(submit)} noValidate>
      <label class="field">
        {strings.name}
        <input
          value={name}
          dir="auto"
          autocomplete="off"
          aria-invalid={problem !== ''}
          aria-describedby="name-problem"
          onInput={(event) => {
            setName(event.currentTarget.value)
            onTyped?.(event.currentTarget.value)
            setProblem('')
          }}
        />
      </label>
      <ProblemText id="name-problem" text={problem} />
      {children}
      <button
        class="main"
        type="submit"
        aria-disabled={isOffline.value}
        aria-busy={isBusy || undefined}
      >
        {label}
      </button>
    </form>
  )
}

/** Describes the problem of the `name` field, if there is one. */
function explainName(cause: unknown): string {
  const problem = cause instanceof ApiError ? cause.problems.name?.[0] : undefined
  return problem ? problemMessage(problem) : errorMessage(cause)
}
