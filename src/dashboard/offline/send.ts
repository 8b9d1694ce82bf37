import { DAY, formatInstant, parseInstant } from '../../model/core/time'
import { sessionPath, switchPath, switchWithStatusesPath, systemPath } from '../api/paths'
import type { Switch } from '../core/history'
import { compareClocks, deviceTime } from './clocks'
import { CHANNEL, listQueue, resultOf, SENDER_LOCK, transact } from './database'
import { deleteCopy, updateCopiedSwitches } from './device'
import {
  type Answer,
  decideOutcome,
  isSendable,
  isShortWait,
  type Outcome,
  type QueuedSwitch,
  sendLater,
} from './queue'

/** Sends waiting switches: from a tab, and from the service worker while no tab is open. */

/** Change of the storage that other tabs follow. */
export interface StorageChange {
  /** Switch that was sent or deleted, and its content if the server has it. */
  readonly uuid?: string
  readonly recorded?: Switch | null
  /** ID of the session that the person has ended in another tab; '' if unknown. */
  readonly endedSession?: string
}

export interface SendResult {
  /** `done` if nothing is left that can be sent without a decision of the person. */
  readonly state: 'done' | 'paused' | 'loggedOut' | 'otherSystem'
  /** Pause that the server asks for; 0 without one. */
  readonly afterMs: number
  /** The server answered about at least one switch. */
  readonly hasProgress: boolean
}

const TIMEOUT_MS = 30_000
/** A tab that is suspended may hold the lock for long. Sending twice does no harm. */
const LOCK_TIMEOUT_MS = 60_000

/** Sends all waiting switches in the order of tapping. Only one tab sends at a time. */
export async function sendQueue(
  onChange: (change: StorageChange) => void = () => {},
): Promise<SendResult> {
  const announce = (change: StorageChange) => {
    onChange(change)
    announceChange(change)
  }
  const run = () => sendAll(announce)
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return await run()
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), LOCK_TIMEOUT_MS)
  try {
    return await locks.request(SENDER_LOCK, { signal: waiting.signal }, () => {
      clearTimeout(timer)
      return run()
    })
  } catch (cause) {
    if (!waiting.signal.aborted) throw cause
    return await run()
  }
}

export function announceChange(change: StorageChange): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(change)
  channel.close()
}

async function sendAll(announce: (change: StorageChange) => void): Promise<SendResult> {
  let hasProgress = false
  /** Waits since the last switch that the server took. */
  let waits = 0
  const result = (state: SendResult['state'], afterMs = 0) => ({ state, afterMs, hasProgress })
  if (!(await listQueue()).some(isSendable)) return result('done')
  // The person may have logged in as another system, in another tab.
  const { answer, session } = await checkSession()
  if (answer?.status === 401) return result('loggedOut')
  if (session === null) return result('paused', answer?.retryAfterMs)
  const { system } = session
  for (;;) {
    const next = await takeNext(system)
    if (next === null) {
      const isLeft = (await listQueue()).some(isSendable)
      return result(isLeft ? 'otherSystem' : 'done')
    }
    const outcome = await sendOne(next, announce)
    if (outcome.is === 'loggedOut') return result('loggedOut')
    if (outcome.is !== 'later') {
      hasProgress = true
      waits = 0
    } else if (isShortWait(outcome, waits)) {
      waits++
      await new Promise((resolve) => setTimeout(resolve, outcome.afterMs))
    } else return result('paused', outcome.afterMs)
  }
}

interface OpenSession {
  readonly id: string
  /** UUID of the system. */
  readonly system: string
  /** The person asked to remember this device. */
  readonly isRemembered: boolean
}

/** A session that is not remembered lasts for 12 hours. */
const SHORT_SESSION = DAY

/** Asks the server who is logged in. Both times are the server's, so no clock has to be right. */
export async function checkSession() {
  const { answer, body, clock } = await request(sessionPath)
  const { session, system } = Object(body)
  const { id, created, expires } = Object(session)
  const { uuid } = Object(system)
  const isOwn = answer?.status === 200 && typeof uuid === 'string' && typeof id === 'string'
  if (!isOwn) return { answer: answer?.status === 200 ? null : answer, session: null, clock }
  const lasts = (parseInstant(String(expires)) ?? 0) - (parseInstant(String(created)) ?? 0)
  const open: OpenSession = { id, system: uuid, isRemembered: lasts > SHORT_SESSION }
  return { answer, session: open, clock }
}

/** Returns the next switch of the system, and records that it may reach the server. */
async function takeNext(system: string): Promise<QueuedSwitch | null> {
  const take = () =>
    transact('readwrite', async ({ queue }) => {
      const all: QueuedSwitch[] = await resultOf(queue.getAll())
      const next = all.find((queued) => queued.system === system && isSendable(queued))
      if (next && !next.isTried) await resultOf(queue.put({ ...next, isTried: true }))
      return next ?? null
    })
  try {
    return await take()
  } catch {
    // The storage is full, and the server can replace the copy.
    await deleteCopy()
    return await take()
  }
}

async function sendOne(
  queued: QueuedSwitch,
  announce: (change: StorageChange) => void,
): Promise<Outcome> {
  const { uuid } = queued
  const { answer, recorded } = await requestChange(queued)
  const outcome = decideOutcome(queued, answer)
  if (outcome.is === 'later' || outcome.is === 'loggedOut') return outcome
  if (outcome.is === 'taken' || outcome.is === 'membersGone') {
    // The request may have been answered before, and the switch changed since.
    const current = await findRecorded(uuid)
    if (current.answer?.status === 401) return { is: 'loggedOut' }
    if (current.answer === null || current.answer.status >= 429) return sendLater(current.answer)
    if (current.recorded) await finish(queued, current.recorded)
    else if (outcome.is === 'membersGone') {
      const later = await leaveOutDeleted(queued, answer)
      if (later) return later
    } else await change(queued, { problem: problemOf(answer) })
    announce(current.recorded ? { uuid, recorded: current.recorded } : {})
    return outcome
  }
  if (outcome.is === 'done') await finish(queued, recorded)
  else if (outcome.is === 'refused') await change(queued, { problem: outcome.problem })
  else await change(queued, { timestamp: queued.timestamp + 1000, moves: queued.moves + 1 })
  announce(outcome.is === 'done' ? { uuid, recorded } : {})
  return outcome
}

/** Leaves out members that do not exist any more; keeps the switch for review if none is left. */
async function leaveOutDeleted(queued: QueuedSwitch, refusal: Answer): Promise<Outcome | null> {
  const { answer, body } = await request(`${systemPath}/members`)
  if (answer?.status !== 200 || !Array.isArray(body)) return sendLater(answer)
  const existing = new Set(body.map((member: unknown) => Object(member).uuid))
  const members = queued.members.filter((uuid) => existing.has(uuid))
  const leftOut = queued.members.length - members.length
  if (leftOut === 0 || members.length === 0) await change(queued, { problem: problemOf(refusal) })
  else
    await change(queued, {
      members,
      statuses: queued.statuses.filter(({ id }) => existing.has(id)),
      leftOut: queued.leftOut + leftOut,
    })
  return null
}

function problemOf(answer: Answer) {
  const { status = 0, code = 0, message = '' } = answer ?? {}
  return { status, code, message }
}

/** Changes a waiting switch, unless it was discarded or undone meanwhile. */
async function change(queued: QueuedSwitch, patch: Partial<QueuedSwitch>): Promise<void> {
  await transact('readwrite', async ({ queue }) => {
    const now: QueuedSwitch | undefined = await resultOf(queue.get(queued.order))
    if (now?.uuid === queued.uuid && now.kind === queued.kind)
      await resultOf(queue.put({ ...now, ...patch }))
  })
}

/**
 * Removes a switch that was sent, unless it was undone meanwhile, and puts it into the copy. Both
 * happen at once, because the page may be closed at any time.
 */
async function finish(queued: QueuedSwitch, recorded: Switch | null): Promise<void> {
  const store = (isCopied: boolean) =>
    transact('readwrite', async ({ queue, device }) => {
      const now: QueuedSwitch | undefined = await resultOf(queue.get(queued.order))
      if (now?.uuid === queued.uuid && now.kind === queued.kind) {
        if (now.leftOut > 0 && recorded) await resultOf(queue.put({ ...now, kind: 'sent' }))
        else await resultOf(queue.delete(queued.order))
      }
      if (isCopied) await updateCopiedSwitches(device, queued.uuid, recorded)
    })
  // Full storage must not keep the switch in the queue.
  await store(true).catch(() => store(false))
}

interface Received {
  readonly answer: Answer
  readonly body: unknown
  /** Server's clock minus the clock of this device; null if unknown. */
  readonly clock: number | null
}

async function requestChange(queued: QueuedSwitch) {
  const { uuid, kind, members, statuses, timestamp } = queued
  const path = switchWithStatusesPath(uuid)
  if (kind === 'delete') return { ...(await request(path, { method: 'DELETE' })), recorded: null }
  const nonEmpty = statuses.filter(({ status }) => status.trim() !== '')
  const received = await request(path, {
    method: 'PUT',
    body: JSON.stringify({
      members: members.map((id) => nonEmpty.find((status) => status.id === id) ?? id),
      timestamp: formatInstant(timestamp),
    }),
  })
  return readRecorded(uuid, received)
}

async function findRecorded(uuid: string) {
  return readRecorded(uuid, await request(switchPath(uuid)))
}

/** Reads a switch from an answer. A success without this switch is not the server's answer. */
function readRecorded(uuid: string, { answer, body }: Received) {
  if (answer === null || answer.status > 201) return { answer, recorded: null }
  const { id, timestamp, members } = Object(body)
  const at = parseInstant(String(timestamp))
  if (id !== uuid || at === null || !Array.isArray(members)) return { answer: null, recorded: null }
  const ids = members.map((member: unknown) =>
    String(typeof member === 'string' ? member : Object(member).id),
  )
  const recorded: Switch = { id: uuid, timestamp: at, members: ids }
  return { answer, recorded }
}

/**
 * Sends a request. Networks with a login page answer in the server's place, so only answers in the
 * form of the server count.
 */
async function request(path: string, init: RequestInit = {}): Promise<Received> {
  const none: Received = { answer: null, body: null, clock: null }
  const sent = deviceTime()
  try {
    const response = await fetch(path, {
      ...init,
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status, headers } = response
    const clock = compareClocks(headers.get('date'), sent, deviceTime())
    const success = { status, code: 0, message: '', retryAfterMs: 0 }
    // There is no body to tell whose answer it is.
    if (status === 204)
      return headers.has('x-request-id') ? { answer: success, body: null, clock } : none
    const body: unknown = await response.json()
    if (response.ok) return { answer: success, body, clock }
    const { code, message, retry_after = 0 } = Object(body)
    if (typeof code !== 'number' || typeof message !== 'string') return none
    return { answer: { status, code, message, retryAfterMs: Number(retry_after) }, body, clock }
  } catch {
    return none
  }
}
