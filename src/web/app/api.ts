import { signal } from '@preact/signals'

/** Asking the server, always relative to where the page lies. */

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** In milliseconds. */
    readonly retryAfter: number,
    /** What is wrong with the body, by key. */
    readonly problems: Readonly<Record<string, readonly { message: string }[]>> = {},
  ) {
    super(message)
  }
}

interface RequestOptions {
  method?: string
  body?: unknown
  /** Sent as it is. */
  file?: Blob
  token?: string
  /** As anybody: whoever is logged in here is not told to the server. */
  isAnonymous?: boolean
  lastEventId?: string
  signal?: AbortSignal
}

export async function request<T>(path: string, options: RequestOptions = {}): Promise<T | null> {
  const response = await fetchOk(path, options)
  return response.status === 204 ? null : ((await response.json()) as T)
}

/** Throws `Refused` for what the server refuses, and a TypeError where it does not answer. */
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
  const told = (await response.json().catch(() => ({}))) as Partial<Record<string, unknown>>
  throw new ApiError(
    response.status,
    typeof told.message === 'string' ? told.message : String(response.status),
    Number(told.retry_after ?? 0),
    Object(told.errors ?? {}),
  )
}

/** The session is over: whoever asked as us is asked to come in again. */
export const isSessionOver = signal(false)

/** The server has asked us to wait for longer than anyone would overlook. */
export const isThrottled = signal(false)

const OVERLOOKED_MS = 3000

/** Asks as the system that is logged in. Where there is too much, it waits and goes on by itself. */
export function requestOwn<T>(path: string, options: RequestOptions = {}): Promise<T | null> {
  return requestWithRetry(() => request<T>(path, options))
}

/** The same for an answer that is not JSON, or large. */
export function fetchOwn(path: string): Promise<Response> {
  return requestWithRetry(() => fetchOk(path, {}))
}

async function requestWithRetry<T>(options: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await options()
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      if (cause.status === 401) isSessionOver.value = true
      if (cause.status !== 429) throw cause
      await throttle(cause.retryAfter || 1000)
    }
}

async function throttle(pause: number): Promise<void> {
  const telling = setTimeout(() => {
    isThrottled.value = true
  }, OVERLOOKED_MS)
  await new Promise((resolve) => setTimeout(resolve, pause))
  clearTimeout(telling)
  isThrottled.value = false
}

/** A refusal in the server's words, without the status that some of them begin with. */
export function errorMessage(cause: unknown, away: string): string {
  if (!(cause instanceof ApiError)) return away
  return cause.message.replace(/^\d{3}: /, '').replace(/^Bad Request \((.*)\)$/s, '$1')
}
