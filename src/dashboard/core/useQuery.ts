import { useEffect, useState } from 'preact/hooks'
import { errorMessage, request } from '../api/client'
import type { Path } from '../api/json'
import type { PageData } from './invalidation'
import { isOffline, versionOf } from './store'

interface Query<T> {
  /** Null until it has arrived. */
  readonly data: T | null
  /** Problem of the last request; '' without one. */
  readonly problem: string
  readonly reload: () => void
}

/** Loads data of the logged-in system for a page, and again after events about it. */
export function useQuery<T>(path: Path<T>, kind: PageData): Query<T> {
  return useLoaded(path, kind, (signal) => request(path, { signal }))
}

/** Items requested at once. */
const PAGE_SIZE = 50

interface Pages<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

/**
 * Loads a list that grows, newest first, page by page. The path may have a query. After events it
 * loads as many items as are shown.
 */
export function usePages<T extends { id: string }>(path: Path<readonly T[]>, kind: PageData) {
  const [size, setSize] = useState(PAGE_SIZE)
  const load = async (signal: AbortSignal, loaded: Pages<T> | null) => {
    // Only more items were requested.
    let items = loaded && loaded.items.length < size ? loaded.items : []
    for (;;) {
      const page = (await request<T[]>(pagePath(path, items.at(-1)?.id), { signal })) ?? []
      items = [...items, ...page]
      const hasMore = page.length === PAGE_SIZE
      if (!hasMore || items.length >= size) return { items, hasMore }
    }
  }
  const { data, problem, reload } = useLoaded<Pages<T>>(path, kind, load, size)
  return {
    items: data?.items ?? null,
    hasMore: data?.hasMore ?? false,
    problem,
    reload,
    loadMore: () => setSize((data?.items.length ?? 0) + PAGE_SIZE),
  }
}

function pagePath(path: string, before: string | undefined): string {
  const query = `limit=${PAGE_SIZE}${before === undefined ? '' : `&before=${before}`}`
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

interface State<T> {
  readonly path: string
  readonly version: number
  readonly data: T | null
  readonly problem: string
}

/** Calls `load` with the data that is loaded, or null if events made it stale. */
function useLoaded<T>(
  path: string,
  kind: PageData,
  load: (signal: AbortSignal, loaded: T | null) => Promise<T | null>,
  size = 0,
): Query<T> {
  const [attempts, setAttempts] = useState(0)
  const version = versionOf(kind) + attempts
  const [state, setState] = useState<State<T>>({ path, version, data: null, problem: '' })
  const data = state.path === path ? state.data : null
  useEffect(() => {
    if (isOffline.value) return
    const stop = new AbortController()
    const loaded = state.version === version ? data : null
    load(stop.signal, loaded).then(
      (news) => {
        if (!stop.signal.aborted) setState({ path, version, data: news, problem: '' })
      },
      (cause) => {
        if (stop.signal.aborted) return
        setState({ path, version: Number.NaN, data, problem: errorMessage(cause) })
      },
    )
    return () => stop.abort()
  }, [path, version, size, isOffline.value])
  const reload = () => setAttempts((count) => count + 1)
  return { data, problem: state.path === path ? state.problem : '', reload }
}
