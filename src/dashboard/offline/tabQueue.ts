import { formatInstant, type Instant } from '../../model/core/time'
import { nextTimestamp } from '../../model/front/switch'
import { ApiError, request } from '../api/client'
import { switchPath } from '../api/paths'
import type { FronterStatus } from '../api/types'
import { SAME_TIME } from '../core/errorText'
import { sessionState } from '../core/session'
import {
  isDeviceOnline,
  isOffline,
  membersById,
  PENDING_SWITCH,
  putSwitch,
  readSwitch,
  removeSwitchFromStore,
  type SwitchQueue,
  switches,
  switchQueue,
  system,
} from '../core/store'
import { createUuid, createWithStatuses } from '../core/switchWithStatus'
import type { SwitchChange } from '../core/toastStorage'
import { strings } from '../texts/texts'
import { deviceTime } from './clocks'
import { listQueue, resultOf, transact } from './database'
import { isSendable, isUnsent, type QueuedSwitch } from './queue'
import { applyQueue, applyStatuses, countWaiting, statusesOf, toSwitch } from './queueView'
import { announceChange } from './send'
import { createTabSender } from './tabSender'
import { device, isOfOtherSystem, isOwn, queue } from './tabState'

/** The queue of switches as the page uses it: adding, changing, removing and sending them. */

export const sender = createTabSender(queue, refreshQueue)

/** Reads the queue again, which other tabs and the worker change too. */
export async function refreshQueue(): Promise<void> {
  queue.value = await listQueue()
  publishQueue()
}

/** Makes the queue known to the page while it has something or can be added to. */
export function publishQueue(): void {
  const isUsed = device.value?.hasCopy || queue.value.length > 0
  switchQueue.value =
    isUsed && sessionState.value === 'in' ? (switchQueue.value ?? pageQueue) : null
}

const pageQueue: SwitchQueue = {
  get canAdd() {
    return device.value?.hasCopy ?? false
  },
  get isStuck() {
    const isWaiting = queue.value.some((queued) => isUnsent(queued) && isOwn(queued))
    return (
      queue.value.some((queued) => !isSendable(queued) || !isOwn(queued)) ||
      (isWaiting && (isOffline.value || sender.isPaused.value))
    )
  },
  apply: applyQueue,
  applyStatuses,
  add: addSwitch,
  remove: removeSwitch,
  change: changeSwitch,
  has: (id) => queue.value.some(({ uuid, kind }) => uuid === id && kind === 'put'),
  statusesOf: (id) => statusesOf(queue.value.find(({ uuid }) => uuid === id)),
  statusText: () => strings.waitingHere(countWaiting(), isDeviceOnline.value, isPhone()),
}

/** Narrow windows have the navigation at the bottom, as on a phone. */
function isPhone(): boolean {
  return matchMedia('(max-width: 51.99rem)').matches
}

/** Discards switches of another system, which cannot be sent in this session. */
export async function discardForeign(): Promise<void> {
  const isForeign = isOfOtherSystem()
  await transact('readwrite', async (stores) => {
    const all: QueuedSwitch[] = await resultOf(stores.queue.getAll())
    for (const queued of all.filter(isForeign)) await resultOf(stores.queue.delete(queued.order))
  })
  await refreshQueue()
}

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
    switches.value.some((entry) => entry.timestamp === at && entry.id !== PENDING_SWITCH)
  )
    throw new ApiError(400, '', 0, {}, SAME_TIME)
  const latest = switches.value.find(({ id }) => id !== PENDING_SWITCH)?.timestamp
  const uuidOf = (id: string) => membersById.value.get(id)?.uuid ?? id
  const queued: Omit<QueuedSwitch, 'order'> = {
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
    await transact('readwrite', ({ queue: store }) => resultOf(store.add(queued)))
  } catch (cause) {
    // The storage is full or was taken away.
    if (isOffline.value) throw cause
    return await sendAtOnce(ids, queued.timestamp, statuses)
  }
  await refreshQueue()
  announceChange({})
  sender.sendStored()
  return { id: queued.uuid }
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
    await request(switchPath(id), { method: 'DELETE' })
    return removeSwitchFromStore(id)
  }
  await refreshQueue()
  announceChange({})
  sender.sendStored()
}

async function queueRemoval(id: string): Promise<void> {
  const owner = system.value?.uuid ?? device.value?.system ?? ''
  await transact('readwrite', async ({ queue: store }) => {
    const all: QueuedSwitch[] = await resultOf(store.getAll())
    const queued = all.find(({ uuid }) => uuid === id)
    const isUnknown = queued?.kind === 'put' && (!queued.isTried || queued.problem !== null)
    if (queued && isUnknown) await resultOf(store.delete(queued.order))
    else if (queued) await resultOf(store.put({ ...queued, kind: 'delete', problem: null }))
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
export async function discard(queued: QueuedSwitch): Promise<void> {
  if (queued.kind === 'put') return await removeSwitch(queued.uuid)
  await transact('readwrite', ({ queue: store }) => resultOf(store.delete(queued.order)))
  await refreshQueue()
  announceChange({})
}

/** A changed switch gets a new ID, because the old one may be in use. */
async function changeSwitch(id: string, { at, members: ids }: SwitchChange): Promise<boolean> {
  const uuidOf = (short: string) => membersById.value.get(short)?.uuid ?? short
  const isChanged = await transact('readwrite', async ({ queue: store }) => {
    const all: QueuedSwitch[] = await resultOf(store.getAll())
    const queued = all.find(({ uuid, kind }) => uuid === id && kind === 'put')
    if (!queued) return false
    // Deleted members are not shown, so they are not saved again.
    const uuids = (ids ?? toSwitch(queued).members).map(uuidOf)
    const changed = {
      ...queued,
      uuid: createUuid(),
      timestamp: at ?? queued.timestamp,
      members: uuids,
      statuses: queued.statuses.filter((status) => uuids.includes(status.id)),
      isTried: false,
      moves: 0,
      leftOut: 0,
      problem: null,
    }
    if (queued.isTried && queued.problem === null) {
      await resultOf(store.put({ ...queued, kind: 'delete' }))
      const { order: _, ...added } = changed
      await resultOf(store.add(added))
    } else await resultOf(store.put(changed))
    return true
  })
  if (!isChanged) return false
  await refreshQueue()
  announceChange({})
  sender.sendStored()
  return true
}
