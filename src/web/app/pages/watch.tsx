import { useEffect, useState } from 'preact/hooks'
import { ApiError, request } from '../api'
import { CenteredPage } from '../components/centeredPage'
import { Fronters } from '../components/fronters'
import { type LiveState, type Subscription, subscribe } from '../eventStream'
import { onPageVisibility } from '../pageVisibility'
import type { PublicFront } from '../publicView'
import { strings } from '../strings'

type State = { is: 'asking' } | { is: 'over' } | { is: 'open'; front: PublicFront | null }

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
      request<{ name: string | null }>('v2/systems/@me', { token }).then(
        (system) => setName(system?.name ?? null),
        (cause) => cause instanceof ApiError && cause.status === 401 && setState({ is: 'over' }),
      )
    const start = () =>
      subscribe({
        path: 'v2/systems/@me/fronters/stream',
        token,
        onEvent(event) {
          if (event.name === 'fronters') setState({ is: 'open', front: JSON.parse(event.data) })
        },
        onStateChange(now) {
          setLink(now)
          if (now === 'live') askName()
          if (now === 'refused') setState({ is: 'over' })
        },
      })
    let following: Subscription = start()
    const hurry = () => following.reconnectNow()
    const leave = onPageVisibility({
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
      <CenteredPage heading={strings.title}>
        <p role="alert">{strings.watchIsOver}</p>
      </CenteredPage>
    )
  return (
    <CenteredPage heading={name ?? strings.hereNow} isWide>
      <Fronters front={state.is === 'open' ? state.front : null} isBusy={state.is === 'asking'} />
      <p class={`quiet small link link-${link}`} role="status">
        {link === 'live'
          ? strings.live
          : link === 'away'
            ? strings.watchIsAway
            : strings.connecting}
      </p>
    </CenteredPage>
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
