import { randomBytes } from 'node:crypto'
import type { Leases } from '../db/lease'
import { isDisabled } from '../db/visibility'
import { error } from '../model/errors'
import type { AllowList } from '../model/network'
import { requireSystem, type Viewer } from '../model/privacy'
import { DAY, HOUR, MINUTE, SECOND } from '../model/time'
import { Problem } from '../model/validation'
import type { EventDeps } from './deps'
import { type DeliveryResult, isSuccess, type PostResult, post, resultOf } from './httpPost'
import type { Hub } from './hub'
import type { StoredEvent } from './outbox'
import { createEventPrefetcher, type ReadyEvent } from './prefetch'
import { sign } from './sign'
import {
  activateWebhook,
  activeWebhooks,
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
  /** How long a receiver may fail before it is given up. */
  readonly giveUpAfter?: number
  /** How often a receiver must prove again that it refuses a wrong token. */
  readonly checkEvery?: number
  /** How long a receiver may take to answer; 10 s unless told. */
  readonly timeoutMs?: number
  /** Told what became of each attempt to deliver an event. */
  readonly recordDelivery?: (result: DeliveryResult) => void
}

const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
const GIVE_UP_AFTER = DAY
const CHECK_EVERY = DAY

/** How long a receiver that is just being told may take once we are to stop. */
const GRACE_MS = 2_000

/** How soon a webhook is known here that was activated through another process. */
const REFRESH_MS = 1_000

/** Sends events to webhooks: in order for each system, and no system waits for another. */
export interface Dispatcher {
  /** Sends both test PINGs, and activates the webhook when they are answered as they must be. */
  verify(viewer: Viewer): Promise<void>
  /** Goes on with a webhook that was disabled. */
  enable(viewer: Viewer): Promise<void>
  /** Sends a PING now. */
  test(viewer: Viewer): Promise<PostResult>
  /** Fails unless events may be sent to the address. */
  checkUrl(url: string): Promise<void>
  start(): void
  /** Sends nothing more; what is not delivered stays in the outbox. */
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
  /** Systems that may have an active webhook; all others are passed over without a look. */
  const active = new Set<number>()
  const workers = new Map<number, Promise<void>>()
  /** Systems that were touched while their worker was busy. */
  const again = new Set<number>()
  const timers = new Map<number, ReturnType<typeof setTimeout>>()
  const stopping = new AbortController()
  let isStopped = false
  let looks: ReturnType<typeof setInterval> | undefined
  let changesSeen = -1

  /** Only one of all processes on this data sends. */
  const isSender = () => !isStopped && leases.holds('dispatch')

  const send = async (hook: Webhook, body: string, headers: Record<string, string>) => {
    const checked = await checkAddress(hook.url, { allow, ...(resolve && { resolve }) })
    if (!checked.ok) return { error: checked.reason }
    return post({
      url: checked.url,
      ips: checked.ips,
      body,
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
      signal: stopping.signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  }

  /** With a wrong token everything about the PING is wrong, whichever way a receiver checks it. */
  const ping = async (hook: Webhook, token: string) => {
    const system_id = await findSystemUuid(deps.db, hook.system_id)
    // Decoders that need a value for `data` refuse a body without the key.
    const body = JSON.stringify({ type: 'PING', signing_token: token, system_id, data: null })
    return send(hook, body, sign(token, 0, deps.now(), body))
  }

  const deliver = (hook: Webhook, { body, headers }: ReadyEvent): Promise<PostResult> =>
    send(hook, body, {
      ...headers,
      ...(hook.dropped > 0 && { 'x-events-dropped': String(hook.dropped) }),
    })

  /** What an attempt means for the webhook. */
  const nextState = (hook: Webhook, event: StoredEvent, sent: PostResult): Partial<Webhook> => {
    const status = 'status' in sent ? sent.status : null
    if (isSuccess(sent))
      return { cursor: event.id, failing_since: null, attempts: 0, next_attempt: null }
    if (status === 401 || status === 410)
      return { state: 'disabled', reason: `The receiver answered ${status}.` }
    const now = deps.now()
    const failing_since = hook.failing_since ?? now
    const why = 'error' in sent ? sent.error : `status ${status}`
    if (now - failing_since >= giveUpAfter)
      return { state: 'disabled', failing_since, reason: `It failed for too long, last: ${why}` }
    const pause = pauses[Math.min(hook.attempts, pauses.length - 1)] ?? 0
    // The last attempt comes when the patience ends, not a long pause later.
    const next_attempt = Math.min(now + pause, failing_since + giveUpAfter)
    return { failing_since, attempts: hook.attempts + 1, next_attempt }
  }

  /** Sends what waits, one after the other, until there is nothing or it must pause. */
  const work = async (systemId: number) => {
    const waiting = createEventPrefetcher(deps.db, systemId)
    while (isSender()) {
      const hook = await findWebhook(deps.db, systemId)
      if (hook?.state !== 'active' || (await isDisabled(deps.db, systemId)))
        return void active.delete(systemId)
      if (hook.next_attempt !== null && hook.next_attempt > deps.now())
        return later(systemId, hook.next_attempt - deps.now())
      const ready = await waiting.first(hook)
      if (!ready) return
      if (deps.now() - (hook.checked ?? 0) > checkEvery && !(await stillRefuses(hook))) continue
      // Whoever slept over one of these questions was followed by another.
      if (!isSender()) return
      const sending = deliver(hook, ready)
      await waiting.prefetch(hook)
      const sent = await sending
      const { event } = ready
      // Cut short by us, which says nothing about the receiver.
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

  /** A receiver that takes any token could be fed by anybody, and is not fed by us. */
  const stillRefuses = async (hook: Webhook): Promise<boolean> => {
    const sent = await ping(hook, randomToken())
    // No answer proves nothing, and the event that waits finds out soon enough.
    if ('error' in sent) return true
    const takesAny = isSuccess(sent)
    await changeWebhook(deps, hook, {
      checked: deps.now(),
      ...(takesAny && { state: 'disabled', reason: 'It accepted a wrong signing token.' }),
    })
    return !takesAny
  }

  const later = (systemId: number, pause: number) => {
    if (isStopped) return
    clearTimeout(timers.get(systemId))
    const timer = setTimeout(
      () => {
        timers.delete(systemId)
        wake(systemId)
      },
      Math.ceil(pause / 1000),
    )
    timer.unref()
    timers.set(systemId, timer)
  }

  const wake = (systemId: number) => {
    if (!isSender() || !active.has(systemId)) return
    if (workers.has(systemId)) return void again.add(systemId)
    const worker = work(systemId)
      .catch((cause) => {
        deps.warn('a webhook could not be served', { system: systemId, cause: String(cause) })
        later(systemId, pauses[0] ?? 0)
      })
      .then(() => {
        workers.delete(systemId)
        // What was written while the worker ended must not wait for the next event.
        if (again.delete(systemId)) activate(systemId)
      })
    workers.set(systemId, worker)
  }

  const activate = (systemId: number) => {
    active.add(systemId)
    wake(systemId)
  }

  /** Learns which webhooks are active, when any became so through whichever process. */
  const lookForWebhooks = async () => {
    if (!isSender()) return
    const changes = await countWebhookChanges(deps.db)
    if (changes === changesSeen) return
    const found = await activeWebhooks(deps.db)
    changesSeen = changes
    for (const systemId of found) activate(systemId)
  }

  const refreshActive = () =>
    lookForWebhooks().catch((cause) =>
      deps.warn('webhooks could not be read', { cause: String(cause) }),
    )

  hub.listenToAll(
    ({ system_id }) => wake(system_id),
    () => active.size > 0 && isSender(),
  )
  leases.onTaken('dispatch', () => {
    // What others sent or changed meanwhile is not known here.
    active.clear()
    changesSeen = -1
    refreshActive()
  })

  return {
    async verify(viewer) {
      const systemId = requireSystem(viewer, 'manage')
      const hook = await getWebhook(deps.db, systemId)
      const right = await ping(hook, hook.token)
      if ('error' in right) throw rejectUrl(`The test PING was not answered: ${right.error}`)
      if (right.status !== 200)
        throw rejectUrl(`The test PING must be answered with 200, not ${right.status}.`)
      const wrong = await ping(hook, randomToken())
      if (!('status' in wrong) || wrong.status !== 401)
        throw rejectUrl('A PING with a wrong signing token must be answered with 401.')
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
      if (!checked.ok) throw rejectUrl(checked.reason)
    },
    start() {
      looks = setInterval(refreshActive, REFRESH_MS)
      looks.unref()
    },
    async stop() {
      isStopped = true
      clearInterval(looks)
      for (const timer of timers.values()) clearTimeout(timer)
      const giveUp = setTimeout(() => stopping.abort(), GRACE_MS)
      await Promise.all(workers.values())
      clearTimeout(giveUp)
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

function rejectUrl(reason: string) {
  return error('invalidBody', { url: [new Problem(reason)] })
}
