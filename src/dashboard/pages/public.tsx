import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { ApiError, requestOnce } from '../api/client'
import type { Path } from '../api/json'
import { publicPaths } from '../api/resources'
import type { PublicSwitch } from '../api/types'
import { readMember } from '../core/store'
import { subscribeWhileVisible } from '../core/visibleStream'
import { PublicProfile } from '../features/privacy/publicProfile'
import { hidden, type PublicView, RECENT_SWITCHES } from '../features/privacy/publicView'
import { publicViewStrings, strings } from '../texts/texts'
import { CenteredPage, Unreachable } from '../ui/centeredPage'
import { Logo } from '../ui/logo'
import { Skeleton } from '../ui/page'

type State =
  | { is: 'loading' }
  | { is: 'nobody' }
  | { is: 'away' }
  | { is: 'open'; view: PublicView }

/** Public page of a system. Needs no login; the fronters are live. */
export function Public({ of }: { of: string }) {
  const [state, setState] = useState<State>({ is: 'loading' })
  const load = async () => {
    setState({ is: 'loading' })
    try {
      setState({ is: 'open', view: await loadPublicView(of) })
    } catch (cause) {
      const isUnknown = cause instanceof ApiError && (cause.status === 404 || cause.status === 400)
      setState({ is: isUnknown ? 'nobody' : 'away' })
    }
  }
  useEffect(() => {
    load()
  }, [of])

  const isLive = state.is === 'open' && state.view.front !== hidden
  useEffect(() => {
    if (!isLive) return
    return subscribeToFront(of, (front) =>
      setState((now) => (now.is === 'open' ? { is: 'open', view: { ...now.view, front } } : now)),
    )
  }, [of, isLive])

  if (state.is === 'nobody')
    return (
      <CenteredPage heading={publicViewStrings.nobodyByThatId}>
        <p>{publicViewStrings.nobodyMore}</p>
        <a class="beside" href="#/now">
          {publicViewStrings.home}
        </a>
      </CenteredPage>
    )
  if (state.is === 'away') return <Unreachable onRetry={load} />
  return (
    <div class="middle public">
      <nav aria-label={strings.navigation}>
        <a class="beside" href="#/now">
          <Logo />
          {strings.title}
        </a>
      </nav>
      {state.is === 'loading' ? (
        <main class="page" aria-busy="true">
          <Skeleton blocks={['card', 'tiles']} />
        </main>
      ) : (
        <PublicPageContent view={state.view} />
      )}
    </div>
  )
}

function PublicPageContent({ view }: { view: PublicView }) {
  const name = view.system.name || publicViewStrings.system(view.system.id)
  useLayoutEffect(() => {
    document.title = `${name} · ${strings.title}`
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [name])
  return (
    <main class="page">
      <PublicProfile view={view} word={strings.words.members} />
    </main>
  )
}

/** Requests without the session cookie: the owner would get private data, too. */
async function loadPublicView(id: string): Promise<PublicView> {
  const paths = publicPaths(id)
  const read = <T,>(path: Path<T>) => requestOnce(path, { isAnonymous: true })
  const list = <T,>(path: Path<T>) =>
    read(path).catch((cause: unknown): typeof hidden => {
      if (cause instanceof ApiError && cause.status === 403) return hidden
      throw cause
    })
  const [system, members, groups, front, switches] = await Promise.all([
    read(paths.system),
    list(paths.members),
    list(paths.groups),
    list(paths.front),
    list<readonly PublicSwitch[]>(`${paths.switches}?limit=${RECENT_SWITCHES}`),
  ])
  if (!system) throw new ApiError(404, '', 0)
  const hasValues =
    members !== hidden && members?.some(({ fields }) => Object.keys(fields).length > 0)
  return {
    system,
    members: members === hidden ? hidden : (members ?? []).map(readMember),
    fields: (hasValues && (await read(paths.fields))) || [],
    groups: groups ?? [],
    front,
    switches: switches ?? [],
  }
}

function subscribeToFront(id: string, onFront: (front: PublicView['front']) => void): () => void {
  return subscribeWhileVisible({
    path: publicPaths(id).stream,
    isAnonymous: true,
    onEvent: ({ name, data }) => name === 'front' && onFront(JSON.parse(data)),
    onStateChange: (state) => state === 'refused' && onFront(hidden),
  })
}
