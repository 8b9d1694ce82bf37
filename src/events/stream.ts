import { DomainError, error, isUnavailable } from '../model/core/errors'
import type { Clock, Timer } from '../runtime/timers/clock'

/** Server-Sent Events for many clients, with one heartbeat timer and bounded buffers. */
export interface Streams {
  /**
   * Opens a stream. Throws if this client (null: not counted) or all clients together have too
   * many. `begin` gets the writer, and returns a function that is called when the stream ends.
   */
  open(
    client: string | null,
    checks: StreamChecks,
    begin: (reader: StreamWriter) => () => void,
  ): ReadableStream<Uint8Array>
  readonly count: number
  start(): void
  /** Ends all streams normally, so that clients reconnect. */
  stop(): void
}

export interface StreamWriter {
  /** False while the buffer is full. Sending nevertheless fills the memory. */
  readonly hasCapacity: boolean
  /**
   * Waits for free buffer space; returns false if the stream has ended or lost its authorization.
   */
  waitForCapacity(): Promise<boolean>
  send(message: StreamMessage): void
  end(): void
}

/** Checks that end a stream if they return false. */
export interface StreamChecks {
  /** Called before each message and at intervals. */
  readonly isAuthorized: () => Promise<boolean>
  /** Called at every heartbeat. */
  readonly exists?: () => Promise<boolean>
}

export interface StreamMessage {
  /** Absent in streams that cannot be resumed. */
  id?: number
  event: string
  /** The data as JSON. */
  data: string
}

/** Buffer size of a stream; further events stay in the outbox. */
const BUFFER_BYTES = 16 * 1024

const encoder = new TextEncoder()
const heartbeat = encoder.encode(':\n\n')

export interface StreamLimits {
  readonly heartbeatMs: number
  /** Interval of authorization checks without events. */
  readonly checkMs: number
  /** Maximum duration of a stream; clients reconnect by themselves. */
  readonly streamMs: number
  readonly streamsPerClient: number
  readonly streamsInAll: number
}

/** Long, because streams are long-lived and capacity is seldom freed soon. */
const RETRY_AFTER_MS = 30_000

export function createStreams(limits: StreamLimits, clock: Clock): Streams {
  const readers = new Set<OpenReader>()
  const perClient = new Map<string, number>()
  const timers: Timer[] = []
  let isStopped = false

  const count = (client: string | null, change: 1 | -1) => {
    if (client === null) return
    const total = (perClient.get(client) ?? 0) + change
    if (total > 0) perClient.set(client, total)
    else perClient.delete(client)
  }

  return {
    start() {
      const repeat = (act: (reader: OpenReader) => void, every: number) => {
        timers.push(clock.setInterval(() => readers.forEach(act), every).unref())
      }
      repeat((reader) => reader.ping(), limits.heartbeatMs)
      repeat((reader) => reader.check(), limits.checkMs)
    },
    get count() {
      return readers.size
    },
    stop() {
      isStopped = true
      for (const timer of timers) timer.stop()
      for (const reader of [...readers]) reader.end()
    },
    open(client, checks, begin) {
      const clientStreams = client === null ? 0 : (perClient.get(client) ?? 0)
      if (clientStreams >= limits.streamsPerClient) throw tooMany('you have too many open streams')
      if (readers.size >= limits.streamsInAll) throw tooMany('too many streams are open')
      let reader: OpenReader | undefined
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            // A client that connects during shutdown gets a response that ends at once.
            if (isStopped) return controller.close()
            const endsAt = clock.monotonic() + limits.streamMs
            const isOver = () => clock.monotonic() >= endsAt
            const opened = createReader(controller, checks, begin, isOver, () => {
              readers.delete(opened)
              count(client, -1)
            })
            readers.add(opened)
            count(client, 1)
            reader = opened
            opened.begin()
          },
          pull: () => reader?.onDrain(),
          cancel: () => reader?.onClose(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
      )
    },
  }
}

function tooMany(reason: string): DomainError {
  const { kind, message } = error('unavailable', reason)
  return new DomainError(kind, message, undefined, RETRY_AFTER_MS)
}

interface OpenReader extends StreamWriter {
  begin(): void
  ping(): void
  /** Ends the stream if its authorization was revoked. */
  check(): void
  /** Called when the client has read the buffer. */
  onDrain(): void
  /** Called when the client has disconnected. */
  onClose(): void
}

function createReader(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { isAuthorized, exists = async () => true }: StreamChecks,
  begin: (reader: StreamWriter) => () => void,
  /** Returns true when the stream has been open for its maximum duration. */
  isOver: () => boolean,
  onEnd: () => void,
): OpenReader {
  let isOpen = true
  let isStuck = false
  let finish = () => {}
  let drained = Promise.withResolvers<boolean>()

  const reader: OpenReader = {
    get hasCapacity() {
      return isOpen && (controller.desiredSize ?? 0) > 0
    },
    async waitForCapacity() {
      while (isOpen && !reader.hasCapacity) await drained.promise
      return isOpen && (await endUnless(isAuthorized))
    },
    send(message) {
      if (isOpen) controller.enqueue(encoder.encode(formatMessage(message)))
    },
    begin() {
      // Send headers and the first byte at once, so that the client knows it is connected.
      controller.enqueue(heartbeat)
      finish = begin(reader)
      if (!isOpen) finish()
    },
    ping() {
      if (isOver()) return reader.end()
      if (reader.hasCapacity) controller.enqueue(heartbeat)
      else if (isStuck) return abort()
      else isStuck = true
      endUnless(isAuthorized)
        .then((allowed) => allowed && endUnless(exists))
        .catch(keepOpen)
    },
    check: () => endUnless(isAuthorized).catch(keepOpen),
    onDrain() {
      isStuck = false
      drained.resolve(true)
      drained = Promise.withResolvers()
    },
    end() {
      if (!isOpen) return
      reader.onClose()
      controller.close()
    },
    onClose() {
      if (!isOpen) return
      isOpen = false
      onEnd()
      drained.resolve(false)
      finish()
    },
  }

  /** While the check is unavailable, nothing is sent and the stream stays open. */
  const keepOpen = () => isOpen

  /** Ends the stream unless the check returns true. */
  const endUnless = async (check: () => Promise<boolean>): Promise<boolean> => {
    const allowed = await check().catch(denyUnlessUnavailable)
    if (!allowed) reader.end()
    return allowed && isOpen
  }

  /** Aborts the stream of a client that read nothing between two heartbeats. */
  const abort = () => {
    reader.onClose()
    controller.error(new Error('the client does not read'))
  }

  return reader
}

function formatMessage({ id, event, data }: StreamMessage): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}

/** Treats a failed check as denied, unless the database is temporarily unavailable. */
function denyUnlessUnavailable(cause: unknown): false {
  if (isUnavailable(cause)) throw cause
  return false
}
