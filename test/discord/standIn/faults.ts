import type { Clock } from './clock'

/** Fault of REST requests, injected through the control interface. */
export interface RestFault {
  /** Method and path as in Discord's OpenAPI document, for example `POST /channels/{channel_id}/messages`. */
  route: string
  /** `status` answers with `status`; `timeout` never answers; `reset` destroys the connection. */
  kind: 'status' | 'timeout' | 'reset' | 'delay' | 'rateLimit'
  /** Before the request takes effect, or after it. */
  when?: 'before' | 'after'
  status?: number
  /** JSON error code for `status`. */
  code?: number
  delayMs?: number
  /** Waits until held requests are released, or the faults are cleared. */
  isHeld?: boolean
  retryAfterMs?: number
  scope?: 'user' | 'shared' | 'global'
  /** Number of requests that are affected; unlimited if 0. */
  times?: number
}

/** Fault of gateway connections. */
export interface GatewayFaults {
  /** Heartbeats are not acknowledged (zombie connection). */
  withholdsAcks: boolean
  /** The upgrade is answered with this status. */
  upgradeStatus: number | null
  /** IDENTIFY is answered with op 9. */
  refusesIdentify: boolean
}

export class Faults {
  private rest: (RestFault & { left: number })[] = []
  readonly gateway: GatewayFaults = {
    withholdsAcks: false,
    upgradeStatus: null,
    refusesIdentify: false,
  }
  /** Attachment addresses answer 404. */
  isCdnBroken = false
  private released = Promise.withResolvers<void>()

  constructor(private readonly clock: Clock) {}

  add(fault: RestFault): void {
    this.rest.push({
      ...fault,
      left: fault.times === 0 ? Number.POSITIVE_INFINITY : (fault.times ?? 1),
    })
  }

  /** Removes and returns the next fault of a route. */
  take(route: string, when: 'before' | 'after'): RestFault | null {
    const fault = this.rest.find(
      (other) => other.left > 0 && other.route === route && (other.when ?? 'before') === when,
    )
    if (fault) fault.left--
    return fault ?? null
  }

  /** Waits for the time of a fault, or until the requests are released. */
  async delay({ delayMs, isHeld }: RestFault): Promise<void> {
    const over = Promise.withResolvers<void>()
    if (!isHeld) this.clock.setTimeout(over.resolve, delayMs ?? 0)
    await Promise.race([over.promise, this.released.promise])
  }

  /** Lets the requests that wait go on. */
  release(): void {
    this.released.resolve()
    this.released = Promise.withResolvers()
  }

  clear(): void {
    this.rest = []
    this.release()
    Object.assign(this.gateway, {
      withholdsAcks: false,
      upgradeStatus: null,
      refusesIdentify: false,
    })
    this.isCdnBroken = false
  }
}
