import type { Backoff } from '../../runtime/timers/backoff'

export interface GatewayTiming {
  /** Time from opening a connection to HELLO. */
  readonly helloMs: number
  readonly backoff: Backoff
  /** Failed connections after which the resume address is given up. */
  readonly maxFailures: number
  /** Time between two IDENTIFYs of a bucket. */
  readonly identifyMs: number
  /** Sessions left of the day below which no new one is started. */
  readonly minSessionStarts: number
  /** Pause after Discord refused an IDENTIFY. */
  readonly invalidSession: { readonly minMs: number; readonly maxMs: number }
  readonly saveMs: number
  /** Time for the closing handshake. */
  readonly closeMs: number
  /** Time at shutdown for events that are being handled; Discord replays the others. */
  readonly drainMs: number
}

export const defaultGatewayTiming: GatewayTiming = {
  helloMs: 15_000,
  backoff: { firstMs: 250, maxMs: 30_000 },
  maxFailures: 5,
  // Longer than Discord's 5 seconds, because payloads do not travel equally fast.
  identifyMs: 5250,
  minSessionStarts: 50,
  invalidSession: { minMs: 1000, maxMs: 5000 },
  saveMs: 1000,
  closeMs: 1000,
  drainMs: 3000,
}
