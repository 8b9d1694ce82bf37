import { useEffect, useState } from 'preact/hooks'
import { ask, Refused } from '../client'
import { type Followed, follow, type LiveState } from '../live'
import type { ShownFront } from '../outside'
import { Door } from '../parts/door'
import { Fronters } from '../parts/fronters'
import { whileSeen } from '../seen'
import { words } from '../words'

type State = { is: 'asking' } | { is: 'over' } | { is: 'open'; front: ShownFront | null }

/** What a friend sees: who is here, live, in large, and nothing else. */
export function Watch({ token: given }: { token: string }) {
  const token = given || recallToken()
  const [name, setName] = useState<string | null>(null)
  const [state, setState] = useState<State>({ is: 'asking' })
  const [link, setLink] = useState<LiveState | 'off'>('connecting')

  useEffect(() => installAs(token), [token])
  useEffect(() => {
    // Whoever is asked later may be slower than the stream, and knows no more.
    const askName = () =>
      ask<{ name: string | null }>('v2/systems/@me', { token }).then(
        (system) => setName(system?.name ?? null),
        (cause) => cause instanceof Refused && cause.status === 401 && setState({ is: 'over' }),
      )
    const start = () =>
      follow({
        path: 'v2/systems/@me/fronters/stream',
        token,
        told(event) {
          if (event.name === 'fronters') setState({ is: 'open', front: JSON.parse(event.data) })
        },
        changed(now) {
          setLink(now)
          if (now === 'live') askName()
          if (now === 'refused') setState({ is: 'over' })
        },
      })
    let following: Followed = start()
    const hurry = () => following.hurry()
    const leave = whileSeen({
      rest() {
        following.stop()
        setLink('off')
      },
      wake() {
        following = start()
      },
    })
    addEventListener('online', hurry)
    return () => {
      following.stop()
      leave()
      removeEventListener('online', hurry)
    }
  }, [token])

  if (state.is === 'over')
    return (
      <Door heading={words.title}>
        <p role="alert">{words.watchIsOver}</p>
      </Door>
    )
  return (
    <Door heading={name ?? words.hereNow} isWide>
      <Fronters front={state.is === 'open' ? state.front : null} isBusy={state.is === 'asking'} />
      <p class={`quiet small link link-${link}`} role="status">
        {link === 'live' ? words.live : link === 'away' ? words.watchIsAway : words.connecting}
      </p>
    </Door>
  )
}

const KEY = 'multitude-watch'

/**
 * Installed from here it opens here. No manifest can name a link that is a friend's own, so that one
 * is remembered which was installed; browsers that install any page without one take the address.
 */
function installAs(token: string): () => void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')
  const isAsked = 'onbeforeinstallprompt' in window
  if (isAsked) manifest?.setAttribute('href', 'watch.webmanifest')
  else manifest?.remove()
  const remember = () => localStorage.setItem(KEY, token)
  addEventListener('appinstalled', remember)
  return () => {
    removeEventListener('appinstalled', remember)
    manifest?.setAttribute('href', 'app.webmanifest')
    if (manifest && !isAsked) document.head.append(manifest)
  }
}

function recallToken(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}
