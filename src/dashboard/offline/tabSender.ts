import { type Signal, signal } from '@preact/signals'
import { isSessionOver } from '../api/client'
import { sessionState } from '../core/session'
import { putSwitch, removeSwitchFromStore } from '../core/store'
import { SYNC_TAG } from './database'
import { isSendable, pauseAfter, type QueuedSwitch } from './queue'
import { type StorageChange, sendQueue } from './send'

/** Creates functions that send the queue of this tab; `refresh` reads the stored queue again. */
export function createTabSender(
  queue: Signal<readonly QueuedSwitch[]>,
  refresh: () => Promise<void>,
) {
  /** True if the last attempt got no usable answer. */
  const isPaused = signal(false)
  let isSending = false
  let isSendingAgain = false
  /** Number of pauses in a row. */
  let failures = 0
  let retryTimer = 0

  /** Sends waiting switches, and again after a pause if there was no answer. */
  async function send(): Promise<void> {
    clearTimeout(retryTimer)
    // An effect calls this, and must not run again after each change of the queue.
    if (sessionState.peek() !== 'in' || !queue.peek().some(isSendable)) return
    if (isSending) {
      isSendingAgain = true
      return
    }
    isSending = true
    try {
      const result = await sendQueue(async (change) => {
        showSent(change)
        await refresh().catch(() => {})
      })
      isPaused.value = result.state === 'paused'
      if (result.state === 'loggedOut') isSessionOver.value = true
      if (result.hasProgress) failures = 0
      if (result.state === 'paused') {
        retryLater(result.afterMs)
        await registerSync().catch(() => {})
      } else failures = 0
    } catch {
      // The storage of the browser failed.
      retryLater(0)
    } finally {
      isSending = false
      await refresh().catch(() => {})
      if (isSendingAgain) {
        isSendingAgain = false
        send()
      }
    }
  }

  function retryLater(afterMs: number): void {
    isPaused.value = true
    const pause = Math.max(afterMs, pauseAfter(++failures))
    retryTimer = window.setTimeout(send, pause)
  }

  return {
    isPaused,
    send,
    /** Sends with the shortest pauses again. */
    sendNow() {
      failures = 0
      send()
    },
    /** Sends what was just stored. The browser does if the page is closed before the answer. */
    sendStored() {
      registerSync().catch(() => {})
      send()
    },
    stop() {
      clearTimeout(retryTimer)
    },
  }
}

/** Puts a switch that was sent among those of the server, before it leaves the queue. */
export function showSent({ uuid, recorded }: StorageChange): void {
  if (uuid === undefined) return
  if (recorded) putSwitch(recorded)
  else removeSwitchFromStore(uuid)
}

/** Lets the browser send the switches when it is online, also after the page is closed. */
async function registerSync(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration()
  const { sync } = (worker ?? {}) as { sync?: { register(tag: string): Promise<void> } }
  await sync?.register(SYNC_TAG).catch(() => {})
}
