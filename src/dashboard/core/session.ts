import { effect, signal } from '@preact/signals'
import { strings } from '../texts/texts'
import { toast } from './actions'
import {
  endedSessions,
  errorMessage,
  isSessionOver,
  isUnauthorized,
  request,
  runningChanges,
} from './api'
import { dropDrafts, dropStoredDrafts } from './drafts'
import { type Subscription, subscribe } from './eventStream'
import { type Invalidation, invalidationFor, mergeInvalidations } from './invalidation'
import { onPageVisibility } from './pageVisibility'
import {
  clearStore,
  connectionState,
  hasValues,
  increaseVersion,
  isDeviceOnline,
  isFromCopy,
  isLoaded,
  loadAhead,
  loadAll,
  loadGroup,
  loadGroups,
  loadMember,
  loadMembers,
  loadPreferences,
  loadSettings,
  loadStatuses,
  loadSwitch,
  loadSwitches,
  loadSystem,
  loadUnreadPosts,
  queueReady,
  reloadAll,
  removeGroupFromStore,
  removeMemberFromStore,
  removeSwitchFromStore,
  system,
} from './store'

/** Login state. While logged in, one event stream keeps the page up to date. */
export const sessionState = signal<'loading' | 'in' | 'out' | 'away'>('loading')

/** What the login page says about the session that ended; '' for nothing. */
export const loginNote = signal('')

/** Set by a login until what an earlier session stored is deleted. */
export const isNewLogin = signal(false)

/** How this browser logged in; `unknown` in earlier releases. */
export type LoginMethod = 'link' | 'token' | 'unknown'

/** Events that arrive within this time are fetched together. */
const DEBOUNCE_MS = 60
/** Limits how long events wait for the responses to changes. */
const MAX_WAITS = 50

/**
 * Detects an existing session. If this browser was logged in last time, data is requested at once,
 * and a 401 ends the session; otherwise the session is checked first.
 */
export async function restoreSession(): Promise<void> {
  if (stored(LEFT) !== null) {
    sessionState.value = 'out'
    return await endLeftSession()
  }
  try {
    if (!loginMethod()) await request('web/session')
    isSessionOver.value = false
    sessionState.value = 'in'
  } catch (cause) {
    sessionState.value = isUnauthorized(cause) ? 'out' : 'away'
    // An earlier visit may have ended before its copy was deleted.
    if (isUnauthorized(cause) && keepsData()) startOfflineUse()
  }
}

/** Sends a login. A session that this browser left ends before, because its cookie is replaced. */
export async function logIn<T>(path: string, body: object): Promise<T | null> {
  if (stored(LEFT) !== null) await endLeftSession()
  return await request<T>(path, { method: 'POST', body })
}

/** Ends the session that this browser left, now or when the server answers again. */
export function endLeftSession(): Promise<void> {
  return import('./leftSession').then(({ endOnServer }) => endOnServer()).catch(ignoreError)
}

/** Opens the dashboard after a login. */
export async function startSession(method: LoginMethod, isRemembered: boolean): Promise<void> {
  store(LEFT, null)
  // Drops the data of another system that this browser was logged in as.
  sessionState.value = 'out'
  rememberLogin(method)
  if (isRemembered) store(KEEPS, '1')
  isNewLogin.value = true
  loginNote.value = ''
  await restoreSession()
}

/** Deliberate logout: also drops unsent input. */
export function clearSession(): void {
  dropDrafts()
  loginNote.value = ''
  sessionState.value = 'out'
}

/** Problem of the first request for all data; '' without one. */
export const loadProblem = signal('')

/** Loads the data of the system. The event stream tries again only when it is connected anew. */
export async function loadSession(): Promise<void> {
  loadProblem.value = ''
  try {
    await loadAll()
  } catch (cause) {
    // Shows the login page, or belongs to an earlier session.
    if (!isUnauthorized(cause)) loadProblem.value = errorMessage(cause)
    return
  }
  await loadAhead().catch(ignoreError)
}

function startOfflineUse(): Promise<void> {
  return import('../offline/start').then(({ startOffline }) => startOffline()).catch(ignoreError)
}

/** Starts and stops the event stream with the session. Called once. */
export function startSync(): void {
  let subscription: Subscription | undefined

  const start = (lastEventId?: string) => {
    connectionState.value = 'connecting'
    subscription = subscribe({
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
        isDeviceOnline.value = true
        // Without the ID of the last event it is unknown what was missed since the data was loaded.
        if (isLoaded.value && !isFromCopy.value && subscription?.lastEventId) return
        increaseVersion('all')
        loadSession()
      },
    })
  }

  effect(() => {
    if (!isSessionOver.value || sessionState.peek() !== 'in') return
    loginNote.value = strings.endedElsewhere
    sessionState.value = 'out'
  })

  effect(() => {
    if (sessionState.value === 'in') {
      rememberLogin(loginMethod() ?? 'unknown')
      loadSession()
      start()
      if (keepsData()) queueReady.value = startOfflineUse()
      return
    }
    subscription?.stop()
    subscription = undefined
    connectionState.value = 'off'
    if (sessionState.value !== 'out') return
    endedSessions.value = endedSessions.peek() + 1
    dropStoredDrafts()
    rememberLogin(null)
    toast.value = null
    clearStore()
  })

  effect(() => {
    if (system.value) dropStoredDrafts(system.value.uuid)
  })

  let paused: { lastEventId: string | undefined } | undefined
  onPageVisibility({
    onHidden() {
      if (!subscription) return
      paused = { lastEventId: subscription.lastEventId }
      subscription.stop()
      subscription = undefined
      connectionState.value = 'off'
    },
    onVisible() {
      if (paused && !subscription && sessionState.value === 'in') start(paused.lastEventId)
      paused = undefined
    },
  })
  addEventListener('online', () => subscription?.reconnectNow())
  isDeviceOnline.value = navigator.onLine
  addEventListener('offline', () => {
    isDeviceOnline.value = false
    if (!subscription) return
    const { lastEventId } = subscription
    subscription.stop()
    start(lastEventId)
    connectionState.value = 'away'
  })
}

const KEY = 'multitude-in'

/** Returns how this browser logged in last time; null if it is not logged in, or without storage. */
export function loginMethod(): LoginMethod | null {
  const method = stored(KEY)
  return method === null || method === 'link' || method === 'token' ? method : 'unknown'
}

export function rememberLogin(method: LoginMethod | null): void {
  store(KEY, method)
}

/** Key of the session that this browser left while the server did not answer. */
export const LEFT = 'multitude-left'

const KEEPS = 'multitude-keeps'

/** Returns true if this browser may have a copy or waiting switches. */
function keepsData(): boolean {
  return stored(KEEPS) !== null
}

/** Called after everything that this browser kept was deleted. */
export function stopKeeping(): void {
  store(KEEPS, null)
}

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {}
}

const pending = signal<readonly Invalidation[]>([])

function collect(news: Invalidation | null): void {
  if (!news) return
  if (pending.value.length === 0) setTimeout(refetchStale, DEBOUNCE_MS)
  pending.value = [...pending.value, news]
}

async function refetchStale(waits = 0): Promise<void> {
  // The response to a change of this page is on its way and has what the event announces.
  if (runningChanges.value > 0 && waits < MAX_WAITS) {
    setTimeout(refetchStale, DEBOUNCE_MS, waits + 1)
    return
  }
  const news = mergeInvalidations(pending.value)
  pending.value = []
  await Promise.all(news.map((one) => refetch(one).catch(ignoreError)))
}

async function refetch(one: Invalidation): Promise<void> {
  if (one.kind === 'switch') {
    await loadStatuses()
    if (one.isDeleted) return removeSwitchFromStore(one.uuid)
    // The page made this change itself and got it in the response.
    return hasValues(one.uuid, one.now) ? undefined : await loadSwitch(one.uuid)
  }
  if (one.kind === 'member')
    return one.isDeleted ? removeMemberFromStore(one.uuid) : await loadMember(one.uuid)
  if (one.kind === 'group')
    return one.isDeleted ? removeGroupFromStore(one.uuid) : await loadGroup(one.uuid)
  increaseVersion(one.kind)
  await lists[one.kind]?.()
}

const lists: { readonly [K in Invalidation['kind']]?: () => Promise<void> } = {
  system: loadSystem,
  settings: loadSettings,
  members: loadMembers,
  groups: loadGroups,
  switches: () => loadSwitches().then(loadStatuses),
  all: reloadAll,
  frontNotes: loadStatuses,
  posts: loadUnreadPosts,
  archive: loadPreferences,
  // Values change with their fields.
  fields: loadMembers,
  buckets: loadShared,
}

/** Loads what names the buckets it is in. */
async function loadShared(): Promise<void> {
  increaseVersion('fields')
  await Promise.all([loadMembers(), loadGroups()])
}

/** The event stream already shows that the server is unreachable. */
function ignoreError(): void {}
