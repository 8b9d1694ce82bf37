import { signal } from '@preact/signals'

/** Asking the server, always relative to where the page lies. */

export class Refused extends Error {
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

interface Asking {
  method?: string
  body?: unknown
  /** Sent as it is. */
  file?: Blob
  token?: string
  /** As anybody: whoever is logged in here is not told to the server. */
  isStranger?: boolean
  lastEventId?: string
  signal?: AbortSignal
}

export async function ask<T>(path: string, asking: Asking = {}): Promise<T | null> {
  const response = await open(path, asking)
  return response.status === 204 ? null : ((await response.json()) as T)
}

/** Throws `Refused` for what the server refuses, and a TypeError where it does not answer. */
export async function open(
  path: string,
  { method = 'GET', body, file, token, isStranger, lastEventId, signal }: Asking,
): Promise<Response> {
  const headers = {
    ...(token !== undefined && { authorization: token }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  const response = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(isStranger && { credentials: 'omit' }),
    ...(file && { body: file }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const told = (await response.json().catch(() => ({}))) as Partial<Record<string, unknown>>
  throw new Refused(
    response.status,
    typeof told.message === 'string' ? told.message : String(response.status),
    Number(told.retry_after ?? 0),
    Object(told.errors ?? {}),
  )
}

/** The session is over: whoever asked as us is asked to come in again. */
export const isSessionOver = signal(false)

/** The server has asked us to wait for longer than anyone would overlook. */
export const isHeldBack = signal(false)

const OVERLOOKED_MS = 3000

/** Asks as the system that is logged in. Where there is too much, it waits and goes on by itself. */
export function askOwn<T>(path: string, asking: Asking = {}): Promise<T | null> {
  return askPatiently(() => ask<T>(path, asking))
}

/** The same for an answer that is not JSON, or large. */
export function openOwn(path: string): Promise<Response> {
  return askPatiently(() => open(path, {}))
}

async function askPatiently<T>(asking: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await asking()
    } catch (cause) {
      if (!(cause instanceof Refused)) throw cause
      if (cause.status === 401) isSessionOver.value = true
      if (cause.status !== 429) throw cause
      await holdBack(cause.retryAfter || 1000)
    }
}

async function holdBack(pause: number): Promise<void> {
  const telling = setTimeout(() => {
    isHeldBack.value = true
  }, OVERLOOKED_MS)
  await new Promise((resolve) => setTimeout(resolve, pause))
  clearTimeout(telling)
  isHeldBack.value = false
}

/** A refusal in the server's words, without the status that some of them begin with. */
export function explainRefusal(cause: unknown, away: string): string {
  if (!(cause instanceof Refused)) return away
  return cause.message.replace(/^\d{3}: /, '').replace(/^Bad Request \((.*)\)$/s, '$1')
}
