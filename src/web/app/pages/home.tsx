import { useEffect, useState } from 'preact/hooks'
import { ask, Refused } from '../client'
import { Door } from '../parts/door'
import { words } from '../words'
import { Login } from './login'

export interface Here {
  system: { id: string; uuid: string; name: string | null }
  session: { id: string; name: string }
}

type State = { is: 'asking' } | { is: 'in'; here: Here } | { is: 'out' } | { is: 'away' }

/** Who is in gets their place; everybody else the door. */
export function Home() {
  const [state, setState] = useState<State>({ is: 'asking' })
  const look = () =>
    ask<Here>('web/session').then(
      (here) => setState(here ? { is: 'in', here } : { is: 'out' }),
      (cause) =>
        setState({ is: cause instanceof Refused && cause.status === 401 ? 'out' : 'away' }),
    )
  useEffect(() => {
    look()
  }, [])

  if (state.is === 'asking') return <main class="door" aria-busy="true" />
  if (state.is === 'out') return <Login code="" onEnter={look} />
  if (state.is === 'away')
    return (
      <Door heading={words.title}>
        <p>{words.away}</p>
        <button type="button" onClick={look}>
          {words.toLogin}
        </button>
      </Door>
    )
  const { system } = state.here
  return (
    <Door heading={words.inAs(system.name ?? system.id)}>
      <p>
        {words.inMore} <a href="docs">{words.apiPage}</a>
      </p>
      <button
        type="button"
        onClick={async () => {
          await ask('web/session', { method: 'DELETE' }).catch(() => {})
          setState({ is: 'out' })
        }}
      >
        {words.logOut}
      </button>
    </Door>
  )
}
