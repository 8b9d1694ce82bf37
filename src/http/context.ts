import type { WaitingClient } from '../service/longReads'
import { anonymous, type Caller, type FindCaller } from './caller'
import { type Client, findClient } from './client'

/** What the server knows of a request when its route is asked. */
export interface RequestContext {
  readonly caller: Caller
  /** Finds out anew who asks, for an answer that lasts. */
  readonly findCaller: FindCaller
  readonly requestId: string
  /** The address at the other end of the connection. */
  readonly peer: () => string
  /** What answers in JSON begin with. One set of headers that is copied whole is almost free. */
  readonly headers: Headers
  /** Whether it is a read whose answer a client may keep. */
  readonly isKept: boolean
  readonly trustedProxies: number
  /** Whether the answer comes after the moment in which it was asked. */
  isLate?: boolean
  /** What the route answered, if that is yet to be compressed. */
  large?: Large
}

export type Encoding = 'zstd' | 'gzip'

/** An answer that is yet to be compressed. */
export interface Large {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly encoding: Encoding
}

export interface KnownRequest extends Request {
  context?: RequestContext
}

/** Written on each request; a map beside it would cost more than it tells. */
export function giveContext(request: KnownRequest, context: RequestContext): void {
  request.context = context
}

export function callerOf({ context }: KnownRequest): Caller {
  return context?.caller ?? anonymous
}

/** Where a request came from. */
export function clientOf({ context, headers }: KnownRequest, trustedProxies: number): Client {
  return findClient(context?.peer ?? (() => ''), headers, trustedProxies)
}

/** Client of a request, as a long read counts it: not by its address where no limit is counted. */
export function waitingClientOf(request: KnownRequest): WaitingClient {
  const { address, isLocal } = clientOf(request, request.context?.trustedProxies ?? 0)
  const isLimited = callerOf(request).kind !== 'bot' && !isLocal
  return { signal: request.signal, address: isLimited ? address : null }
}

export function requestIdOf({ context }: KnownRequest): string | undefined {
  return context?.requestId
}
