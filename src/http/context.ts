import type { WaitingClient } from '../service/longReads'
import { type Authenticate, anonymous, type Caller } from './authenticate'
import { type Client, findClient } from './clientAddress'

/** What the server knows of a request when its route is asked. */
export interface RequestContext {
  readonly caller: Caller
  /** Finds out anew who asks, for an answer that lasts. */
  readonly authenticate: Authenticate
  readonly requestId: string
  /** The address at the other end of the connection. */
  readonly peer: () => string
  /** What answers in JSON begin with. One set of headers that is copied whole is almost free. */
  readonly headers: Headers
  /** Whether it is a read whose answer a client may keep. */
  readonly isCacheable: boolean
  readonly trustedProxies: number
  /** Whether the answer comes after the moment in which it was asked. */
  isAsync?: boolean
  /** What the route answered, if that is yet to be compressed. */
  pendingCompression?: PendingCompression
}

export type Encoding = 'zstd' | 'gzip'

/** An answer that is yet to be compressed. */
export interface PendingCompression {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly encoding: Encoding
}

export interface RequestWithContext extends Request {
  context?: RequestContext
}

/** Written on each request; a map beside it would cost more than it tells. */
export function setContext(request: RequestWithContext, context: RequestContext): void {
  request.context = context
}

export function callerOf({ context }: RequestWithContext): Caller {
  return context?.caller ?? anonymous
}

/** Where a request came from. */
export function clientOf({ context, headers }: RequestWithContext, trustedProxies: number): Client {
  return findClient(context?.peer ?? (() => ''), headers, trustedProxies)
}

/** Client of a request, as a long read counts it: not by its address where no limit is counted. */
export function waitingClientOf(request: RequestWithContext): WaitingClient {
  const { address, isLocal } = clientOf(request, request.context?.trustedProxies ?? 0)
  const isLimited = callerOf(request).kind !== 'bot' && !isLocal
  return { signal: request.signal, address: isLimited ? address : null }
}

export function requestIdOf({ context }: RequestWithContext): string | undefined {
  return context?.requestId
}
