import type { Server, ServerWebSocket } from 'bun'
import type { Context } from './context'
import { isObject } from './errors'
import { opcodes } from './gatewayOpcodes'
import type { RecordedConnection } from './record'
import type { GatewaySocket, Session } from './sessions'

/** Close codes of "Opcodes and Status Codes, Gateway Close Event Codes". */
const Close = {
  unknownOpcode: [4001, 'Unknown opcode.'],
  decodeError: [4002, 'Error while decoding payload.'],
  notAuthenticated: [4003, 'Not authenticated.'],
  authenticationFailed: [4004, 'Authentication failed.'],
  alreadyAuthenticated: [4005, 'Already authenticated.'],
  invalidSeq: [4007, 'Invalid seq.'],
  rateLimited: [4008, 'Rate limited.'],
  sessionTimedOut: [4009, 'Session timed out.'],
  invalidShard: [4010, 'Invalid shard.'],
  invalidVersion: [4012, 'Invalid API version.'],
  invalidIntents: [4013, 'Invalid intent(s).'],
  disallowedIntents: [4014, 'Disallowed intent(s).'],
} as const

export type CloseReason = keyof typeof Close

/** Limits of "Gateway, Sending Events" and "Rate Limiting". */
const MAX_PAYLOAD_BYTES = 4096
const MAX_PAYLOADS = 120
const PAYLOAD_WINDOW_MS = 60_000

interface ConnectionData {
  entry: RecordedConnection
}

type Socket = ServerWebSocket<ConnectionData>

export interface Connection extends GatewaySocket {
  socket: Socket
  entry: RecordedConnection
  session: Session | null
  /** Times of the payloads in the last minute. */
  sent: number[]
  heartbeat: { stop(): void } | null
  /** Notes a heartbeat of the client. */
  beat(): void
}

export interface Gateway {
  url: string
  connections(): Connection[]
  stop(): Promise<void>
}

/** Listens for gateway connections; the main and the resume address are two such listeners. */
export function startGateway(context: Context, name: 'gateway' | 'resume', port = 0): Gateway {
  const { record, faults } = context
  const open = new Map<Socket, Connection>()
  const server: Server<ConnectionData> = Bun.serve<ConnectionData>({
    hostname: '127.0.0.1',
    port,
    fetch(request, server) {
      const { search } = new URL(request.url)
      const entry: RecordedConnection = {
        number: record.connections.length,
        at: context.clock.now(),
        server: name,
        query: search,
        userAgent: request.headers.get('user-agent') ?? '',
        received: [],
        sessionId: null,
        closed: null,
      }
      record.connections.push(entry)
      record.changed()
      const { upgradeStatus } = faults.gateway
      if (upgradeStatus !== null) return new Response('Bad Gateway', { status: upgradeStatus })
      return server.upgrade(request, { data: { entry } })
        ? undefined
        : new Response('Upgrade Required', { status: 426 })
    },
    websocket: {
      idleTimeout: 0,
      open(socket) {
        const connection = createConnection(context, socket)
        open.set(socket, connection)
        const reason = greet(context, connection)
        if (reason) close(connection, reason)
      },
      message(socket, text) {
        const connection = open.get(socket)
        const reason = connection && receive(context, connection, text)
        if (reason) close(connection, reason)
      },
      close(socket, code) {
        const connection = open.get(socket)
        open.delete(socket)
        if (connection) closed(context, connection, code)
      },
    },
  })
  return {
    url: `ws://127.0.0.1:${server.port}`,
    connections: () => [...open.values()],
    stop: () => server.stop(true),
  }
}

function createConnection(context: Context, socket: Socket): Connection {
  const { entry } = socket.data
  const connection: Connection = {
    socket,
    entry,
    session: null,
    sent: [],
    heartbeat: null,
    beat() {
      watchHeartbeat(context, connection)
    },
    send(payload) {
      socket.send(JSON.stringify(payload))
    },
    close(code, reason) {
      entry.closed ??= { code, by: 'server' }
      socket.close(code, reason)
    },
  }
  return connection
}

/** Sends HELLO ("Gateway, Hello Event") and starts to watch the heartbeat. */
function greet(context: Context, connection: Connection): CloseReason | null {
  const query = new URLSearchParams(connection.entry.query)
  if (query.has('v') && query.get('v') !== '10') return 'invalidVersion'
  if ((query.get('encoding') ?? 'json') !== 'json' || query.has('compress')) return 'decodeError'
  const interval = context.options.heartbeatMs
  connection.send({ op: 10, s: null, t: null, d: { heartbeat_interval: interval, _trace: [] } })
  connection.beat()
  return null
}

/** Closes the connection if two intervals pass without a heartbeat ("Gateway, Connections"). */
function watchHeartbeat(context: Context, connection: Connection): void {
  connection.heartbeat?.stop()
  connection.heartbeat = context.clock.setTimeout(() => {
    if (connection.session) context.sessions.end(connection.session)
    close(connection, 'sessionTimedOut')
  }, context.options.heartbeatMs * 2)
}

function close(connection: Connection, reason: CloseReason): void {
  const [code, text] = Close[reason]
  connection.close(code, text)
}

function closed(context: Context, connection: Connection, code: number): void {
  connection.heartbeat?.stop()
  const byClient = connection.entry.closed === null
  connection.entry.closed ??= { code, by: 'client' }
  const { session } = connection
  if (session && session.socket === connection) {
    // "Gateway, Initiating a Disconnect": 1000 and 1001 end the session, other codes keep it.
    if (byClient && (code === 1000 || code === 1001)) context.sessions.end(session)
    else context.sessions.detach(session)
  }
  context.record.changed()
}

/** Handles a payload; returns the reason to close the connection, or null. */
function receive(
  context: Context,
  connection: Connection,
  text: string | Buffer,
): CloseReason | null {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_PAYLOAD_BYTES) return 'decodeError'
  const now = context.clock.now()
  const payload = parsePayload(String(text))
  if (!payload) return 'decodeError'
  connection.entry.received.push({ op: payload.op, at: now })
  // Heartbeats are not counted, because tests use short intervals.
  if (payload.op !== 1)
    connection.sent = [...connection.sent.filter((at) => at > now - PAYLOAD_WINDOW_MS), now]
  if (connection.sent.length > MAX_PAYLOADS) return 'rateLimited'
  context.record.changed()
  const handle = opcodes[payload.op]
  if (!handle) return 'unknownOpcode'
  const isFree = [1, 2, 6].includes(payload.op)
  if (!isFree && !connection.session) return 'notAuthenticated'
  return handle(context, connection, payload.d)
}

function parsePayload(text: string): { op: number; d: unknown } | null {
  try {
    const payload: unknown = JSON.parse(text)
    return isObject(payload) && typeof payload.op === 'number'
      ? { op: payload.op, d: payload.d }
      : null
  } catch {
    return null
  }
}
