import { hidOf } from './data'

/** End of a chunked response. The requested JSON contains no such line. */
const END = Buffer.from('0\r\n\r\n')

/**
 * Load generator: a separate process that keeps several connections busy with raw requests and
 * measures each. It reads one JSON line per run and prints one, until its input ends.
 */
export interface LoadOptions {
  port: number
  connections: number
  seconds: number
  method: string
  path: string
  headers: Record<string, string>
  /** Body with placeholders that `fill` replaces for each request, counting from `from`. */
  body: string | null
  from: number
  members: number
  /** Used in turns instead of the path, authorization and body above. */
  variants?: { path: string; authorization: string; body?: string }[]
}

export interface LoadResult {
  requests: number
  failures: number
  /** Head of the first response without success. */
  firstFailure: string
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  p999: number
  next: number
}

if (import.meta.main) {
  for await (const line of console) {
    const result = await runLoad(JSON.parse(line) as LoadOptions)
    console.log(JSON.stringify(result))
  }
}

async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const times: number[] = []
  let failures = 0
  let firstFailure = ''
  let next = options.from
  const started = performance.now()
  const end = started + options.seconds * 1000
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      keepBusy(
        options,
        () => (performance.now() < end ? buildRequest(options, next++) : null),
        (ms, failure) => {
          times.push(ms)
          if (failure === null) return
          failures += 1
          firstFailure ||= failure
        },
      ),
    ),
  )
  const seconds = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  return {
    requests: times.length,
    failures,
    firstFailure,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    p999: at(0.999),
    next,
  }
}

function isChunked(head: string): boolean {
  return /transfer-encoding: chunked/i.test(head)
}

/** Sends the next request on a connection whenever the response to the last one is complete. */
function keepBusy(
  { port }: LoadOptions,
  nextRequest: () => string | null,
  record: (ms: number, failure: string | null) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let sentAt = 0
  let missing = -1
  let head = ''
  let unsent: Buffer | null = null
  const send = (socket: Bun.Socket) => {
    const request = nextRequest()
    if (request === null) {
      socket.end()
      return resolve()
    }
    missing = -1
    head = ''
    sentAt = performance.now()
    const bytes = Buffer.from(request)
    const written = socket.write(bytes)
    unsent = written < bytes.length ? bytes.subarray(written) : null
  }
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: send,
      drain(socket) {
        if (!unsent) return
        const written = socket.write(unsent)
        unsent = written < unsent.length ? unsent.subarray(written) : null
      },
      data(socket, chunk) {
        if (missing === -1) {
          head += chunk.toString('latin1')
          const bodyAt = head.indexOf('\r\n\r\n')
          if (bodyAt === -1) return
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
          missing = isChunked(head) ? Infinity : length - (head.length - bodyAt - 4)
        } else missing -= chunk.length
        if (missing === Infinity && chunk.subarray(-END.length).equals(END)) missing = 0
        if (missing > 0) return
        record(performance.now() - sentAt, head.startsWith('HTTP/1.1 20') ? null : head)
        send(socket)
      },
      close: () => resolve(),
      error: (_, cause) => reject(cause),
    },
  }).catch(reject)
  return promise
}

function buildRequest(options: LoadOptions, n: number): string {
  const variant = options.variants?.[n % options.variants.length]
  const { method, members } = options
  const { path, body } = { ...options, ...variant }
  const headers = variant
    ? { ...options.headers, authorization: variant.authorization }
    : options.headers
  const text = body === null ? '' : fill(body, n, members)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === null ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${text}`
}

/** Builds a unique body: replaces `{n}`, `{hex}`, `{time}` and `{member}` by values of a number. */
export function fill(body: string, n: number, members: number): string {
  if (!body.includes('{n}') && !body.includes('{hex}') && !body.includes('{time}')) return body
  return body
    .replaceAll('{n}', String(n))
    .replaceAll('{hex}', (n % 0xffffff).toString(16).padStart(6, '0'))
    .replaceAll('{time}', new Date(n).toISOString())
    .replaceAll('{member}', hidOf(1 + (n % members)))
}
