import { useState } from 'preact/hooks'
import { announce, toast } from '../actions'
import { ApiError, errorMessage, requestOwn } from '../api'
import { isOffline, loadMember, type Member, preferences } from '../store'
import { strings } from '../strings'
import { listStrings } from '../strings/members'
import { Sheet } from './sheet'

/** Makes a member with only a name. */
export async function createMember(name: string): Promise<void> {
  const made = await requestOwn<Member>('v2/members', { method: 'POST', body: { name } })
  if (!made) return
  await loadMember(made.uuid)
  toast.value = { text: strings.isMade(name) }
  announce(strings.isMade(name))
}

/** The first visit: nobody lives here yet. */
export function EmptyState() {
  return (
    <section class="card">
      <h2>{strings.nobodyLives}</h2>
      <a class="button" href="#/import">
        {strings.bringThem}
      </a>
      <NameForm act={strings.makeTheFirst(preferences.value.word)} onName={createMember} />
    </section>
  )
}

/** Somebody new needs a name only; everything else is on their page. */
export function CreateMemberSheet({ onClose }: { onClose: () => void }) {
  const make = async (name: string) => {
    await createMember(name)
    onClose()
  }
  return (
    <Sheet heading={listStrings.makeSomeone} onClose={onClose}>
      <NameForm act={listStrings.make} onName={make} />
    </Sheet>
  )
}

interface NameProps {
  act: string
  onName: (name: string) => Promise<void>
}

/** Asks for a name; what is wrong with it is told before it is sent. */
export function NameForm({ act, onName }: NameProps) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    if (name.trim() === '') return setProblem(strings.nameThem)
    if (isOffline.value) return setProblem(strings.notConnected)
    setBusy(true)
    await onName(name.trim()).catch((cause) => setProblem(explainName(cause)))
    setBusy(false)
  }
  return (
    <form onSubmit={submit} noValidate>
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
      <p id="name-problem" class="problem" role="alert">
        {problem}
      </p>
      <button
        class="main"
        type="submit"
        aria-disabled={isOffline.value}
        aria-busy={isBusy || undefined}
      >
        {act}
      </button>
    </form>
  )
}

/** The server tells what is wrong with a name beside the name of the field. */
function explainName(cause: unknown): string {
  const told = cause instanceof ApiError ? cause.problems.name?.[0]?.message : undefined
  return told ?? errorMessage(cause, strings.away)
}
