import type { Leases } from '../../db/lease'
import type { AllowList } from '../../model/core/network'
import { problemMessage } from '../../model/core/problemMessages'
import { DAY, type Instant, MINUTE, SECOND } from '../../model/core/time'
import { MAX_ENDPOINT, type PushResult } from '../../model/push/pushTarget'
import type { Timer } from '../../runtime/timers/clock'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import type { EventDeps } from '../deps'
import { type PostResult, post } from '../httpPost'
import { type CheckedAddress, checkAddress, type Resolve } from '../webhookUrl'
import { authorizationFor, encryptFor } from './encrypt'
import {
  buildMessage,
  deliveryOf,
  encodeMessage,
  type PushMessage,
  type PushSources,
  testMessage,
  topicOf,
} from './message'
import {
  countAttempt,
  type DueRow,
  deleteQueued,
  deleteTarget,
  findQueued,
  findReceiver,
  isQueued,
  listDue,
  pauseTarget,
  type QueuedMessage,
  recordFailure,
  recordSuccess,
  sendAtOnce,
  targetById,
} from './queue'
import { getPushKey } from './serverKey'

export interface PushOptions {
  /** Contact of the operator for push services; null if push is off. */
  readonly contact: string | null
  readonly sources: PushSources
  /** Pauses after failed attempts, in microseconds; after the last one the message is given up. */
  readonly pauses?: readonly number[]
  /** Time after which a failing target is deleted, in microseconds. */
  readonly deleteAfter?: number
  /** Trusted instead of the well-known certificate authorities. */
  readonly ca?: string
  /** Called with the result of each message. */
  readonly recordResult?: (result: PushResult) => void
}

/** Dependencies that push shares with webhooks. */
export interface SenderOptions {
  readonly allow: AllowList
  readonly userAgent: string
  readonly resolve?: Resolve | undefined
  readonly timeoutMs?: number | undefined
}

export interface PushSender {
  /** Contact of the operator; null if push is off. */
  readonly contact: string | null
  /** Checks that messages may be sent to an address. */
  checkEndpoint(endpoint: string): Promise<CheckedAddress>
  /** Sends a test message to a target at once. */
  sendTest(targetId: number): Promise<PostResult>
  /** Looks at the queue soon, because a message may have been queued. */
  wake(): void
  start(): void
  /** Stops sending; messages that were not sent stay in the queue. */
  stop(): Promise<void>
}

const PAUSES = [MINUTE, 5 * MINUTE, 30 * MINUTE]
const DELETE_AFTER = 7 * DAY
const LOOK_MS = 1_000
/** Many writes in a row lead to one look at the queue. */
const WAKE_MS = 20
const PAGE = 200
const MAX_RUNNING = 32
/** A system whose push service does not respond must not delay the messages of others. */
const MAX_RUNNING_OF_SYSTEM = 4
/** Times that a message is built again because a newer one replaced it meanwhile. */
const MAX_REBUILDS = 3
const GRACE_MS = 2_000

export function createPushSender(
  deps: EventDeps,
  leases: Leases,
  { allow, userAgent, resolve, timeoutMs }: SenderOptions,
  options: PushOptions,
): PushSender {
  const { contact, sources, pauses = PAUSES, deleteAfter = DELETE_AFTER, ca } = options
  /** Messages that are being sent, by row ID. */
  const running = new Map<number, { row: DueRow; done: Promise<void> }>()
  /** Results that could not be recorded, so that the message is not sent again. */
  const unrecorded = new Map<number, { queued: QueuedMessage; sent: PostResult }>()
  const stopping = new AbortController()
  let isStopped = false
  let looking: PeriodicTask | undefined
  let wakeTimer: Timer | undefined

  const isSender = () => !isStopped && leases.holds('dispatch')

  const checkEndpoint = (endpoint: string) =>
    checkAddress(endpoint, { allow, resolve, maxLength: MAX_ENDPOINT, isHttpsOnly: true })

  const transact = (systemId: number, work: Parameters<EventDeps['transact']>[1]) =>
    deps.transact({ system: systemId }, work)

  /** Encrypts a message and returns a function that sends it. */
  const prepare = async (
    { url, ips }: { url: URL; ips: string[] },
    target: Pick<QueuedMessage, 'endpoint' | 'p256dh' | 'auth'>,
    message: PushMessage,
    topic: string,
  ): Promise<() => Promise<PostResult>> => {
    const { ttl, urgency } = deliveryOf(message.kind)
    const body = await encryptFor(target, encodeMessage(message))
    const key = await getPushKey(deps)
    const subscription = { ...target, endpoint: url.href }
    const authorization = await authorizationFor(subscription, key, contact ?? '')
    const headers = {
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(ttl),
      urgency,
      topic,
      'user-agent': userAgent,
    }
    return () =>
      post({
        url,
        ips,
        body,
        headers,
        signal: stopping.signal,
        clock: deps.clock,
        ...(ca !== undefined && { ca }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
  }

  /** Deletes a message that has no receiver any more, or that its receiver does not want. */
  const drop = async (queued: QueuedMessage) => {
    const isDropped = await deps.transact({ system: queued.system_id }, (tx) =>
      deleteQueued(tx, queued),
    )
    if (isDropped) options.recordResult?.('dropped')
  }

  /** Builds and sends a message. */
  const deliver = async (id: number) => {
    const earlier = unrecorded.get(id)
    if (earlier) return record(earlier.queued, earlier.sent)
    const first = await findQueued(deps.db, id)
    if (!first) return
    if (contact === null) return drop(first)
    const checked = await checkEndpoint(first.endpoint)
    for (let rebuilds = 0; rebuilds < MAX_REBUILDS && isSender(); rebuilds++) {
      // Read after the address was resolved, because the receiver may have lost its rights since.
      const queued = await findQueued(deps.db, id)
      if (!queued) return
      const viewer = await findReceiver(deps.db, queued, deps.now())
      const isWanted = viewer !== null && queued.wants.includes(queued.kind)
      const message = isWanted ? await buildMessage(sources, viewer, queued) : null
      if (!message) return drop(queued)
      if (!checked.ok) return record(queued, { error: problemMessage(checked.problem) })
      const send = await prepare(checked, queued, message, topicOf(queued.kind, queued.subject))
      if (!(await isQueued(deps.db, queued)) || !isSender()) continue
      const sent = await send()
      // Aborted by the shutdown, so the push service did not fail.
      if (isStopped && 'error' in sent) return
      return record(queued, sent)
    }
  }

  const record = async (queued: QueuedMessage, sent: PostResult) => {
    unrecorded.set(queued.id, { queued, sent })
    const result = await recordSent(queued, sent)
    unrecorded.delete(queued.id)
    options.recordResult?.(result)
    if (result === 'too_large') deps.warn('push message rejected', { status: 413 })
  }

  const recordSent = async (queued: QueuedMessage, sent: PostResult): Promise<PushResult> => {
    const { target_id, system_id } = queued
    const status = 'status' in sent ? sent.status : null
    return deps.transact({ system: system_id }, async (tx) => {
      const now = deps.now()
      if (status !== null && isAccepted(status)) {
        await recordSuccess(tx, target_id, now)
        await deleteQueued(tx, queued)
        await sendAtOnce(tx, target_id, now)
        return 'sent'
      }
      if (status === 404 || status === 410) {
        await deleteTarget(tx, target_id)
        return 'gone'
      }
      if (status === 413) {
        await deleteQueued(tx, queued)
        return 'too_large'
      }
      const failingSince = await recordFailure(tx, target_id, now)
      const attempts = queued.attempts + 1
      const pause = pauses[attempts - 1]
      if (pause === undefined && now - failingSince >= deleteAfter) {
        await deleteTarget(tx, target_id)
        return 'gone'
      }
      if (pause === undefined) await deleteQueued(tx, queued)
      else await countAttempt(tx, queued, attempts)
      const asked = 'retryAfter' in sent ? parseRetryAfter(sent.retryAfter, now) : null
      await pauseTarget(tx, target_id, now + (asked ?? pause ?? pauses[0] ?? 0))
      return pause === undefined ? 'given_up' : 'retried'
    })
  }

  const mayStart = ({ id, target_id, system_id }: DueRow): boolean => {
    if (running.has(id)) return false
    let ofSystem = 0
    for (const { row } of running.values()) {
      if (row.target_id === target_id) return false
      if (row.system_id === system_id) ofSystem++
    }
    return ofSystem < MAX_RUNNING_OF_SYSTEM
  }

  const begin = (row: DueRow) => {
    const isDelivered = deliver(row.id).then(
      () => true,
      (cause) => {
        deps.warn('push delivery failed', { cause: String(cause) })
        return false
      },
    )
    const done = isDelivered.then((isDone) => {
      running.delete(row.id)
      // Messages that had to wait for this one can be sent now. What failed, as on a full disk, is
      // repeated by the next regular look.
      if (isDone) wake()
    })
    running.set(row.id, { row, done })
  }

  /** Starts to send the messages that are due, in their order. */
  const look = async (isOver: () => boolean) => {
    let position: Pick<DueRow, 'due' | 'id'> = { due: -1, id: 0 }
    while (running.size < MAX_RUNNING && !isOver()) {
      const page = await listDue(deps.db, deps.now(), position, PAGE)
      for (const row of page) {
        position = row
        if (running.size < MAX_RUNNING && mayStart(row)) begin(row)
      }
      if (page.length < PAGE) return
    }
  }

  const wake = () => {
    if (wakeTimer !== undefined || !isSender()) return
    const look = () => {
      wakeTimer = undefined
      void looking?.runNow()
    }
    wakeTimer = deps.clock.setTimeout(look, WAKE_MS).unref()
  }

  leases.onAcquired('dispatch', wake)

  return {
    contact,
    checkEndpoint,
    async sendTest(targetId) {
      const target = await targetById(deps.db).get({ id: targetId })
      if (!target) return { error: 'the target has ended' }
      const checked = await checkEndpoint(target.endpoint)
      if (!checked.ok) return { error: problemMessage(checked.problem) }
      const send = await prepare(checked, target, testMessage, topicOf('test', String(targetId)))
      const sent = await send()
      const status = 'status' in sent ? sent.status : 0
      await transact(target.system_id, async (tx) => {
        if (isAccepted(status)) await recordSuccess(tx, targetId, deps.now())
        if (status === 404 || status === 410) await deleteTarget(tx, targetId)
      })
      return sent
    },
    wake,
    start() {
      deps.changes.onTick((isNew) => isNew && wake())
      looking = startPeriodicTask({
        clock: deps.clock,
        everyMs: LOOK_MS,
        mayRun: isSender,
        run: look,
        onError: (cause) => deps.warn('push queue read failed', { cause: String(cause) }),
      })
    },
    async stop() {
      isStopped = true
      wakeTimer?.stop()
      const abortTimer = deps.clock.setTimeout(() => stopping.abort(), GRACE_MS)
      await looking?.stop()
      await Promise.all([...running.values()].map(({ done }) => done))
      abortTimer.stop()
    },
  }
}

function isAccepted(status: number): boolean {
  return status === 200 || status === 201 || status === 202
}

/** Returns the pause that a push service asks for, in microseconds: 1 s to 1 day, or null. */
export function parseRetryAfter(text: string | undefined, now: Instant): number | null {
  if (text === undefined) return null
  const until = Date.parse(text) * 1000
  const pause = /^\d+$/.test(text) ? Number(text) * SECOND : until - now
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, SECOND), DAY)
}
