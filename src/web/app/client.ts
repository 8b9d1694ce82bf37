/** Asking the server, always relative to where the page lies. */

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfter: number,
  ) {
    super(message)
  }
}

interface Asking {
  method?: string
  body?: unknown
  token?: string
  signal?: AbortSignal
}

export async function ask<T>(path: string, asking: Asking = {}): Promise<T | null> {
  const response = await open(path, asking)
  return response.status === 204 ? null : ((await response.json()) as T)
}

/** Throws `Refused` for what the server refuses, and a TypeError where it does not answer. */
export async function open(
  path: string,
  { method = 'GET', body, token, signal }: Asking,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    ...(token !== undefined && { headers: { authorization: token } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const told = (await response.json().catch(() => ({}))) as Partial<Record<string, unknown>>
  throw new Refused(
    response.status,
    typeof told.message === 'string' ? told.message : String(response.status),
    Number(told.retry_after ?? 0),
  )
}
