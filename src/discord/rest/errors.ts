/** One problem of a request that Discord found invalid (code 50035). */
export interface FieldProblem {
  /** Field, for example `username` or `embeds.0.title`. */
  readonly path: string
  readonly code: string
  readonly message: string
}

export class DiscordError extends Error {
  override readonly name = 'DiscordError'
  constructor(
    readonly status: number,
    /** Discord's code, for example 10008 for an unknown message; 0 if it gave none. */
    readonly code: number,
    /** Discord's text. */
    readonly text: string,
    readonly problems: readonly FieldProblem[],
    /** Method and path without tokens. */
    readonly request: string,
  ) {
    super(`${request}: ${status} ${text} (${code})`)
  }
}

/** A request without a response: Discord may or may not have executed it. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  constructor(
    readonly reason: 'timeout' | 'network',
    readonly request: string,
  ) {
    // The cause is left out, because it contains the URL with its tokens.
    super(`${request}: ${reason === 'timeout' ? 'no response in time' : 'connection failed'}`)
  }
}

/** A request that was not sent, because the client was stopped or Discord refused the bot token. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError'
  constructor(readonly request: string) {
    super(`${request}: not sent, because the client is stopped`)
  }
}

/** Returns whether Discord may have executed a request that failed. */
export function isUncertain(error: unknown): boolean {
  return error instanceof NoResponseError || (error instanceof DiscordError && error.status >= 500)
}

export function isTokenRefused(error: unknown): boolean {
  return error instanceof DiscordError && error.status === 401
}

export function hasCode(error: unknown, ...codes: readonly number[]): error is DiscordError {
  return error instanceof DiscordError && codes.includes(error.code)
}

/** Builds the error of a response. Bodies that are not JSON come from proxies in front of Discord. */
export function toDiscordError(status: number, body: unknown, request: string): DiscordError {
  const { code, message, errors } = isRecord(body) ? body : {}
  return new DiscordError(
    status,
    typeof code === 'number' ? code : 0,
    typeof message === 'string' ? message : 'no description',
    listProblems(errors, ''),
    request,
  )
}

/** Flattens the tree of errors: each level is a field, and `_errors` lists its problems. */
function listProblems(node: unknown, path: string): FieldProblem[] {
  if (!isRecord(node)) return []
  return Object.entries(node).flatMap(([key, child]) => {
    if (key !== '_errors') return listProblems(child, path === '' ? key : `${path}.${key}`)
    const list: unknown[] = Array.isArray(child) ? child : []
    return list.filter(isRecord).map(({ code, message }) => ({
      path,
      code: String(code ?? ''),
      message: String(message ?? ''),
    }))
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
