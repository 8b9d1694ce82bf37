import type { Authenticate, Caller } from './authenticate'
import type { ArrivalLimits } from './bodyArrival'

/** Context of a request, available to its route. */
export interface RequestContext {
  readonly caller: Caller
  /** Authenticates again, for responses that stay open. */
  readonly authenticate: Authenticate
  readonly requestId: string
  /** Logs a failure after the response has begun. */
  readonly reportFailure: (cause: unknown) => void
  /** Address of the other end of the connection. */
  readonly peer: () => string
  /**
   * Returns the headers of a JSON response. They are shared, so the response must be created, and
   * with it its copy, before anything else runs.
   */
  readonly headers: (etag?: string) => Headers
  /** Marks a response as created with these headers, so that none is added to it; returns it. */
  readonly complete: (response: Response) => Response
  readonly isReading: boolean
  /** True if this is a read whose response a client may cache. */
  readonly isCacheable: boolean
  /** True if the client sent HEAD, which routes receive as GET. */
  readonly isHead: boolean
  readonly trustedProxies: number
  /** Yields the chunks of the body, while the request is not in flight. */
  readonly receive: (
    chunks: AsyncGenerator<Uint8Array>,
    limits: ArrivalLimits,
  ) => AsyncGenerator<Uint8Array>
  /** Receives a body that the runtime collects, in the same way. */
  readonly receiveWhole: (whole: Promise<Uint8Array>, limits: ArrivalLimits) => Promise<Uint8Array>
}

/** Request with its context, stored on the request because a WeakMap lookup would cost more. */
export interface RequestWithContext extends Request {
  context?: RequestContext
}
