import { effect } from '@preact/signals'
import { HOUR } from '../../model/core/time'
import { registerWorker } from '../core/registerWorker'
import {
  clearSession,
  isNewLogin,
  loadProblem,
  loadSession,
  loginMethod,
  rememberLogin,
  sessionState,
  stopKeeping,
} from '../core/session'
import { connectionState, isFromCopy, isLoaded, switchQueue } from '../core/store'
import { loadRestOfStrings } from '../texts/texts'
import { deviceTime } from './clocks'
import { collectCopy, restoreCopy } from './copy'
import { isExpired } from './copyExpiry'
import { CHANNEL, hasDatabase, listQueue } from './database'
import {
  deleteCopy,
  deleteDevice,
  deleteDeviceOf,
  readDevice,
  recordContact,
  setCopy,
  writeCopy,
} from './device'
import { isSendable, isUnsent } from './queue'
import { announceChange, checkSession, type StorageChange } from './send'
import { publishQueue, refreshQueue, sender } from './tabQueue'
import { showSent } from './tabSender'
import { device, queue } from './tabState'

/** Offline use in a tab: follows the session and the connection, and writes the copy. */

const state = {
  /** True after the first session of this page. */
  isListening: false,
  copyTimer: 0,
  loadNowPage: async (): Promise<unknown> => null,
  contactAt: 0,
  /** ID of the session whose data this tab shows; '' while unknown. */
  session: '',
  /** ID of the session that another tab has ended; '' without one. */
  endedSession: '',
}

/** Contacts that follow each other closely are recorded once. */
const CONTACT_INTERVAL = HOUR

/** A server that takes longer than this is treated as unreachable while the page opens. */
const SLOW_START_MS = 4000
const COPY_DELAY_MS = 300
/** Pause after a failed load while the copy is shown. */
const RELOAD_DELAY_MS = 5000
/** The files of the build are stored after the page has had time to load its data. */
const WORKER_DELAY_MS = 1500

/**
 * Starts offline use in a session. Returns when switches can be added, if they ever can. Without a
 * session, deletes what an earlier one has left. Loads with the given function what Now needs without
 * network, if nothing stores the files of the build.
 */
export async function startOffline(loadNowPage = state.loadNowPage): Promise<void> {
  if (sessionState.value === 'out') return await forget()
  state.loadNowPage = loadNowPage
  // Undoing a switch must not need the network.
  import('../actions/undo').catch(() => {})
  if (await hasDatabase()) {
    // The copy may be that of another system.
    if (isNewLogin.value) await deleteDevice({ withQueue: false })
    const stored = await readDevice()
    if (stored && isExpired(stored, deviceTime())) await deleteCopy()
    device.value = stored
    queue.value = await listQueue()
  }
  isNewLogin.value = false
  state.session = device.value?.session ?? ''
  publishQueue()
  if (!state.isListening) listen()
  const contact = recordSession()
  // The record of an earlier visit is enough, also without network.
  if (device.value === null) await contact
  contact.then(sender.send)
  setTimeout(showCopy, SLOW_START_MS)
}

/** Records the contact with the server, if this session is remembered. */
async function recordSession(): Promise<void> {
  const at = deviceTime()
  state.contactAt = at
  const isRecorded = await recordAnswer().catch(() => false)
  // The next connection tries again.
  if (!isRecorded && state.contactAt === at) state.contactAt = 0
}

/** Returns false if there was no answer. */
async function recordAnswer(): Promise<boolean> {
  const { session, clock } = await checkSession()
  if (session === null || sessionState.value !== 'in') return false
  state.session ||= session.id
  if (session.isRemembered) {
    const clockOffset = clock ?? device.value?.clockOffset ?? 0
    device.value = await recordContact({
      session: session.id,
      system: session.system,
      lastContact: deviceTime() + clockOffset,
      clockOffset,
    })
    setTimeout(storeFiles, WORKER_DELAY_MS)
  } else {
    if (device.value) await deleteDevice({ withQueue: false })
    device.value = null
    if (queue.value.length === 0) stopKeeping()
  }
  publishQueue()
  return true
}

/** Lets the worker store the files of the build, if there can be one. */
async function storeFiles(): Promise<void> {
  if (await registerWorker()) return
  await Promise.all([state.loadNowPage(), loadRestOfStrings()]).catch(() => {})
}

/** Follows the session, the connection and other tabs. Called once. */
function listen(): void {
  state.isListening = true
  new BroadcastChannel(CHANNEL).onmessage = ({ data }: MessageEvent<StorageChange>) => {
    follow(data)
  }
  addEventListener('online', sender.sendNow)
  effect(() => {
    if (connectionState.value !== 'live') return
    sender.sendNow()
    if (deviceTime() - state.contactAt < CONTACT_INTERVAL) return
    recordSession()
  })
  effect(() => {
    if (connectionState.value === 'away' || loadProblem.value !== '') showCopy()
  })
  effect(() => {
    // The event stream loads again only when it is connected anew.
    if (loadProblem.value === '' || !isFromCopy.value || connectionState.value !== 'live') return
    const timer = setTimeout(loadSession, RELOAD_DELAY_MS)
    return () => clearTimeout(timer)
  })
  effect(() => {
    if (sessionState.value === 'out') forget().catch(() => {})
  })
  effect(() => {
    const record = device.value
    clearTimeout(state.copyTimer)
    if (!record?.hasCopy) return
    const collect = () => collectCopy(record.system)
    if (collect() === null) return
    state.copyTimer = window.setTimeout(
      () => writeCopy(record.session, collect).catch(() => {}),
      COPY_DELAY_MS,
    )
  })
}

/** Shows the copy if nothing else is shown. */
function showCopy(): void {
  if (isLoaded.value || sessionState.value !== 'in' || !device.value?.hasCopy) return
  restoreCopy().catch(() => {})
}

/** Deletes what this browser stores, except waiting switches, which may still be sent. */
async function forget(): Promise<void> {
  clearTimeout(state.copyTimer)
  sender.stop()
  device.value = null
  switchQueue.value = null
  const { endedSession } = state
  state.endedSession = ''
  if (!(await hasDatabase())) return
  if (endedSession === '') await deleteDevice({ withQueue: false })
  else await deleteDeviceOf(endedSession)
}

/**
 * Returns the number of switches that the server may not have, from all tabs and logins; those that
 * this tab knows if the storage fails, because logging out must stay possible.
 */
export async function countUnsent(): Promise<number> {
  try {
    return (await hasDatabase()) ? (await listQueue()).filter(isUnsent).length : 0
  } catch {
    return queue.value.filter(isUnsent).length
  }
}

/** Returns the ID of the session; '' while it is unknown. */
export function currentSession(): string {
  return state.session
}

/** Deletes everything that this browser stores, and closes its notifications. */
export async function forgetEverything(): Promise<void> {
  queue.value = []
  try {
    if (await hasDatabase()) await deleteDevice({ withQueue: true })
    stopKeeping()
  } finally {
    announceChange({ endedSession: state.session })
    await closeNotifications()
  }
}

async function closeNotifications(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration()
  // Push messages may arrive until the server knows of the logout.
  const subscription = worker?.pushManager?.getSubscription()
  subscription?.then((current) => current?.unsubscribe()).catch(() => {})
  for (const shown of (await worker?.getNotifications()) ?? []) shown.close()
}

/** Turns the copy of this device on or off. */
export async function changeCopy(hasCopy: boolean): Promise<void> {
  device.value = await setCopy(hasCopy)
  publishQueue()
  announceChange({})
}

/** Logs out with another tab. A login may have followed, and what it stores is kept. */
async function followLogout(endedSession: string): Promise<void> {
  const isOther = endedSession !== '' && state.session !== '' && endedSession !== state.session
  if (sessionState.value !== 'in' || isOther) return
  const stored = await readDevice().catch(() => null)
  const method = loginMethod()
  state.endedSession = endedSession
  clearSession()
  if (stored && endedSession !== '' && stored.session !== endedSession) rememberLogin(method)
}

async function follow({ uuid, recorded, endedSession }: StorageChange): Promise<void> {
  if (endedSession !== undefined) return await followLogout(endedSession)
  showSent({ ...(uuid !== undefined && { uuid }), ...(recorded !== undefined && { recorded }) })
  device.value = await readDevice()
  publishQueue()
  await refreshQueue()
  if (queue.value.some(isSendable)) sender.send()
}
