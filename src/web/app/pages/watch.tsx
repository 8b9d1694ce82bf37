import { useEffect, useState } from 'preact/hooks'
import { ask, Refused } from '../client'
import { follow } from '../live'
import { Door } from '../parts/door'
import { Face } from '../parts/face'
import { words } from '../words'

interface Someone {
  id: string
  name: string
  display_name: string | null
  pronouns: string | null
  color: string | null
  avatar_url: string | null
}

interface Front {
  timestamp: string
  members: Someone[]
  hidden?: number
}

type State = { is: 'asking' } | { is: 'over' } | { is: 'open'; front: Front | null }

/** What a friend sees: who is here, live, and nothing else. */
export function Watch({ token }: { token: string }) {
  const [name, setName] = useState<string | null>(null)
  const [state, setState] = useState<State>({ is: 'asking' })
  const [isLive, setLive] = useState(false)

  useEffect(() => {
    ask<{ name: string | null; id: string }>('v2/systems/@me', { token }).then(
      (system) => setName(system?.name ?? system?.id ?? null),
      (cause) => cause instanceof Refused && cause.status === 401 && setState({ is: 'over' }),
    )
    return follow({
      path: 'v2/systems/@me/fronters/stream',
      token,
      told(event) {
        if (event.name === 'fronters') setState({ is: 'open', front: JSON.parse(event.data) })
      },
      changed(now) {
        setLive(now === 'live')
        if (now === 'refused') setState({ is: 'over' })
      },
    }).stop
  }, [token])

  if (state.is === 'over')
    return (
      <Door heading={words.title}>
        <p role="alert">{words.watchIsOver}</p>
      </Door>
    )
  return (
    <Door heading={name ?? words.title}>
      <section class="here" aria-busy={state.is === 'asking'} aria-live="polite">
        <h2 class="quiet small">{words.hereNow}</h2>
        {state.is === 'open' && <Fronters front={state.front} />}
      </section>
      <p class="quiet small">{isLive ? words.live : words.connecting}</p>
    </Door>
  )
}

function Fronters({ front }: { front: Front | null }) {
  if (front === null) return <p>{words.nothingYet}</p>
  const hidden = front.hidden ?? 0
  if (front.members.length === 0 && hidden === 0) return <p>{words.nobody}</p>
  return (
    <>
      <ul>
        {front.members.map((member) => (
          <li class="someone" key={member.id}>
            <Face of={member} size="l" />
            <div>
              <span class="name">{member.display_name ?? member.name}</span>{' '}
              {member.pronouns && <span class="quiet">{member.pronouns}</span>}
              <div class="quiet small">{words.since(spellTime(front.timestamp))}</div>
            </div>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="quiet">{words.someHidden(hidden)}</p>}
    </>
  )
}

function spellTime(iso: string): string {
  const time = new Date(iso)
  const isToday = time.toDateString() === new Date().toDateString()
  return time.toLocaleString(undefined, {
    ...(isToday ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
  })
}
