import { randomBytes } from 'node:crypto'
import type { Leases } from '../db/lease'
import { isDisabled } from '../db/visible'
import { error } from '../model/core/errors'
import type { AllowList } from '../model/core/network'
import { requireSystem, type Viewer } from '../model/core/privacy'
import { problemMessage } from '../model/core/problemMessages'
import { DAY, HOUR, MINUTE, SECOND } from '../model/core/time'
import { Problem } from '../model/core/validation'
import type { DeliveryResult } from '../model/events'
import type { Timer } from '../runtime/timers/clock'
import { type PeriodicTask, startPeriodicTask } from '../runtime/timers/periodicTask'
import type { EventDeps } from './deps'
import { isSuccess, type PostResult, post, resultOf } from './httpPost'
import type { Hub } from './hub'
import type { StoredEvent } from './outbox'
import { createEventPrefetcher, type ReadyEvent } from './prefetch'
import { sign } from './sign'
import {
  activateWebhook,
  activeWebhooks,
  advanceWebhook,
  changeWebhook,
  countWebhookChanges,
  enableWebhook,
  findSystemUuid,
  findWebhook,
  getWebhook,
  recordDelivery,
  type Webhook,
} from './webhooks'
import { checkAddress, type Resolve } from './webhookUrl'

export interface DispatchOptions {
  readonly allow: AllowList
  readonly userAgent: string
  readonly resolve?: Resolve
  /** Pauses between attempts in microseconds; the last one repeats. */
  readonly pauses?: readonly number[]
  /** Time after which a failing webhook is disabled, in microseconds. */
  readonly giveUpAfter?: number
  /** Interval at which a receiver must prove again that it rejects a wrong token. */
  readonly checkEvery?: number
  /** Response timeout; 10 s by default. */
  readonly timeoutMs?: number
  /** Called with the result of each delivery attempt. */
  readonly recordDelivery?: (result: DeliveryResult) => void
}

const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
const GIVE_UP_AFTER = DAY
const CHECK_EVERY = DAY

/** Time for running deliveries to finish when the server stops. */
const GRACE_MS = 2_000

/** Interval of checks for webhooks that another process activated. */
const REFRESH_MS = 1_000

/** Sends events to webhooks: in order per system, with no system waiting for another. */
export interface Dispatcher {
  /** Sends both test PINGs, and activates the webhook if the responses are correct. */
  verify(viewer: Viewer): Promise<void>
  /** Resumes a disabled webhook. */
  enable(viewer: Viewer): Promise<void>
  /** Sends a PING now. */
  test(viewer: Viewer): Promise<PostResult>
  /** Throws unless events may be sent to the address. */
  checkUrl(url: string): Promise<void>
  start(): void
  /** Stops sending; undelivered events stay in the outbox. */
  stop(): Promise<void>
}

export function createDispatcher(
  deps: EventDeps,
  hub: Hub,
  leases: Leases,
  {
    allow,
    userAgent,
    resolve,
    pauses = PAUSES,
    giveUpAfter = GIVE_UP_AFTER,
    checkEvery = CHECK_EVERY,
    timeoutMs,
    recordDelivery: onDelivery,
  }: DispatchOptions,
): Dispatcher {
  /** Systems that may have an active webhook; events of other systems are ignored. */
  const active = new Set<number>()
  const workers = new Map<number, Promise<void>>()
  /** Systems that were woken while their worker was running. */
  const wokenAgain = new Set<number>()
  const timers = new Map<number, Timer>()
  const stopping = new AbortController()
  let isStopped = false
  let refreshing: PeriodicTask | undefined
  let lastChangeCount = -1

  /** Only one of the processes that use this database sends. */
  const isSender = () => !isStopped && leases.holds('dispatch')

  const send = async (hook: Webhook, body: string, headers: Record<string, string>) => {
    const checked = await checkAddress(hook.url, { allow, ...(resolve && { resolve }) })
    if (!checked.ok) return { error: problemMessage(checked.problem) }
    return post({
      url: checked.url,
      ips: checked.ips,
      body,
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
      signal: stopping.signal,
      clock: deps.clock,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  }

  /** With a wrong token, both the token in the body and the signature are wrong. */
  const ping = async (hook: Webhook, token: string) => {
    const system_id = await findSystemUuid(deps.db, hook.system_id)
    // Strict decoders reject a body without the key `data`.
    const body = JSON.stringify({ type: 'PING', signing_token: token, system_id, data: null })
    return send(hook, body, sign(token, 0, deps.now(), body))
  }

  const deliver = (hook: Webhook, { body, headers }: ReadyEvent): Promise<PostResult> =>
    send(hook, body, {
      ...headers,
      ...(hook.dropped > 0 && { 'x-events-dropped': String(hook.dropped) }),
    })

  /** Returns the changes of the webhook after an attempt. */
  const nextState = (hook: Webhook, event: StoredEvent, sent: PostResult): Partial<Webhook> => {
    const status = 'status' in sent ? sent.status : null
    if (isSuccess(sent))
      return { cursor: event.id, failing_since: null, attempts: 0, next_attempt: null }
    if (status === 401 || status === 410)
      return {
        state: 'disabled',
        reason: problemMessage(new Problem('receiver_answered', { status })),
      }
    const now = deps.now()
    const failing_since = hook.failing_since ?? now
    const why = 'error' in sent ? sent.error : `status ${status}`
    if (now - failing_since >= giveUpAfter)
      return {
        state: 'disabled',
        failing_since,
        reason: problemMessage(new Problem('deliveries_failed', { error: why })),
      }
    const pause = pauses[Math.min(hook.attempts, pauses.length - 1)] ?? 0
    // The last attempt is made when the time is up, not a long pause later.
    const next_attempt = Math.min(now + pause, failing_since + giveUpAfter)
    return { failing_since, attempts: hook.attempts + 1, next_attempt }
  }

  /** Sends pending events one by one, until none is left or a pause is due. */
  const work = async (systemId: number) => {
    const pending = createEventPrefetcher(deps.db, systemId)
    while (isSender()) {
      const hook = await findWebhook(deps.db, systemId)
      if (hook?.state !== 'active' || (await isDisabled(deps.db, systemId)))
        return void active.delete(systemId)
      if (hook.next_attempt !== null && hook.next_attempt > deps.now())
        return wakeLater(systemId, hook.next_attempt - deps.now())
      const ready = await pending.first(hook)
      if (!ready) {
        const skipped = pending.lastSkipped()
        if (skipped !== null) await advanceWebhook(deps, hook, skipped)
        return
      }
      if (deps.now() - (hook.checked ?? 0) > checkEvery && !(await stillRejectsWrongToken(hook)))
        continue
      // The lease may have expired during these queries.
      if (!isSender()) return
      const sending = deliver(hook, ready)
      await pending.prefetch(hook)
      const sent = await sending
      const { event } = ready
      // Aborted by the shutdown, so the receiver did not fail.
      if (isStopped && 'error' in sent) return
      onDelivery?.(resultOf(sent))
      await recordDelivery(
        deps,
        hook,
        record(deps, hook, event, sent),
        nextState(hook, event, sent),
      )
    }
  }

  /** Disables a receiver that accepts any token, because anybody could send events to it. */
  const stillRejectsWrongToken = async (hook: Webhook): Promise<boolean> => {
    const sent = await ping(hook, randomToken())
    // A missing response proves nothing, and the pending event will fail too.
    if ('error' in sent) return true
    const acceptsAny = isSuccess(sent)
    await changeWebhook(deps, hook, {
      checked: deps.now(),
      ...(acceptsAny && {
        state: 'disabled',
        reason: problemMessage(new Problem('receiver_checks_nothing')),
      }),
    })
    return !acceptsAny
  }

  const wakeLater = (systemId: number, pause: number) => {
    if (isStopped) return
    timers.get(systemId)?.stop()
    const timer = deps.clock.setTimeout(
      () => {
        timers.delete(systemId)
        wake(systemId)
      },
      Math.ceil(pause / 1000),
    )
    timers.set(systemId, timer.unref())
  }

  const wake = (systemId: number) => {
    if (!isSender() || !active.has(systemId)) return
    if (workers.has(systemId)) return void wokenAgain.add(systemId)
    const worker = work(systemId)
      .catch((cause) => {
        deps.warn('webhook worker failed', { system: systemId, cause: String(cause) })
        wakeLater(systemId, pauses[0] ?? 0)
      })
      .then(() => {
        workers.delete(systemId)
        // Events written while the worker ended must not wait for the next event.
        if (wokenAgain.delete(systemId)) activate(systemId)
      })
    workers.set(systemId, worker)
  }

  const activate = (systemId: number) => {
    active.add(systemId)
    wake(systemId)
  }

  /** Reads the active webhooks if any process activated one. */
  const loadActive = async () => {
    const changes = await countWebhookChanges(deps.db)
    if (changes === lastChangeCount) return
    const systemIds = await activeWebhooks(deps.db)
    lastChangeCount = changes
    for (const systemId of systemIds) activate(systemId)
  }

  hub.listenToAll(
    ({ system_id }) => wake(system_id),
    () => active.size > 0 && isSender(),
  )
  leases.onAcquired('dispatch', () => {
    // The previous lease holder may have sent events or changed webhooks.
    active.clear()
    lastChangeCount = -1
    void refreshing?.runNow()
  })

  return {
    async verify(viewer) {
      const systemId = requireSystem(viewer, 'manage')
      const hook = await getWebhook(deps.db, systemId)
      const accepted = await ping(hook, hook.token)
      if ('error' in accepted) throw rejectUrl(new Problem('ping_unanswered', accepted))
      if (accepted.status !== 200) throw rejectUrl(new Problem('ping_refused', accepted))
      const rejected = await ping(hook, randomToken())
      if (!('status' in rejected) || rejected.status !== 401)
        throw rejectUrl(new Problem('ping_not_checked'))
      await activateWebhook(deps, hook)
      activate(systemId)
    },
    async enable(viewer) {
      const systemId = requireSystem(viewer, 'manage')
      await enableWebhook(deps, systemId)
      activate(systemId)
    },
    async test(viewer) {
      const hook = await getWebhook(deps.db, requireSystem(viewer, 'manage'))
      const sent = await ping(hook, hook.token)
      await recordDelivery(deps, hook, record(deps, hook, null, sent))
      return sent
    },
    async checkUrl(url) {
      const checked = await checkAddress(url, { allow, ...(resolve && { resolve }) })
      if (!checked.ok) throw rejectUrl(checked.problem)
    },
    start() {
      refreshing = startPeriodicTask({
        clock: deps.clock,
        everyMs: REFRESH_MS,
        mayRun: isSender,
        run: loadActive,
        onError: (cause) => deps.warn('webhook refresh failed', { cause: String(cause) }),
      })
    },
    async stop() {
      isStopped = true
      for (const timer of timers.values()) timer.stop()
      const abortTimer = deps.clock.setTimeout(() => stopping.abort(), GRACE_MS)
      await Promise.all([refreshing?.stop(), ...workers.values()])
      abortTimer.stop()
    },
  }
}

function record(deps: EventDeps, hook: Webhook, event: StoredEvent | null, sent: PostResult) {
  return {
    system_id: hook.system_id,
    event_id: event?.id ?? null,
    type: event?.type ?? 'PING',
    at: deps.now(),
    status: 'status' in sent ? sent.status : null,
    error: 'error' in sent ? sent.error : null,
    attempt: event ? hook.attempts + 1 : 1,
  }
}

function randomToken(): string {
  return randomBytes(48).toString('base64')
}

function rejectUrl(problem: Problem) {
  return error('invalidBody', { url: [problem] })
}
