import { effect } from '@preact/signals'
import { endedSessions, isSessionOver } from './api/client'
import { eventsPath } from './api/paths'
import { toast } from './core/actions'
import { dropStoredDrafts } from './core/drafts'
import { type Subscription, subscribe } from './core/eventStream'
import { onPageVisibility } from './core/pageVisibility'
import {
  ignoreError,
  keepsData,
  loadSession,
  loginMethod,
  loginNote,
  rememberLogin,
  sessionState,
} from './core/session'
import {
  clearStore,
  connectionState,
  increaseVersion,
  isDeviceOnline,
  isFromCopy,
  isLoaded,
  queueReady,
  system,
} from './core/store'
import { startOfflineUse } from './features/access/startSession'
import { strings } from './texts/texts'

/** Starts and stops the event stream with the session. Called once. */
export function startSync(): void {
  let subscription: Subscription | undefined

  let isReloading = false
  /** Loads everything, once for events that follow each other closely. */
  const reload = async () => {
    if (isReloading) return
    isReloading = true
    await loadSession()
    isReloading = false
  }

  const start = (lastEventId?: string) => {
    connectionState.value = 'connecting'
    subscription = subscribe({
      path: eventsPath,
      lastEventId,
      onEvent(event) {
        loadRefetch().then(({ refetchAfter }) => refetchAfter(event), reload)
      },
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
      loadRefetch().catch(ignoreError)
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

/** The page can be shown without this part. It cannot be loaded if the server has a newer build. */
const loadRefetch = () => import('./core/refetch')
