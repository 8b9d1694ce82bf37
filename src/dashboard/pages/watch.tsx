import { useEffect, useState } from 'preact/hooks'
import { ApiError, requestOnce } from '../api/client'
import { systemPath } from '../api/paths'
import { frontStreamPath } from '../api/resources'
import type { PublicFront } from '../api/types'
import type { LiveState } from '../core/eventStream'
import { manifestPath } from '../core/language'
import { subscribeWhileVisible } from '../core/visibleStream'
import { Fronters } from '../features/privacy/fronters'
import { publicViewStrings, strings } from '../texts/texts'
import { CenteredPage } from '../ui/centeredPage'
import { lazy } from '../ui/lazy'

/** Loaded on demand, so that it never delays the stream. */
const Notifications = lazy(
  async () => (await import('../features/push/notificationsCard')).Notifications,
)

type State = { is: 'loading' } | { is: 'over' } | { is: 'open'; front: PublicFront | null }

/** Page of a friend link: the current fronters, live, and nothing else. */
export function Watch({ token: routeToken }: { token: string }) {
  const token = routeToken || loadToken()
  const [name, setName] = useState<string | null>(null)
  const [state, setState] = useState<State>({ is: 'loading' })
  const [link, setLink] = useState<LiveState | 'off'>('connecting')

  useEffect(() => prepareInstall(token), [token])
  useEffect(() => {
    // Requested after connecting, so that it never delays the stream.
    const loadName = () =>
      requestOnce(systemPath, { token }).then(
        (system) => setName(system?.name ?? null),
        (cause) => cause instanceof ApiError && cause.status === 401 && setState({ is: 'over' }),
      )
    const stream = {
      path: frontStreamPath,
      token,
      onEvent(event: { name: string; data: string }) {
        if (event.name === 'front') setState({ is: 'open', front: JSON.parse(event.data) })
      },
      onStateChange(now: LiveState) {
        setLink(now)
        if (now === 'live') loadName()
        if (now === 'refused') setState({ is: 'over' })
      },
    }
    return subscribeWhileVisible(stream, () => setLink('off'))
  }, [token])

  if (state.is === 'over')
    return (
      <CenteredPage heading={strings.title}>
        <p role="alert">{publicViewStrings.watchIsOver}</p>
      </CenteredPage>
    )
  return (
    <CenteredPage heading={name ?? strings.hereNow} isWide>
      <Fronters front={state.is === 'open' ? state.front : null} isBusy={state.is === 'loading'} />
      <p class={`quiet small link link-${link}`} role="status">
        {link === 'live'
          ? strings.live
          : link === 'away'
            ? publicViewStrings.reconnecting
            : strings.connecting}
      </p>
      {state.is === 'open' && (
        <Notifications token={token} onTurnOn={() => localStorage.setItem(KEY, token)} />
      )}
    </CenteredPage>
  )
}

const KEY = 'multitude-watch'

/**
 * Prepares the page to be installed as an app. A manifest cannot contain the friend's token, so the
 * installed token is stored. Browsers that install pages without a manifest use the current URL.
 */
function prepareInstall(token: string): () => void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')
  const hasInstallPrompt = 'onbeforeinstallprompt' in window
  if (hasInstallPrompt) manifest?.setAttribute('href', manifestPath('watch'))
  else manifest?.remove()
  const remember = () => localStorage.setItem(KEY, token)
  addEventListener('appinstalled', remember)
  return () => {
    removeEventListener('appinstalled', remember)
    manifest?.setAttribute('href', manifestPath('app'))
    if (manifest && !hasInstallPrompt) document.head.append(manifest)
  }
}

function loadToken(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}
