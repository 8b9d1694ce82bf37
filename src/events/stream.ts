import { DomainError, error, isUnavailable } from '../model/errors'

/** Server-Sent Events: many readers, one heartbeat, and no buffer without bound. */
export interface Streams {
  /**
   * Opens a stream, unless there are too many, of this client (where it is one that is counted) or in
   * all. `begin` gets the reader to write to, and gives what to do when it ends.
   */
  open(
    client: string | null,
    begin: (reader: StreamWriter) => () => void,
  ): ReadableStream<Uint8Array>
  readonly count: number
  start(): void
  /** Ends all streams: the reader knows it may come back. */
  stop(): void
}

export interface StreamWriter {
  /** Whether it has taken nearly all that it was sent. Whoever sends without room fills memory. */
  readonly hasCapacity: boolean
  /** Waits for room; false once the reader is gone, was cut off, or may hear nothing more. */
  waitForCapacity(): Promise<boolean>
  send(message: StreamMessage): void
  end(): void
  /** Asked before each thing that is sent; the stream ends when it may no longer be read. */
  isAuthorized?: () => Promise<boolean>
  /** Asked at every heartbeat too: whether there is anything left to hear of. */
  isStillValid?: () => Promise<boolean>
}

export interface StreamMessage {
  id: number
  event: string
  /** JSON. */
  data: string
}

/** What may wait for a reader in memory; the rest waits in the outbox. */
const BUFFER_BYTES = 16 * 1024

const encoder = new TextEncoder()
const heartbeat = encoder.encode(':\n\n')

export interface StreamLimits {
  readonly heartbeatMs: number
  /** How often it is looked whether each may still be read, though nothing happens. */
  readonly checkMs: number
  /** How long a stream lasts; clients come again by themselves. */
  readonly streamMs: number
  readonly streamsPerClient: number
  readonly streamsInAll: number
}

/** Streams last long, so there is no room again in a moment. */
const RETRY_AFTER_MS = 30_000

export function createStreams(limits: StreamLimits): Streams {
  const readers = new Set<OpenReader>()
  const perClient = new Map<string, number>()
  const timers: ReturnType<typeof setInterval>[] = []
  let isStopped = false

  const count = (client: string | null, more: 1 | -1) => {
    if (client === null) return
    const many = (perClient.get(client) ?? 0) + more
    if (many > 0) perClient.set(client, many)
    else perClient.delete(client)
  }

  return {
    start() {
      const often = (act: (reader: OpenReader) => void, every: number) => {
        const timer = setInterval(() => readers.forEach(act), every)
        timer.unref()
        timers.push(timer)
      }
      often((reader) => reader.ping(), limits.heartbeatMs)
      often((reader) => reader.check(), limits.checkMs)
    },
    get count() {
      return readers.size
    },
    stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      for (const reader of [...readers]) reader.end()
    },
    open(client, begin) {
      const own = client === null ? 0 : (perClient.get(client) ?? 0)
      if (own >= limits.streamsPerClient) throw tooMany('you have too many open streams')
      if (readers.size >= limits.streamsInAll) throw tooMany('too many streams are open')
      let reader: OpenReader | undefined
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            // Who comes while we go is heard, and sent away at once.
            if (isStopped) return controller.close()
            const made = createReader(controller, begin, limits.streamMs, () => {
              readers.delete(made)
              count(client, -1)
            })
            readers.add(made)
            count(client, 1)
            reader = made
            made.begin()
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
  /** Ends it where its right was taken away. */
  check(): void
  /** It has taken what waited for it. */
  onDrain(): void
  /** It is gone. */
  onClose(): void
}

function createReader(
  controller: ReadableStreamDefaultController<Uint8Array>,
  begin: (reader: StreamWriter) => () => void,
  lastsMs: number,
  forget: () => void,
): OpenReader {
  const endsAt = performance.now() + lastsMs
  let isOpen = true
  let isStuck = false
  let finish = () => {}
  let roomy = Promise.withResolvers<boolean>()

  const reader: OpenReader = {
    get hasCapacity() {
      return isOpen && (controller.desiredSize ?? 0) > 0
    },
    async waitForCapacity() {
      while (isOpen && !reader.hasCapacity) await roomy.promise
      return isOpen && (await mayDo(reader.isAuthorized))
    },
    send({ id, event, data }) {
      if (isOpen)
        controller.enqueue(encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`))
    },
    begin() {
      // Headers and the first byte go out at once, so that the reader knows it is heard.
      controller.enqueue(heartbeat)
      finish = begin(reader)
      if (!isOpen) finish()
    },
    ping() {
      if (performance.now() >= endsAt) return reader.end()
      if (reader.hasCapacity) controller.enqueue(heartbeat)
      else if (isStuck) return cutOff()
      else isStuck = true
      mayDo(reader.isAuthorized)
        .then((may) => may && mayDo(reader.isStillValid))
        .catch(stay)
    },
    check: () => mayDo(reader.isAuthorized).catch(stay),
    onDrain() {
      isStuck = false
      roomy.resolve(true)
      roomy = Promise.withResolvers()
    },
    end() {
      if (!isOpen) return
      reader.onClose()
      controller.close()
    },
    onClose() {
      if (!isOpen) return
      isOpen = false
      forget()
      roomy.resolve(false)
      finish()
    },
  }

  /** Where it cannot be asked for now, nothing is told, and nothing ends. */
  const stay = () => isOpen

  /** Ends the stream unless the answer is yes. */
  const mayDo = async (ask: (() => Promise<boolean>) | undefined): Promise<boolean> => {
    const may = ask === undefined || (await ask().catch(rejectOrWait))
    if (!may) reader.end()
    return may && isOpen
  }

  /** It has taken nothing between two heartbeats: what waits for it is dropped. */
  const cutOff = () => {
    reader.onClose()
    controller.error(new Error('the reader does not read'))
  }

  return reader
}

/** Who cannot be asked whether something may be heard has not said no. */
function rejectOrWait(cause: unknown): false {
  if (isUnavailable(cause)) throw cause
  return false
}
