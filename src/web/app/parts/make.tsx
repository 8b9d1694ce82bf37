import { useState } from 'preact/hooks'
import { say, toast } from '../acts'
import { askOwn, explainRefusal, Refused } from '../client'
import { isAway, loadMember, type Member, preferences } from '../store'
import { words } from '../words'
import { listWords } from '../words/members'
import { Sheet } from './sheet'

/** Makes a member with only a name. */
export async function makeMember(name: string): Promise<void> {
  const made = await askOwn<Member>('v2/members', { method: 'POST', body: { name } })
  if (!made) return
  await loadMember(made.uuid)
  toast.value = { text: words.isMade(name) }
  say(words.isMade(name))
}

/** The first visit: nobody lives here yet. */
export function MakeFirst() {
  return (
    <section class="card">
      <h2>{words.nobodyLives}</h2>
      <a class="button" href="#/import">
        {words.bringThem}
      </a>
      <NameForm act={words.makeTheFirst(preferences.value.word)} onName={makeMember} />
    </section>
  )
}

/** Somebody new needs a name only; everything else is on their page. */
export function MakeSheet({ onClose }: { onClose: () => void }) {
  const make = async (name: string) => {
    await makeMember(name)
    onClose()
  }
  return (
    <Sheet heading={listWords.makeSomeone} onClose={onClose}>
      <NameForm act={listWords.make} onName={make} />
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
    if (name.trim() === '') return setProblem(words.nameThem)
    if (isAway.value) return setProblem(words.notConnected)
    setBusy(true)
    await onName(name.trim()).catch((cause) => setProblem(explainName(cause)))
    setBusy(false)
  }
  return (
    <form onSubmit={submit} noValidate>
      <label class="field">
        {words.name}
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
        aria-disabled={isAway.value}
        aria-busy={isBusy || undefined}
      >
        {act}
      </button>
    </form>
  )
}

/** The server tells what is wrong with a name beside the name of the field. */
function explainName(cause: unknown): string {
  const told = cause instanceof Refused ? cause.problems.name?.[0]?.message : undefined
  return told ?? explainRefusal(cause, words.away)
}
