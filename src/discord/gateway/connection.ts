import type { Clock, Timer } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { RESUMABLE_CLOSE } from './closeCodes'
import type { GatewayTiming } from './timing'

export type ConnectionEnd =
  | { readonly kind: 'closed'; readonly code: number }
  /** Discord asked for a new connection (op 7), or did not acknowledge a heartbeat. */
  | { readonly kind: 'reconnect'; readonly reason: 'requested' | 'no heartbeat' | 'bad payload' }
  /** Discord refused RESUME or IDENTIFY (op 9). */
  | { readonly kind: 'invalid session'; readonly isResumable: boolean }

export interface Connection {
  readonly ended: Promise<ConnectionEnd>
  /** Sends a payload; returns false if it is over a limit of Discord's, or the connection is not open. */
  send(payload: Payload): boolean
  /** Closes so that the session can be resumed, and waits for the end. */
  close(): Promise<void>
}

export interface Payload {
  readonly op: number
  readonly d: unknown
}

export interface Dispatch {
  readonly t: string
  readonly s: number
  readonly d: unknown
}

export interface ConnectionParts {
  readonly clock: Clock
  readonly url: string
  readonly userAgent: string
  readonly timing: GatewayTiming
  /** Returns RESUME or IDENTIFY, which is sent after HELLO; null if the connection is not needed any more. */
  authenticate(): Promise<Payload | null>
  /** Sequence of the latest event, for heartbeats. */
  sequence(): number | null
  onDispatch(dispatch: Dispatch): void
  onLatency(ms: number): void
}

const Opcode = {
  Dispatch: 0,
  Heartbeat: 1,
  Reconnect: 7,
  InvalidSession: 9,
  Hello: 10,
  HeartbeatAck: 11,
} as const

/** Limits of Discord on what a client sends. */
const MAX_PAYLOAD_BYTES = 4096
const MAX_PAYLOADS = 120
const PAYLOAD_WINDOW_MS = 60_000
/** Payloads of a window that only heartbeats may use. */
const RESERVED_PAYLOADS = 10

/** Opens one WebSocket to the gateway and keeps it alive until it ends. */
export function openConnection(parts: ConnectionParts): Connection {
  const { clock, timing } = parts
  const { promise: ended, resolve } = Promise.withResolvers<ConnectionEnd>()
  const socket = new WebSocket(`${parts.url.replace(/\/$/, '')}/?v=10&encoding=json`, {
    headers: { 'user-agent': parts.userAgent },
    perMessageDeflate: false,
  })
  const sentAt: number[] = []
  let isEnded = false
  let heartbeat: Timer | undefined
  let heartbeatSentAt = 0
  let isAcknowledged = true

  /** Ends at once: a dead peer would delay the event `close` for minutes. */
  const end = (reason: ConnectionEnd) => {
    if (isEnded) return
    isEnded = true
    helloTimer.stop()
    heartbeat?.stop()
    resolve(reason)
    if (socket.readyState === WebSocket.CLOSED) return
    socket.close(RESUMABLE_CLOSE)
    clock.setTimeout(() => socket.terminate(), timing.closeMs).unref()
  }
  const helloTimer = clock.setTimeout(() => end({ kind: 'closed', code: 1006 }), timing.helloMs)

  const send = (payload: Payload, reserved = RESERVED_PAYLOADS): boolean => {
    const text = JSON.stringify(payload)
    const now = clock.monotonic()
    while (sentAt[0] !== undefined && sentAt[0] <= now - PAYLOAD_WINDOW_MS) sentAt.shift()
    const isOverLimit =
      Buffer.byteLength(text) > MAX_PAYLOAD_BYTES || sentAt.length >= MAX_PAYLOADS - reserved
    if (isOverLimit || isEnded || socket.readyState !== WebSocket.OPEN) return false
    sentAt.push(now)
    socket.send(text)
    return true
  }

  const beat = () => {
    heartbeatSentAt = clock.monotonic()
    send({ op: Opcode.Heartbeat, d: parts.sequence() }, 0)
  }
  const beatEvery = (intervalMs: number, firstMs: number) => {
    heartbeat = clock.setTimeout(() => {
      if (!isAcknowledged) return end({ kind: 'reconnect', reason: 'no heartbeat' })
      isAcknowledged = false
      beat()
      beatEvery(intervalMs, intervalMs)
    }, firstMs)
  }

  const authenticate = async () => {
    const payload = await parts.authenticate()
    const isSent = payload !== null && send(payload)
    if (!isSent) end({ kind: 'closed', code: RESUMABLE_CLOSE })
  }

  const receive = ({ op, d, s, t }: Received) => {
    if (op === Opcode.Dispatch) parts.onDispatch({ t: t ?? '', s: s ?? 0, d })
    else if (op === Opcode.Hello) {
      helloTimer.stop()
      const { heartbeat_interval: intervalMs } = d as { heartbeat_interval: number }
      beatEvery(intervalMs, intervalMs * Math.random())
      void authenticate()
    } else if (op === Opcode.HeartbeatAck) {
      isAcknowledged = true
      parts.onLatency(clock.monotonic() - heartbeatSentAt)
    } else if (op === Opcode.Heartbeat) beat()
    else if (op === Opcode.Reconnect) end({ kind: 'reconnect', reason: 'requested' })
    else if (op === Opcode.InvalidSession) end({ kind: 'invalid session', isResumable: d === true })
  }

  socket.onmessage = ({ data }) => {
    if (isEnded) return
    const payload = parseReceived(data)
    if (payload) receive(payload)
    else end({ kind: 'reconnect', reason: 'bad payload' })
  }
  socket.onclose = ({ code }) => end({ kind: 'closed', code })

  return {
    ended,
    send,
    async close() {
      const closed = Promise.withResolvers<void>()
      socket.onclose = () => closed.resolve()
      const isClosed = socket.readyState === WebSocket.CLOSED
      end({ kind: 'closed', code: RESUMABLE_CLOSE })
      if (isClosed) return
      await withTimeout(closed.promise, timing.closeMs, () => {}, clock)
    },
  }
}

interface Received {
  readonly op: number
  readonly d: unknown
  readonly s: number | null
  readonly t: string | null
}

function parseReceived(data: unknown): Received | null {
  if (typeof data !== 'string') return null
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}
