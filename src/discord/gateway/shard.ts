import type { Log } from '../../runtime/log'
import { backoffMs, type StoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { isTokenRefused, NotSentError } from '../rest/errors'
import { endsSession, type FatalClose, findFatalClose, TOKEN_REFUSED } from './closeCodes'
import {
  type Connection,
  type ConnectionEnd,
  type Dispatch,
  openConnection,
  type Payload,
} from './connection'
import type { GatewayEvent } from './events'
import { createHandledSequence } from './handledSequence'
import type { IdentifyLimiter } from './identifyLimiter'
import { createSessionSaver, type SessionStore } from './sessionStore'
import type { GatewayTiming } from './timing'

export interface ShardId {
  readonly id: number
  readonly count: number
}

export type ShardState = 'connecting' | 'online' | 'waiting' | 'stopped'

/** Answer of `GET /gateway/bot`. */
export interface GatewayInfo {
  readonly url: string
  readonly shards: number
  readonly session_start_limit: {
    readonly remaining: number
    readonly reset_after: number
    readonly max_concurrency: number
  }
}

export interface ShardMetrics {
  countSession(kind: 'identify' | 'resume'): void
  countEvent(type: string): void
  countFailedEvent(type: string): void
}

export interface ShardParts {
  readonly clock: Clock
  readonly shard: ShardId
  readonly token: string
  readonly intents: number
  /** Presence that IDENTIFY sets. */
  readonly presence?: object | undefined
  readonly userAgent: string
  readonly sessions: SessionStore
  readonly identifyLimiter: IdentifyLimiter
  readonly sleeper: StoppableSleep
  readonly timing: GatewayTiming
  readonly log: Log
  readonly metrics?: ShardMetrics | undefined
  loadGatewayInfo(): Promise<GatewayInfo>
  applicationId(): string | null
  onStateChange?(): void
  /**
   * Handles an event. The event counts as handled when the promise settles. The ID is the same
   * whenever Discord repeats the event.
   */
  onEvent(event: GatewayEvent, shard: ShardId, id: string): void | Promise<void>
  onFatal(close: FatalClose): void
}

export interface Shard {
  readonly id: number
  readonly state: ShardState
  /** Time between the last heartbeat and its acknowledgement; null if there was none yet. */
  readonly latencyMs: number | null
  send(payload: Payload): boolean
  /** Closes so that the session can be resumed, waits for event handlers, and stores the session. */
  stop(): Promise<void>
}

/** Connects one shard and keeps it connected: resumes where possible, otherwise starts a new session. */
export function startShard(parts: ShardParts): Shard {
  const { clock, shard, timing, sleeper, log, sessions, metrics } = parts
  const sequence = createHandledSequence()
  const handling = new Set<Promise<void>>()
  let session: { readonly sessionId: string; readonly resumeUrl: string } | null = null
  let connection: Connection | null = null
  let state: ShardState = 'connecting'
  const setState = (next: ShardState) => {
    if (state === next) return
    state = next
    parts.onStateChange?.()
  }
  let latencyMs: number | null = null
  /** Attempts since the shard was online. */
  let failures = 0

  const saver = createSessionSaver(
    clock,
    timing.saveMs,
    async () => {
      if (session)
        await sessions.save(shard.id, shard.count, { ...session, sequence: sequence.handled })
    },
    (cause) => log.warn('Discord session not saved', { shard: shard.id, error: String(cause) }),
  )

  const forgetSession = async () => {
    session = null
    sequence.reset(null)
    await sessions
      .delete(shard.id)
      .catch((cause) =>
        log.warn('Discord session not deleted', { shard: shard.id, error: String(cause) }),
      )
  }

  const handle = async (event: GatewayEvent, id: string, finish: () => void) => {
    metrics?.countEvent(event.type)
    try {
      await parts.onEvent(event, shard, id)
    } catch (cause) {
      metrics?.countFailedEvent(event.type)
      log.error('Discord event failed', {
        event: event.type,
        ...idsOf(event),
        error: String(cause),
      })
    }
    finish()
    saver.schedule()
    // A process that is killed in its first second would otherwise leave no session to resume.
    if (event.type === 'READY') void saver.flush()
  }

  const goOnline = (kind: 'identify' | 'resume') => {
    failures = 0
    setState('online')
    metrics?.countSession(kind)
    log.info(kind === 'resume' ? 'Discord session resumed' : 'Discord session started', {
      shard: shard.id,
    })
  }

  const receive = ({ t, s, d }: Dispatch) => {
    const event = { type: t, data: d } as GatewayEvent
    const finish = sequence.begin(s)
    if (event.type === 'READY') {
      session = { sessionId: event.data.session_id, resumeUrl: event.data.resume_gateway_url }
      goOnline('identify')
    } else if (event.type === 'RESUMED') goOnline('resume')
    const handled = handle(event, `${session?.sessionId} ${s}`, finish)
    handling.add(handled)
    void handled.then(() => handling.delete(handled))
  }

  const authenticate = async (): Promise<Payload | null> => {
    if (session) {
      const { sessionId: session_id } = session
      return { op: RESUME, d: { token: parts.token, session_id, seq: sequence.received } }
    }
    await parts.identifyLimiter.acquire(shard.id)
    if (sleeper.isStopped) return null
    return {
      op: IDENTIFY,
      d: {
        token: parts.token,
        intents: parts.intents,
        shard: [shard.id, shard.count],
        properties: { os: process.platform, browser: 'multitude', device: 'multitude' },
        ...(parts.presence && { presence: parts.presence }),
      },
    }
  }

  /** Returns the address of the gateway, when Discord allows enough new sessions on this day. */
  const waitForSessionStart = async (): Promise<string> => {
    for (;;) {
      const { url, session_start_limit: limit } = await parts.loadGatewayInfo()
      if (limit.remaining >= timing.minSessionStarts || sleeper.isStopped) return url
      log.warn('Discord session start postponed', {
        shard: shard.id,
        remaining: limit.remaining,
        seconds: Math.ceil(limit.reset_after / 1000),
      })
      setState('waiting')
      await sleeper.sleep(limit.reset_after)
    }
  }

  /** Address to connect to; the resume address is given up after some failures, the session is not. */
  const findAddress = async (): Promise<string> => {
    if (!session) return waitForSessionStart()
    return isResumeAddressBroken() ? (await parts.loadGatewayInfo()).url : session.resumeUrl
  }
  const isResumeAddressBroken = () => failures >= timing.maxFailures

  const connect = async (): Promise<Attempt> => {
    const url = await findAddress()
    if (sleeper.isStopped) return { end: CLOSED, isUnanswered: false }
    let isUnanswered = false
    setState('connecting')
    connection = openConnection({
      clock,
      url,
      userAgent: parts.userAgent,
      timing,
      async authenticate() {
        const payload = await authenticate()
        isUnanswered = true
        return payload
      },
      sequence: () => sequence.received,
      onDispatch(dispatch) {
        isUnanswered = false
        receive(dispatch)
      },
      onLatency(ms) {
        latencyMs = ms
      },
    })
    const end = await connection.ended
    connection = null
    return { end, isUnanswered }
  }

  /** Returns the pause before the next attempt, or null after a fatal close. */
  const conclude = async (
    { end, isUnanswered }: Attempt,
    wasBroken: boolean,
  ): Promise<number | null> => {
    const code = end.kind === 'closed' ? end.code : null
    const fatal = code === null ? null : findFatalClose(code, parts.applicationId())
    if (fatal) {
      parts.onFatal(fatal)
      return null
    }
    const isRefused = end.kind === 'invalid session' && !end.isResumable
    const wasIdentifying = session === null
    const isLastResume = wasBroken && isUnanswered
    setState('waiting')
    failures++
    log.info('Discord connection ended', {
      shard: shard.id,
      reason: end.kind === 'reconnect' ? end.reason : end.kind,
      code: code ?? undefined,
      attempt: failures,
    })
    if (isRefused || isLastResume || (code !== null && endsSession(code))) await forgetSession()
    if (!isRefused || !wasIdentifying) return backoffMs(timing.backoff, failures)
    const { minMs, maxMs } = timing.invalidSession
    return minMs + Math.random() * (maxMs - minMs)
  }

  const loadSession = async () => {
    try {
      const stored = await sessions.load(shard.id, shard.count)
      session = stored
      sequence.reset(stored?.sequence ?? null)
    } catch (cause) {
      log.warn('Discord session not loaded', { shard: shard.id, error: String(cause) })
    }
  }

  const run = async () => {
    await loadSession()
    while (!sleeper.isStopped) {
      const wasBroken = isResumeAddressBroken()
      const attempt = await connect().catch((cause): Attempt => {
        if (cause instanceof NotSentError || isTokenRefused(cause))
          return { end: REFUSED, isUnanswered: false }
        log.warn('Discord gateway not found', { shard: shard.id, error: String(cause) })
        return { end: CLOSED, isUnanswered: false }
      })
      if (sleeper.isStopped) break
      const pauseMs = await conclude(attempt, wasBroken)
      if (pauseMs === null) break
      await sleeper.sleep(pauseMs)
    }
    setState('stopped')
  }
  const running = run()

  return {
    id: shard.id,
    get state() {
      return state
    },
    get latencyMs() {
      return latencyMs
    },
    send: (payload) => connection?.send(payload) ?? false,
    async stop() {
      sleeper.stop()
      await connection?.close()
      // A request for the address of the gateway may still be under way.
      await withTimeout(running, timing.closeMs, () => null, clock)
      await withTimeout(Promise.all(handling), timing.drainMs, () => null, clock)
      await saver.flush()
    },
  }
}

const IDENTIFY = 2
const RESUME = 6
const REFUSED: ConnectionEnd = { kind: 'closed', code: TOKEN_REFUSED }
/** Code of a connection that ended without a close frame, or was not opened. */
const CLOSED: ConnectionEnd = { kind: 'closed', code: 1006 }

interface Attempt {
  readonly end: ConnectionEnd
  /** True if RESUME or IDENTIFY was sent, and no event followed. */
  readonly isUnanswered: boolean
}

/** IDs of an event for the log, which never contains content. */
function idsOf({ data }: GatewayEvent): Record<string, string> {
  const names = ['id', 'guild_id', 'channel_id', 'message_id']
  const fields = Object.entries(data ?? {}).filter(([name]) => names.includes(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
}
