import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { ask, Refused } from '../client'
import { follow } from '../live'
import { hidden, LATELY, type Outside, type ShownFront, type ShownSwitch } from '../outside'
import { Door } from '../parts/door'
import { Mark } from '../parts/mark'
import { OutsideView } from '../parts/outsideView'
import { Waiting } from '../parts/page'
import { whileSeen } from '../seen'
import type { Group, Member, System } from '../things'
import { words } from '../words'
import { outsideWords } from '../words/outside'

type State = { is: 'asking' } | { is: 'nobody' } | { is: 'away' } | { is: 'open'; seen: Outside }

/** What anyone sees of a system, without being in; who is here is live. */
export function Public({ of }: { of: string }) {
  const [state, setState] = useState<State>({ is: 'asking' })
  const load = async () => {
    setState({ is: 'asking' })
    try {
      setState({ is: 'open', seen: await loadOutside(of) })
    } catch (cause) {
      const isNobody = cause instanceof Refused && (cause.status === 404 || cause.status === 400)
      setState({ is: isNobody ? 'nobody' : 'away' })
    }
  }
  useEffect(() => {
    load()
  }, [of])

  const isLive = state.is === 'open' && state.seen.front !== hidden
  useEffect(() => {
    if (!isLive) return
    return followFront(of, (front) =>
      setState((now) => (now.is === 'open' ? { is: 'open', seen: { ...now.seen, front } } : now)),
    )
  }, [of, isLive])

  if (state.is === 'nobody')
    return (
      <Door heading={outsideWords.nobodyByThatId}>
        <p>{outsideWords.nobodyMore}</p>
        <a class="beside" href="#/now">
          {outsideWords.home}
        </a>
      </Door>
    )
  if (state.is === 'away')
    return (
      <Door heading={words.title}>
        <p role="alert">{words.away}</p>
        <button type="button" onClick={load}>
          {words.tryAgain}
        </button>
      </Door>
    )
  return (
    <div class="middle public">
      <nav aria-label={words.places}>
        <a class="beside" href="#/now">
          <Mark />
          {words.title}
        </a>
      </nav>
      {state.is === 'asking' ? (
        <main class="page" aria-busy="true">
          <Waiting blocks={['card', 'tiles']} />
        </main>
      ) : (
        <Seen seen={state.seen} />
      )}
    </div>
  )
}

function Seen({ seen }: { seen: Outside }) {
  const name = seen.system.name || outsideWords.system(seen.system.id)
  useLayoutEffect(() => {
    document.title = `${name} · ${words.title}`
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [name])
  return (
    <main class="page">
      <OutsideView seen={seen} word={outsideWords.members} />
    </main>
  )
}

/** As anybody, also where somebody is logged in: what they see is not what others see. */
async function loadOutside(of: string): Promise<Outside> {
  const path = `v2/systems/${encodeURIComponent(of)}`
  const read = <T,>(rest: string) => ask<T>(`${path}${rest}`, { isStranger: true })
  const list = <T,>(rest: string) =>
    read<T>(rest).catch((cause: unknown): typeof hidden => {
      if (cause instanceof Refused && cause.status === 403) return hidden
      throw cause
    })
  const [system, members, groups, front, switches] = await Promise.all([
    read<System>(''),
    list<Member[]>('/members'),
    list<Group[]>('/groups?with_members=true'),
    list<ShownFront>('/fronters'),
    list<ShownSwitch[]>(`/switches?limit=${LATELY}`),
  ])
  if (!system) throw new Refused(404, '', 0)
  return { system, members: members ?? [], groups: groups ?? [], front, switches: switches ?? [] }
}

function followFront(of: string, told: (front: Outside['front']) => void): () => void {
  const start = () =>
    follow({
      path: `v2/systems/${encodeURIComponent(of)}/fronters/stream`,
      isStranger: true,
      told: ({ name, data }) => name === 'fronters' && told(JSON.parse(data)),
      changed: (state) => state === 'refused' && told(hidden),
    })
  let following = start()
  const leave = whileSeen({
    rest: () => following.stop(),
    wake() {
      following = start()
    },
  })
  return () => {
    following.stop()
    leave()
  }
}
