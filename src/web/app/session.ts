import { effect, signal } from '@preact/signals'
import { ApiError, isSessionOver, request } from './api'
import { dropDrafts } from './drafts'
import { type Subscription, subscribe } from './eventStream'
import { type Invalidation, invalidationFor, mergeInvalidations } from './invalidation'
import { onPageVisibility } from './pageVisibility'
import {
  clearStore,
  connectionState,
  invalidateAccounts,
  isLoaded,
  loadAhead,
  loadAll,
  loadGroup,
  loadGroups,
  loadMember,
  loadMembers,
  loadSettings,
  loadSwitch,
  loadSwitches,
  loadSystem,
  reloadAll,
} from './store'

/** Whether somebody is in, and the one stream by which the page follows what happens. */
export const sessionState = signal<'asking' | 'in' | 'out' | 'away'>('asking')

/** What comes in one breath is fetched together. */
const DEBOUNCE_MS = 60

/**
 * Looks whether a session is there, and begins to follow. Who was in when this browser was last
 * here most likely still is: their things are asked for at once, and tell if that is over.
 */
export async function restoreSession(): Promise<void> {
  try {
    if (!wasLoggedIn()) await request('web/session')
    isSessionOver.value = false
    sessionState.value = 'in'
  } catch (cause) {
    sessionState.value = cause instanceof ApiError && cause.status === 401 ? 'out' : 'away'
  }
}

/** On purpose: nothing is kept for whoever comes next. */
export function clearSession(): void {
  dropDrafts()
  sessionState.value = 'out'
}

/** Follows while somebody is in; to be called once. */
export function startSync(): void {
  let following: Subscription | undefined
  let wasLive = false

  const start = (lastEventId?: string) => {
    connectionState.value = 'connecting'
    following = subscribe({
      path: 'v2/systems/@me/events',
      lastEventId,
      onEvent: ({ name, data }) => collect(invalidationFor(name, data)),
      onStateChange(state) {
        if (state === 'refused') {
          isSessionOver.value = true
          return
        }
        connectionState.value =
          state === 'connecting' && connectionState.value === 'away' ? 'away' : state
        if (state !== 'live') return
        // Without the number of an event, nobody could say what was missed.
        if (!isLoaded.value || (wasLive && !following?.lastEventId)) load()
        else if (!wasLive) loadSwitches().catch(ignoreError)
        wasLive = true
      },
    })
  }

  const load = () => loadAll().then(loadAhead).catch(ignoreError)

  effect(() => {
    if (isSessionOver.value && sessionState.peek() === 'in') sessionState.value = 'out'
  })

  effect(() => {
    if (sessionState.value === 'in') {
      rememberLoggedIn(true)
      wasLive = false
      load()
      start()
      return
    }
    following?.stop()
    following = undefined
    if (sessionState.value !== 'out') return
    rememberLoggedIn(false)
    clearStore()
  })

  let resting: { lastEventId: string | undefined } | undefined
  onPageVisibility({
    rest() {
      if (!following) return
      resting = { lastEventId: following.lastEventId }
      following.stop()
      following = undefined
      connectionState.value = 'off'
    },
    wake() {
      if (resting && !following && sessionState.value === 'in') start(resting.lastEventId)
      resting = undefined
    },
  })
  addEventListener('online', () => following?.reconnectNow())
  addEventListener('offline', () => {
    if (!following) return
    const { lastEventId } = following
    following.stop()
    start(lastEventId)
    connectionState.value = 'away'
  })
}

const KEY = 'multitude-in'

/** Some browsers keep nothing. */
function wasLoggedIn(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}

function rememberLoggedIn(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(KEY, '')
    else localStorage.removeItem(KEY)
  } catch {}
}

const waiting = signal<readonly Invalidation[]>([])

function collect(news: Invalidation | null): void {
  if (!news) return
  if (waiting.value.length === 0) setTimeout(refetchStale, DEBOUNCE_MS)
  waiting.value = [...waiting.value, news]
}

async function refetchStale(): Promise<void> {
  const news = mergeInvalidations(waiting.value)
  waiting.value = []
  await Promise.all(news.map((one) => refetch(one).catch(ignoreError)))
}

function refetch(one: Invalidation): Promise<void> {
  if (one.kind === 'switch') return loadSwitch(one.uuid)
  if (one.kind === 'member') return loadMember(one.uuid)
  if (one.kind === 'group') return loadGroup(one.uuid)
  const lists = {
    system: loadSystem,
    settings: loadSettings,
    accounts: invalidateAccounts,
    members: loadMembers,
    groups: loadGroups,
    switches: loadSwitches,
    all: reloadAll,
  }
  return lists[one.kind]()
}

/** Whoever is away is told so by the stream; there is nothing to add here. */
function ignoreError(): void {}
