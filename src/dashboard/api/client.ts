import { signal } from '@preact/signals'
import { type Coded, renderText } from '../../model/core/coded'
import { findText, language, problemStrings, strings } from '../texts/texts'
import type { Path } from './json'

/** Requests to the server, with URLs relative to the page. */

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** In milliseconds. */
    readonly retryAfter: number,
    /** Validation problems by key of the body. */
    readonly problems: Readonly<Record<string, readonly FieldProblem[]>> = {},
    /** Error code; 0 if the status is sufficient. */
    readonly code = 0,
  ) {
    super(message)
  }
}

/** Checks for a missing or ended session, or a wrong token or code. */
export function isUnauthorized(cause: unknown): boolean {
  return cause instanceof ApiError && cause.status === 401
}

/** Problem with one value. Those of the field tables have no message, those under `/v2` no code. */
interface FieldProblem extends Partial<Coded> {
  readonly message?: string
}

export interface RequestOptions {
  method?: string
  body?: unknown
  /** Sent as the raw body. */
  file?: Blob
  token?: string
  /** Omits the session cookie. */
  isAnonymous?: boolean
  lastEventId?: string
  signal?: AbortSignal
}

/** Sends a request once: a 429 is not awaited, and a 401 ends no session. */
export async function requestOnce<T>(
  path: Path<T>,
  options: RequestOptions = {},
): Promise<T | null> {
  const response = await fetchOk(path, options)
  return response.status === 204 ? null : ((await response.json()) as T)
}

/** Throws an `ApiError` for an error response, and a TypeError when the server does not answer. */
export async function fetchOk(
  path: string,
  { method = 'GET', body, file, token, isAnonymous, lastEventId, signal }: RequestOptions,
): Promise<Response> {
  const headers = {
    ...(token !== undefined && { authorization: token }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  const response = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(isAnonymous && { credentials: 'omit' }),
    ...(file && { body: file }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const error = (await response.json().catch(() => ({}))) as Partial<Record<string, unknown>>
  throw new ApiError(
    response.status,
    typeof error.message === 'string' ? error.message : String(response.status),
    Number(error.retry_after ?? 0),
    Object(error.errors ?? {}),
    Number(error.code ?? 0),
  )
}

/** Set when a request gets 401; the session then shows the login page. */
export const isSessionOver = signal(false)

/** Set while the server delays requests (429) for longer than `THROTTLE_NOTICE_MS`. */
export const isThrottled = signal(false)

const THROTTLE_NOTICE_MS = 3000

/** Number of changes of this page that the server has not answered yet. */
export const runningChanges = signal(0)

/** Sends a request as the logged-in system. Retries by itself after a 429. */
export async function request<T>(path: Path<T>, options: RequestOptions = {}): Promise<T | null> {
  const isChange = options.method !== undefined
  // Without `peek`, an effect that sends a change would run again after each one.
  if (isChange) runningChanges.value = runningChanges.peek() + 1
  try {
    return await requestWithRetry(() => requestOnce<T>(path, options))
  } finally {
    if (isChange) runningChanges.value--
  }
}

/** Like `request`, for a response that is large or not JSON. */
export function fetchResponse(path: string): Promise<Response> {
  return requestWithRetry(() => fetchOk(path, {}))
}

/** Number of sessions that ended since the page was loaded. */
export const endedSessions = signal(0)

/** Calls a function until it gets no 429. Ignores what it gets after the end of its session. */
export async function requestWithRetry<T>(send: () => Promise<T>): Promise<T> {
  const session = endedSessions.peek()
  const isOver = () => session !== endedSessions.peek()
  while (!isOver())
    try {
      const answer = await send()
      if (!isOver()) return answer
    } catch (cause) {
      if (isOver()) break
      if (!(cause instanceof ApiError)) throw cause
      if (cause.status === 401) isSessionOver.value = true
      if (cause.status !== 429) throw cause
      await throttle(cause.retryAfter || 1000)
    }
  throw new ApiError(401, '', 0)
}

async function throttle(delay: number): Promise<void> {
  const timer = setTimeout(() => {
    isThrottled.value = true
  }, THROTTLE_NOTICE_MS)
  await new Promise((resolve) => setTimeout(resolve, delay))
  clearTimeout(timer)
  isThrottled.value = false
}

/**
 * Describes an error in the language of the page, by its code or else its status. An error without a
 * code may have a reason, which the server writes in English.
 */
export function errorMessage(cause: unknown): string {
  if (!(cause instanceof ApiError)) return strings.unreachable
  const byCode = findText(strings.errors, String(cause.code))
  const [reason] = /[A-Z][^():]*\.(?=\)?$)/.exec(cause.message) ?? []
  if (byCode === undefined && reason !== undefined && language.value === 'en') return reason
  return byCode ?? findText(strings.errors, String(cause.status)) ?? cause.message
}

/** Describes a problem of a field in the language of the page, or else in English. */
export function problemMessage({ code = '', values = {}, message = code }: FieldProblem): string {
  return renderText(problemStrings, { code, values }) ?? message
}
