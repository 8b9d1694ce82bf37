import type { WaitingClient } from '../service/longReads'
import { type Authenticate, anonymous, type Caller } from './authenticate'
import { type Client, findClient } from './ratelimit'

/** Context of a request, available to its route. */
export interface RequestContext {
  readonly caller: Caller
  /** Authenticates again, for responses that stay open. */
  readonly authenticate: Authenticate
  readonly requestId: string
  /** Address of the other end of the connection. */
  readonly peer: () => string
  /** Base headers of JSON responses. Copying a complete set is almost free. */
  readonly headers: Headers
  /** Whether this is a read whose response a client may cache. */
  readonly isCacheable: boolean
  /** Whether the client sent HEAD, which routes receive as GET. */
  readonly isHead: boolean
  readonly trustedProxies: number
}

/** Request with its context, stored on the request because a WeakMap lookup would cost more. */
export interface RequestWithContext extends Request {
  context?: RequestContext
}

export function callerOf({ context }: RequestWithContext): Caller {
  return context?.caller ?? anonymous
}

export function clientOf({ context, headers }: RequestWithContext, trustedProxies: number): Client {
  return findClient(context?.peer ?? (() => ''), headers, trustedProxies)
}

/** Client of a request for the queue of long reads; has no address if no limit applies to it. */
export function waitingClientOf(request: RequestWithContext): WaitingClient {
  const { address, isLocal } = clientOf(request, request.context?.trustedProxies ?? 0)
  const isLimited = callerOf(request).kind !== 'bot' && !isLocal
  return { signal: request.signal, address: isLimited ? address : null }
}

export function requestIdOf({ context }: RequestWithContext): string | undefined {
  return context?.requestId
}
