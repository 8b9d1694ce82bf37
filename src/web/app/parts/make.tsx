import { useState } from 'preact/hooks'
import { say, toast } from '../acts'
import { askOwn, explainRefusal } from '../client'
import { isAway, loadMember, type Member } from '../store'
import { words } from '../words'

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
  const [name, setName] = useState('')
  const [problem, setProblem] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return setProblem(words.nameThem)
    if (isAway.value) return setProblem(words.notConnected)
    await makeMember(name.trim()).catch((cause) => setProblem(explainRefusal(cause, words.away)))
  }
  return (
    <section class="card">
      <h2>{words.nobodyLives}</h2>
      <a class="button" href="#/import">
        {words.bringThem}
      </a>
      <form onSubmit={submit} noValidate>
        <label class="field">
          {words.name}
          <input
            value={name}
            aria-invalid={problem !== ''}
            aria-describedby="name-problem"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p id="name-problem" class="problem" role="alert">
          {problem}
        </p>
        <button class="main" type="submit">
          {words.makeTheFirst}
        </button>
      </form>
    </section>
  )
}
