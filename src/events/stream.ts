/** Server-Sent Events: many readers, one heartbeat, and no buffer without bound. */
export interface Streams {
  /** Opens a stream. `begin` gets the reader to write to, and gives what to do when it ends. */
  open(begin: (reader: Reader) => () => void): ReadableStream<Uint8Array>
  readonly count: number
  start(): void
  /** Ends all streams: the reader knows it may come back. */
  stop(): void
}

export interface Reader {
  /** False once the reader is gone or was cut off. */
  send(message: StreamMessage): boolean
  end(): void
  /** Asked at every heartbeat; the stream ends when it may no longer be read. */
  mayStay?: () => Promise<boolean>
}

export interface StreamMessage {
  id: number
  event: string
  data: unknown
}

/** What a reader may be behind before it is cut off. It comes back with `Last-Event-ID`. */
const MOST_BEHIND = 256 * 1024

const encoder = new TextEncoder()
const heartbeat = encoder.encode(':\n\n')

export function createStreams(heartbeatMs: number): Streams {
  const readers = new Set<Reader & { beat(): void }>()
  let timer: ReturnType<typeof setInterval> | undefined

  return {
    start() {
      timer = setInterval(() => {
        for (const reader of readers) reader.beat()
      }, heartbeatMs)
      timer.unref()
    },
    get count() {
      return readers.size
    },
    stop() {
      clearInterval(timer)
      for (const reader of [...readers]) reader.end()
    },
    open(begin) {
      let finish = () => {}
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            let isOpen = true
            const close = () => {
              if (!isOpen) return
              isOpen = false
              readers.delete(reader)
              finish()
              controller.close()
            }
            const write = (bytes: Uint8Array) => {
              if (!isOpen) return false
              controller.enqueue(bytes)
              if ((controller.desiredSize ?? 0) < -MOST_BEHIND) close()
              return isOpen
            }
            const reader: Reader & { beat(): void } = {
              send: (message) => write(spell(message)),
              end: close,
              beat() {
                write(heartbeat)
                reader.mayStay?.().then(
                  (may) => may || close(),
                  () => close(),
                )
              },
            }
            readers.add(reader)
            // Headers and the first byte go out at once, so that the reader knows it is heard.
            write(heartbeat)
            const ended = begin(reader)
            finish = () => {
              isOpen = false
              readers.delete(reader)
              ended()
            }
            if (!isOpen) finish()
          },
          cancel: () => finish(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: 16 * 1024 }),
      )
    },
  }
}

function spell({ id, event, data }: StreamMessage): Uint8Array {
  return encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}
