import { useState } from 'preact/hooks'
import { showToast } from '../actions'
import { ApiError, errorMessage, requestOwn } from '../api'
import { isOffline, type Member, preferences, putMembers } from '../store'
import { strings } from '../strings'
import { listStrings } from '../strings/members'
import { useAction } from '../useAction'
import { ProblemText } from './problemText'
import { Sheet } from './sheet'

/** Creates a member from a name alone. */
export async function createMember(name: string): Promise<void> {
  const created = await requestOwn<Member>('v2/members', { method: 'POST', body: { name } })
  if (!created) return
  putMembers([created])
  showToast({ text: strings.isMade(name) })
}

/** Shown while the system has no members. */
export function EmptyState() {
  return (
    <section class="card">
      <h2>{strings.nobodyLives}</h2>
      <a class="button" href="#/import">
        {strings.bringThem}
      </a>
      <NameForm label={strings.makeTheFirst(preferences.value.word)} onName={createMember} />
    </section>
  )
}

/** Asks for the name only; everything else is edited on the member's page. */
export function CreateMemberSheet({ onClose }: { onClose: () => void }) {
  const create = async (name: string) => {
    await createMember(name)
    onClose()
  }
  return (
    <Sheet heading={listStrings.makeSomeone} onClose={onClose}>
      <NameForm label={listStrings.make} onName={create} />
    </Sheet>
  )
}

interface NameProps {
  label: string
  onName: (name: string) => Promise<void>
}

/** Form for a name, validated before it is sent. */
export function NameForm({ label, onName }: NameProps) {
  const [name, setName] = useState('')
  const { onSubmit, problem, setProblem, isBusy } = useAction({ explain: explainName })
  const submit = () => (name.trim() === '' ? setProblem(strings.nameThem) : onName(name.trim()))
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
            setProblem('')
          }}
        />
      </label>
      <ProblemText id="name-problem" text={problem} />
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

/** Returns the server's message for the `name` field, if there is one. */
function explainName(cause: unknown): string {
  const message = cause instanceof ApiError ? cause.problems.name?.[0]?.message : undefined
  return message ?? errorMessage(cause)
}
