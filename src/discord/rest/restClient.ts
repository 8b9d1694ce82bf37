import type { Log } from '../../runtime/log'
import { type Backoff, backoffMs, createStoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'
import { isRecord, NoResponseError, NotSentError, toDiscordError } from './errors'
import { createGlobalLimit } from './globalLimit'
import { createInvalidRequests, type InvalidRequestLimit } from './invalidRequests'
import { encodeBody, type Upload } from './requestBody'
import { createRequestQueues, type Outcome } from './requestQueues'
import { fillPath, type Route, redactPath } from './route'

/*
 * An own client, because `@discordjs/rest` 2.6.3 breaks rules of the bot's contract: after a 401 it
 * still sends the queued requests with the refused token; after 5xx it repeats a request five times
 * within 2 ms; its number of repetitions cannot be 0 for POST only, and a second instance for POST
 * would not share its buckets.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  /** Values of the path template, for example `channel_id`. */
  readonly params?: Route['params']
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: object
  readonly files?: readonly Upload[]
  /**
   * Sends the bot token; true by default. Requests with the token of a webhook or an interaction
   * need none, and Discord then counts them per address instead of per bot.
   */
  readonly auth?: boolean
  /** Reason in the guild's audit log. */
  readonly reason?: string
  readonly timeoutMs?: number
  /** Sent even while requests are paused because Discord refused too many. */
  readonly isProxying?: boolean
  /** Repetitions after 5xx or without a response; the client's number by default, none for POST. */
  readonly retries?: number
  /**
   * Sends on a new connection. Bun repeats DELETE by itself if a kept connection was reset, so the
   * answer to the second request would be taken for that to the first.
   */
  readonly hasOwnConnection?: boolean
  /** Asked immediately before the request is sent; false fails it with `NotSentError`. */
  readonly maySend?: () => boolean
}

export interface RestClient {
  /**
   * Sends a request when its rate limits allow it, and returns the JSON of the response. Throws
   * `DiscordError`, `NoResponseError` or `NotSentError`. POST is repeated only after 429.
   */
  request<Result = void>(
    method: Method,
    template: string,
    options?: RequestOptions,
  ): Promise<Result>
  /** Sends nothing any more; waiting requests fail with `NotSentError`. */
  stop(): void
  /** Number of requests that wait for their turn. */
  readonly waiting: number
}

/** Counters of requests; routes are templates without IDs. */
export interface RestMetrics {
  countRequest(route: string, status: number | 'failed'): void
  countRateLimited(scope: string): void
}

export interface RestTiming {
  readonly timeoutMs: number
  readonly retries: number
  readonly backoff: Backoff
  /** Requests per window, counted separately with and without the bot token. */
  readonly global: { readonly perWindow: number; readonly windowMs: number }
  readonly invalid: InvalidRequestLimit
  /** Added to waits that Discord orders, for timers that fire early. */
  readonly marginMs: number
}

export const defaultRestTiming: RestTiming = {
  timeoutMs: 15_000,
  retries: 5,
  backoff: { firstMs: 250, maxMs: 30_000 },
  // The window is longer than Discord's second, because requests do not travel equally fast.
  global: { perWindow: 50, windowMs: 1100 },
  invalid: { max: 5000, windowMs: 600_000 },
  marginMs: 20,
}

export interface RestParts {
  readonly clock: Clock
  /** Address of the API without its version. */
  readonly api: string
  readonly token: string
  /** Header of each request; it names the application once it is known. */
  readonly userAgent: () => string
  readonly log: Log
  readonly metrics?: RestMetrics
  /** Called once, when Discord refuses the bot token. */
  readonly onUnauthorized?: () => void
  readonly timing?: Partial<RestTiming>
}

export function createRestClient(parts: RestParts): RestClient {
  const { clock, api, token, userAgent, log, metrics } = parts
  const timing = { ...defaultRestTiming, ...parts.timing }
  const sleeper = createStoppableSleep(clock)
  const withToken = createGlobalLimit(timing.global, { clock, sleeper })
  const withoutToken = createGlobalLimit(timing.global, { clock, sleeper })
  const invalid = createInvalidRequests(timing.invalid, clock)
  const queues = createRequestQueues({
    clock,
    sleep: sleeper.sleep,
    pauseMs: invalid.pauseMs,
  })

  const stop = () => {
    sleeper.stop()
    queues.rejectAll()
  }

  const send = async (request: Prepared): Promise<Answer | 'timeout' | 'network'> => {
    const controller = new AbortController()
    const { signal } = controller
    const timer = clock.setTimeout(() => controller.abort(), request.timeoutMs)
    try {
      const response = await fetch(request.url, { ...request.init, signal, redirect: 'manual' })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return { response, body: isJson && text !== '' ? JSON.parse(text) : undefined }
    } catch {
      return signal.aborted ? 'timeout' : 'network'
    } finally {
      timer.stop()
    }
  }

  const limitOf = (hasToken: boolean) => (hasToken ? withToken : withoutToken)

  /** Returns the outcome of a 429, and lets all queues wait if Discord says so. */
  const obeyRateLimit = ({ response, body }: Answer, bucket: string | null): Outcome => {
    const { retry_after, global } = isRecord(body) ? body : {}
    // The body is exact; the header is rounded up, and all that proxies in front of Discord send.
    const seconds = Number(retry_after ?? response.headers.get('retry-after')) || 1
    const waitMs = seconds * 1000 + timing.marginMs
    const isGlobal = response.headers.has('x-ratelimit-global') || global === true
    if (isGlobal) for (const limit of [withToken, withoutToken]) limit.pause(waitMs)
    metrics?.countRateLimited(
      isGlobal ? 'global' : (response.headers.get('x-ratelimit-scope') ?? 'user'),
    )
    return { bucket, waitMs, isRepeated: true }
  }

  const refuseToken = () => {
    if (sleeper.isStopped) return
    stop()
    parts.onUnauthorized?.()
  }

  const request = <Result>(method: Method, template: string, options: RequestOptions = {}) => {
    const route: Route = { template, params: options.params ?? {} }
    const name = `${method} ${redactPath(route)}`
    const hasToken = options.auth ?? true
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    if (sleeper.isStopped) {
      reject(new NotSentError(name))
      return promise
    }
    const { body, headers } = encodeBody(options.body, options.files)
    const prepared: Prepared = {
      url: `${api}/v10${fillPath(route)}${formatQuery(options.query)}`,
      timeoutMs: options.timeoutMs ?? timing.timeoutMs,
      init: {
        method,
        ...(options.hasOwnConnection && { keepalive: false }),
        ...(body !== undefined && { body }),
        headers: {
          'user-agent': userAgent(),
          ...headers,
          ...(hasToken && { authorization: `Bot ${token}` }),
          ...(options.reason && { 'x-audit-log-reason': encodeURIComponent(options.reason) }),
        },
      },
    }
    const retries = method === 'POST' ? 0 : (options.retries ?? timing.retries)
    let failures = 0
    /** Decides about a request that had no response, or 5xx. Discord may have executed it. */
    const repeatOrReject = (bucket: string | null, error: Error): Outcome => {
      const isRepeated = failures < retries && !sleeper.isStopped
      if (!isRepeated) reject(error)
      failures++
      return { bucket, waitMs: isRepeated ? backoffMs(timing.backoff, failures) : 0, isRepeated }
    }

    const run = async (): Promise<Outcome> => {
      await limitOf(hasToken).acquire()
      if (sleeper.isStopped || options.maySend?.() === false) {
        reject(new NotSentError(name))
        return FINISHED
      }
      const answer = await send(prepared)
      if (typeof answer === 'string') {
        log.debug('Discord request failed', { request: name, reason: answer })
        metrics?.countRequest(`${method} ${template}`, 'failed')
        return repeatOrReject(null, new NoResponseError(answer, name))
      }
      const { status, headers: received } = answer.response
      log.debug('Discord request sent', { request: name, status })
      metrics?.countRequest(`${method} ${template}`, status)
      if (status === 401 || status === 403 || status === 429) invalid.count()
      const bucket = received.get('x-ratelimit-bucket')
      if (status === 429 && !sleeper.isStopped) return obeyRateLimit(answer, bucket)
      const error = answer.response.ok ? null : toDiscordError(status, answer.body, name)
      if (error && status >= 500) return repeatOrReject(bucket, error)
      if (status === 401 && hasToken) refuseToken()
      if (error) reject(error)
      else resolve(answer.body as Result)
      const isUsedUp = received.get('x-ratelimit-remaining') === '0'
      const resetMs = Number(received.get('x-ratelimit-reset-after')) * 1000 + timing.marginMs
      return { bucket, waitMs: isUsedUp ? resetMs : 0, isRepeated: false }
    }
    queues.add({
      method,
      route,
      isProxying: options.isProxying ?? false,
      run,
      reject: () => reject(new NotSentError(name)),
    })
    return promise
  }

  return {
    request,
    stop,
    get waiting() {
      return queues.waiting
    },
  }
}

function formatQuery(query: RequestOptions['query'] = {}): string {
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const FINISHED: Outcome = { bucket: null, waitMs: 0, isRepeated: false }

interface Prepared {
  readonly url: string
  readonly init: RequestInit
  readonly timeoutMs: number
}

interface Answer {
  readonly response: Response
  readonly body: unknown
}
