import { effect, signal } from '@preact/signals'
import { nextTimestamp } from '../../../model/switch'
import { formatInstant, HOUR, type Instant } from '../../../model/time'
import { PATH } from '../actions'
import { ApiError, isSessionOver, requestOwn } from '../api'
import { mergeSwitches, type Switch, type Switches } from '../history'
import {
  clearSession,
  isNewLogin,
  loadProblem,
  loadSession,
  loginMethod,
  rememberLogin,
  sessionState,
  stopKeeping,
} from '../session'
import {
  connectionState,
  isDeviceOnline,
  isFromCopy,
  isLoaded,
  isOffline,
  members,
  membersById,
  PENDING_SWITCH,
  putSwitch,
  readSwitch,
  recordedSwitches,
  removeSwitchFromStore,
  type SwitchQueue,
  switches,
  switchQueue,
  system,
} from '../store'
import { loadRestOfStrings, strings } from '../strings'
import { createUuid, createWithStatuses } from '../switchWithStatus'
import type { SwitchChange } from '../toastStorage'
import type { FronterStatus } from '../types'
import { registerWorker } from '../worker/register'
import { deviceTime } from './clocks'
import { collectCopy, restoreCopy } from './copy'
import { isExpired } from './copyExpiry'
import { CHANNEL, hasDatabase, listQueue, resultOf, SYNC_TAG, transact } from './database'
import {
  type DeviceRecord,
  deleteCopy,
  deleteDevice,
  deleteDeviceOf,
  readDevice,
  recordContact,
  setCopy,
  writeCopy,
} from './device'
import { isSendable, isUnsent, pauseAfter, type QueuedSwitch } from './queue'
import { announceChange, checkSession, type StorageChange, sendQueue } from './send'

/** Offline use in a tab: the copy, the queue of switches, and their display. */

/** Null if this session may store nothing. */
export const device = signal<DeviceRecord | null>(null)
export const queue = signal<readonly QueuedSwitch[]>([])

/** The last attempt to send got no usable answer. */
const isPaused = signal(false)

/** `isListening` after the first session of this page; `failures` counts pauses in a row. */
const state = {
  isListening: false,
  isSending: false,
  isSendingAgain: false,
  failures: 0,
  retryTimer: 0,
  copyTimer: 0,
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
 * session, deletes what an earlier one has left.
 */
export async function startOffline(): Promise<void> {
  if (sessionState.value === 'out') return await forget()
  // Undoing a switch must not need the network.
  import('../undo').catch(() => {})
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
  contact.then(send)
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

/** Lets the worker store the files of the build. Without one, loads what Now needs without network. */
async function storeFiles(): Promise<void> {
  if (await registerWorker()) return
  await Promise.all([
    import('../components/offline/queueCard'),
    import('../components/nowParts'),
    loadRestOfStrings(),
  ]).catch(() => {})
}

/** Follows the session, the connection and other tabs. Called once. */
function listen(): void {
  state.isListening = true
  new BroadcastChannel(CHANNEL).onmessage = ({ data }: MessageEvent<StorageChange>) => {
    follow(data)
  }
  addEventListener('online', sendNow)
  effect(() => {
    if (connectionState.value !== 'live') return
    sendNow()
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
    const copy = collectCopy()
    const recorded = recordedSwitches.value.filter(({ id }) => id !== PENDING_SWITCH)
    clearTimeout(state.copyTimer)
    if (!record?.hasCopy || copy?.system.uuid !== record.system) return
    state.copyTimer = window.setTimeout(
      () => writeCopy(record.session, copy, recorded).catch(() => {}),
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
  clearTimeout(state.retryTimer)
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
  for (const shown of (await worker?.getNotifications()) ?? []) shown.close()
}

/** Turns the copy of this device on or off. */
export async function changeCopy(hasCopy: boolean): Promise<void> {
  device.value = await setCopy(hasCopy)
  publishQueue()
  announceChange({})
}

/** Discards switches of another system, which cannot be sent in this session. */
export async function discardForeign(): Promise<void> {
  const isForeign = isOfOtherSystem()
  await transact('readwrite', async (stores) => {
    const all: QueuedSwitch[] = await resultOf(stores.queue.getAll())
    for (const one of all.filter(isForeign)) await resultOf(stores.queue.delete(one.order))
  })
  await refresh()
}

/** Returns a check for switches of another system than the one that is logged in. */
export function isOfOtherSystem(): (one: QueuedSwitch) => boolean {
  const own = device.value?.system ?? system.value?.uuid
  return (one) => own !== undefined && one.system !== own
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
  show({ ...(uuid !== undefined && { uuid }), ...(recorded !== undefined && { recorded }) })
  device.value = await readDevice()
  publishQueue()
  await refresh()
  if (queue.value.some(isSendable)) send()
}

/** Puts a switch that was sent among those of the server, before it leaves the queue. */
function show({ uuid, recorded }: StorageChange): void {
  if (uuid === undefined) return
  if (recorded) putSwitch(recorded)
  else removeSwitchFromStore(uuid)
}

async function refresh(): Promise<void> {
  queue.value = await listQueue()
  publishQueue()
}

function sendNow(): void {
  state.failures = 0
  send()
}

/** Sends waiting switches, and again after a pause if there was no answer. */
async function send(): Promise<void> {
  clearTimeout(state.retryTimer)
  // An effect calls this, and must not run again after each change of the queue.
  if (sessionState.peek() !== 'in' || !queue.peek().some(isSendable)) return
  if (state.isSending) {
    state.isSendingAgain = true
    return
  }
  state.isSending = true
  try {
    const result = await sendQueue(async (change) => {
      show(change)
      await refresh().catch(() => {})
    })
    isPaused.value = result.state === 'paused'
    if (result.state === 'loggedOut') isSessionOver.value = true
    if (result.hasProgress) state.failures = 0
    if (result.state === 'paused') {
      retryLater(result.afterMs)
      await registerSync().catch(() => {})
    } else state.failures = 0
  } catch {
    // The storage of the browser failed.
    retryLater(0)
  } finally {
    state.isSending = false
    await refresh().catch(() => {})
    if (state.isSendingAgain) {
      state.isSendingAgain = false
      send()
    }
  }
}

function retryLater(afterMs: number): void {
  isPaused.value = true
  const pause = Math.max(afterMs, pauseAfter(++state.failures))
  state.retryTimer = window.setTimeout(send, pause)
}

/** Sends what was just stored. The browser does if the page is closed before the answer. */
function sendStored(): void {
  registerSync().catch(() => {})
  send()
}

/** Lets the browser send the switches when it is online, also after the page is closed. */
async function registerSync(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration()
  const { sync } = (worker ?? {}) as { sync?: { register(tag: string): Promise<void> } }
  await sync?.register(SYNC_TAG).catch(() => {})
}

/** Makes the queue known to the page while it has something or can be added to. */
function publishQueue(): void {
  const isUsed = device.value?.hasCopy || queue.value.length > 0
  switchQueue.value =
    isUsed && sessionState.value === 'in' ? (switchQueue.value ?? pageQueue) : null
}

const pageQueue: SwitchQueue = {
  get canAdd() {
    return device.value?.hasCopy ?? false
  },
  get isStuck() {
    const isWaiting = queue.value.some((one) => isUnsent(one) && isOwn(one))
    return (
      queue.value.some((one) => !isSendable(one) || !isOwn(one)) ||
      (isWaiting && (isOffline.value || isPaused.value))
    )
  },
  apply: applyQueue,
  applyStatuses,
  add: addSwitch,
  remove: removeSwitch,
  change: changeSwitch,
  has: (id) => queue.value.some(({ uuid, kind }) => uuid === id && kind === 'put'),
  statusesOf: (id) => statusesOf(queue.value.find(({ uuid }) => uuid === id)),
  reason: () => strings.waitingHere(countWaiting(), isDeviceOnline.value, isPhone()),
}

/** Number of own switches that wait for the network. */
export function countWaiting(): number {
  return queue.value.filter((one) => isUnsent(one) && isOwn(one)).length
}

function isOwn(one: QueuedSwitch): boolean {
  return !isOfOtherSystem()(one)
}

/** Narrow windows have the navigation at the bottom, as on a phone. */
export function isPhone(): boolean {
  return matchMedia('(max-width: 51.99rem)').matches
}

/** Returns a waiting switch in the form of the history, with short IDs. */
export function toSwitch({ uuid, timestamp, members: uuids }: QueuedSwitch): Switch {
  const ids = uuids.flatMap((one) => members.value.find((member) => member.uuid === one)?.id ?? [])
  return { id: uuid, timestamp, members: ids }
}

function applyQueue(recorded: Switches): Switches {
  const own = queue.value.filter(isOwn)
  if (own.length === 0) return recorded
  const deleted = own.filter(({ kind }) => kind === 'delete').map(({ uuid }) => uuid)
  const known = new Set([...recorded.map(({ id }) => id), ...deleted])
  const added = own.filter(({ kind, uuid }) => kind === 'put' && !known.has(uuid)).map(toSwitch)
  return mergeSwitches(
    recorded.filter(({ id }) => !deleted.includes(id)),
    added,
  )
}

/** Returns the statuses of a waiting switch by the short IDs of members. */
function statusesOf(one: QueuedSwitch | undefined): FronterStatus[] {
  return (one?.statuses ?? []).flatMap(({ id, status }) => {
    const member = members.value.find(({ uuid }) => uuid === id)
    return member && status.trim() !== '' ? [{ id: member.id, status }] : []
  })
}

/** A status ends with the stint of its member. */
function applyStatuses(recorded: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const since = recordedSwitches.value[0]?.timestamp ?? Number.NEGATIVE_INFINITY
  const later = queue.value
    .filter((one) => one.kind === 'put' && isOwn(one) && one.timestamp > since)
    .toSorted((a, b) => a.timestamp - b.timestamp)
  let statuses = recorded
  for (const one of later) {
    const here = toSwitch(one).members
    const set = statusesOf(one).map(({ id, status }): [string, string] => [id, status])
    statuses = new Map([...[...statuses].filter(([id]) => here.includes(id)), ...set])
  }
  return statuses
}

const SAME_TIME = 40005

async function addSwitch(
  ids: readonly string[],
  at: Instant | null,
  statuses: readonly FronterStatus[],
): Promise<{ readonly id: string }> {
  const record = device.value
  if (!record) throw new Error('this device keeps no switches')
  // A time that the user chose is not moved without asking.
  if (
    at !== null &&
    switches.value.some((one) => one.timestamp === at && one.id !== PENDING_SWITCH)
  )
    throw new ApiError(400, '', 0, {}, SAME_TIME)
  const latest = switches.value.find(({ id }) => id !== PENDING_SWITCH)?.timestamp
  const uuidOf = (id: string) => membersById.value.get(id)?.uuid ?? id
  const one: Omit<QueuedSwitch, 'order'> = {
    uuid: createUuid(),
    // Another tab may have logged in as another system.
    system: system.value?.uuid ?? record.system,
    kind: 'put',
    members: ids.map(uuidOf),
    statuses: statuses.map(({ id, status }) => ({ id: uuidOf(id), status })),
    timestamp: at ?? nextTimestamp(deviceTime() + record.clockOffset, latest),
    isTried: false,
    moves: 0,
    leftOut: 0,
    problem: null,
  }
  try {
    await transact('readwrite', ({ queue: store }) => resultOf(store.add(one)))
  } catch (cause) {
    // The storage is full or was taken away.
    if (isOffline.value) throw cause
    return await sendAtOnce(ids, one.timestamp, statuses)
  }
  await refresh()
  announceChange({})
  sendStored()
  return { id: one.uuid }
}

/** Logs a switch that cannot be stored here. */
async function sendAtOnce(
  ids: readonly string[],
  at: Instant,
  statuses: readonly FronterStatus[],
): Promise<{ readonly id: string }> {
  const created = await createWithStatuses({ members: ids, timestamp: formatInstant(at) }, statuses)
  if (!created) throw new Error('the switch was not logged')
  putSwitch(readSwitch(created))
  return created
}

async function removeSwitch(id: string): Promise<void> {
  try {
    await queueRemoval(id)
  } catch (cause) {
    if (isOffline.value || queue.value.some(({ uuid }) => uuid === id)) throw cause
    await requestOwn(`${PATH}/${id}`, { method: 'DELETE' })
    return removeSwitchFromStore(id)
  }
  await refresh()
  announceChange({})
  sendStored()
}

async function queueRemoval(id: string): Promise<void> {
  const owner = system.value?.uuid ?? device.value?.system ?? ''
  await transact('readwrite', async ({ queue: store }) => {
    const all: QueuedSwitch[] = await resultOf(store.getAll())
    const one = all.find(({ uuid }) => uuid === id)
    const isUnknown = one?.kind === 'put' && (!one.isTried || one.problem !== null)
    if (one && isUnknown) await resultOf(store.delete(one.order))
    else if (one) await resultOf(store.put({ ...one, kind: 'delete', problem: null }))
    else
      await resultOf(
        store.add({
          uuid: id,
          system: owner,
          kind: 'delete',
          members: [],
          statuses: [],
          timestamp: 0,
          isTried: true,
          moves: 0,
          leftOut: 0,
          problem: null,
        }),
      )
  })
}

/** Drops a switch or a notice from the queue without telling the server. */
export async function discard(one: QueuedSwitch): Promise<void> {
  if (one.kind === 'put') return await removeSwitch(one.uuid)
  await transact('readwrite', ({ queue: store }) => resultOf(store.delete(one.order)))
  await refresh()
  announceChange({})
}

/** A changed switch gets a new ID, because the old one may be in use. */
async function changeSwitch(id: string, { at, members: ids }: SwitchChange): Promise<boolean> {
  const uuidOf = (short: string) => membersById.value.get(short)?.uuid ?? short
  const isChanged = await transact('readwrite', async ({ queue: store }) => {
    const all: QueuedSwitch[] = await resultOf(store.getAll())
    const one = all.find(({ uuid, kind }) => uuid === id && kind === 'put')
    if (!one) return false
    // Deleted members are not shown, so they are not saved again.
    const uuids = (ids ?? toSwitch(one).members).map(uuidOf)
    const changed = {
      ...one,
      uuid: createUuid(),
      timestamp: at ?? one.timestamp,
      members: uuids,
      statuses: one.statuses.filter((status) => uuids.includes(status.id)),
      isTried: false,
      moves: 0,
      leftOut: 0,
      problem: null,
    }
    if (one.isTried && one.problem === null) {
      await resultOf(store.put({ ...one, kind: 'delete' }))
      const { order: _, ...added } = changed
      await resultOf(store.add(added))
    } else await resultOf(store.put(changed))
    return true
  })
  if (!isChanged) return false
  await refresh()
  announceChange({})
  sendStored()
  return true
}
