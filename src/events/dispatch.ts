import { createHmac, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { systems } from '../db/tables'
import { error } from '../model/errors'
import { Problem } from '../model/field'
import { DAY, HOUR, MINUTE, SECOND } from '../model/time'
import { type AllowList, checkAddress, type Resolve } from './address'
import type { EventDeps } from './deps'
import type { Hub } from './hub'
import { eventsOfSystemAfter, type StoredEvent } from './outbox'
import { post, type Sent } from './send'
import { spellEvent } from './spell'
import {
  activateWebhook,
  activeWebhooks,
  changeWebhook,
  findWebhook,
  getWebhook,
  noteDelivery,
  type Webhook,
} from './webhooks'

export interface DispatchOptions {
  readonly allow: AllowList
  readonly userAgent: string
  readonly resolve?: Resolve
  /** Pauses between attempts in microseconds; the last one repeats. */
  readonly pauses?: readonly number[]
  /** How long a receiver may fail before it is given up. */
  readonly patience?: number
}

const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
const PATIENCE = DAY

/** How often a receiver must prove again that it refuses a wrong token. */
const CHECK_EVERY = DAY

/** Sends events to webhooks: in order for each system, and no system waits for another. */
export interface Dispatcher {
  /** The system may have something to send. */
  touch(systemId: number): void
  /** Sends both test PINGs, and activates the webhook when they are answered as they must be. */
  verify(systemId: number): Promise<void>
  /** Sends a PING now. */
  test(systemId: number): Promise<Sent>
  /** Fails unless events may be sent to the address. */
  checkUrl(url: string): Promise<void>
  start(): Promise<void>
  /** Sends nothing more; what is not delivered stays in the outbox. */
  stop(): Promise<void>
}

export function createDispatcher(
  deps: EventDeps,
  hub: Hub,
  { allow, userAgent, resolve, pauses = PAUSES, patience = PATIENCE }: DispatchOptions,
): Dispatcher {
  const active = new Set<number>()
  const workers = new Map<number, Promise<void>>()
  const timers = new Map<number, ReturnType<typeof setTimeout>>()
  let isStopped = false

  const send = async (hook: Webhook, body: string, headers: Record<string, string>) => {
    const checked = await checkAddress(hook.url, { allow, ...(resolve && { resolve }) })
    if (!checked.ok) return { error: checked.reason }
    return post({
      url: checked.url,
      ips: checked.ips,
      body,
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
    })
  }

  const ping = async (hook: Webhook, token: string) => {
    const system_id = await uuidOf(hook.system_id)
    const body = JSON.stringify({ type: 'PING', signing_token: token, system_id })
    return send(hook, body, sign(hook.token, 0, deps.now(), body))
  }

  const uuidOf = async (systemId: number) => {
    const row = await deps.db
      .select({ uuid: systems.uuid })
      .from(systems)
      .where(eq(systems.id, systemId))
      .get()
    return row?.uuid ?? ''
  }

  const deliver = async (hook: Webhook, event: StoredEvent) => {
    const { type, system_id, id, data } = spellEvent(event, await uuidOf(hook.system_id))
    const body = JSON.stringify({ type, signing_token: hook.token, system_id, id, data })
    return send(hook, body, sign(hook.token, event.id, event.at, body))
  }

  /** What an attempt means for the webhook. */
  const judge = (hook: Webhook, event: StoredEvent, sent: Sent): Partial<Webhook> => {
    const status = 'status' in sent ? sent.status : null
    if (status !== null && status >= 200 && status < 300)
      return { cursor: event.id, failing_since: null, attempts: 0, next_attempt: null }
    if (status === 401 || status === 410)
      return { state: 'disabled', reason: `The receiver answered ${status}.` }
    const now = deps.now()
    const failing_since = hook.failing_since ?? now
    const why = status === null ? (sent as { error: string }).error : `status ${status}`
    if (now - failing_since >= patience)
      return { state: 'disabled', failing_since, reason: `It failed for too long, last: ${why}` }
    const pause = pauses[Math.min(hook.attempts, pauses.length - 1)] ?? 0
    return { failing_since, attempts: hook.attempts + 1, next_attempt: now + pause }
  }

  /** Sends what waits, one after the other, until there is nothing or it must pause. */
  const work = async (systemId: number) => {
    while (!isStopped) {
      const hook = await findWebhook(deps.db, systemId)
      if (hook?.state !== 'active') return void active.delete(systemId)
      if (hook.next_attempt !== null && hook.next_attempt > deps.now())
        return later(systemId, hook.next_attempt - deps.now())
      const [event] = await eventsOfSystemAfter(deps.db, systemId, hook.cursor, 1)
      if (!event) return
      if (deps.now() - (hook.checked ?? 0) > CHECK_EVERY && !(await stillRefuses(hook))) continue
      const sent = await deliver(hook, event)
      if (isStopped && 'error' in sent) return
      await noteDelivery(deps, hook, record(deps, hook, event, sent), judge(hook, event, sent))
    }
  }

  /** A receiver that takes any token could be fed by anybody, and is not fed by us. */
  const stillRefuses = async (hook: Webhook): Promise<boolean> => {
    const sent = await ping(hook, randomToken())
    const takesAny = 'status' in sent && sent.status >= 200 && sent.status < 300
    await changeWebhook(deps, hook.system_id, {
      checked: deps.now(),
      ...(takesAny && { state: 'disabled', reason: 'It accepted a wrong signing token.' }),
    })
    return !takesAny
  }

  const later = (systemId: number, pause: number) => {
    clearTimeout(timers.get(systemId))
    const timer = setTimeout(() => touch(systemId), Math.ceil(pause / 1000))
    timer.unref()
    timers.set(systemId, timer)
  }

  const touch = (systemId: number) => {
    if (isStopped || !active.has(systemId) || workers.has(systemId)) return
    const worker = work(systemId)
      .catch((cause) => {
        deps.warn('a webhook could not be served', { system: systemId, cause: String(cause) })
        later(systemId, pauses[0] ?? 0)
      })
      .finally(() => workers.delete(systemId))
      // What was written while the worker ended must not wait for the next event.
      .then(() => touchIfBehind(systemId))
    workers.set(systemId, worker)
  }

  const touchIfBehind = async (systemId: number) => {
    const hook = active.has(systemId) ? await findWebhook(deps.db, systemId) : null
    if (!hook || hook.next_attempt !== null) return
    const [event] = await eventsOfSystemAfter(deps.db, systemId, hook.cursor, 1)
    if (event) touch(systemId)
  }

  hub.listenToAll(({ system_id }) => touch(system_id))

  return {
    touch(systemId) {
      active.add(systemId)
      touch(systemId)
    },
    async verify(systemId) {
      const hook = await getWebhook(deps.db, systemId)
      const right = await ping(hook, hook.token)
      if ('error' in right) throw refuseUrl(`The test PING was not answered: ${right.error}`)
      if (right.status !== 200)
        throw refuseUrl(`The test PING must be answered with 200, not ${right.status}.`)
      const wrong = await ping(hook, randomToken())
      if (!('status' in wrong) || wrong.status !== 401)
        throw refuseUrl('A PING with a wrong signing token must be answered with 401.')
      await activateWebhook(deps, hook)
      active.add(systemId)
    },
    test: async (systemId) => {
      const hook = await getWebhook(deps.db, systemId)
      const sent = await ping(hook, hook.token)
      await noteDelivery(deps, hook, record(deps, hook, null, sent), {})
      return sent
    },
    async checkUrl(url) {
      const checked = await checkAddress(url, { allow, ...(resolve && { resolve }) })
      if (!checked.ok) throw refuseUrl(checked.reason)
    },
    async start() {
      for (const { system_id } of await activeWebhooks(deps.db)) {
        active.add(system_id)
        touch(system_id)
      }
    },
    async stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(workers.values())
    },
  }
}

/** The receiver can know that the event is ours, is whole, and is not an old one sent again. */
function sign(token: string, id: number, at: number, body: string): Record<string, string> {
  const timestamp = Math.floor(at / SECOND)
  const hmac = createHmac('sha256', token).update(`${id}.${timestamp}.${body}`).digest('hex')
  return {
    'x-event-id': String(id),
    'x-event-timestamp': String(timestamp),
    'x-event-signature': `sha256=${hmac}`,
  }
}

function record(deps: EventDeps, hook: Webhook, event: StoredEvent | null, sent: Sent) {
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

function refuseUrl(reason: string) {
  return error('invalidBody', { url: [new Problem(reason)] })
}
