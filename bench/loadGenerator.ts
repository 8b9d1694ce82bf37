import { hidOf } from './data'

/** How an answer without a length ends. What is asked for has no such line in it. */
const END = Buffer.from('0\r\n\r\n')

/**
 * The load: a process of its own that keeps some connections busy with raw requests and measures
 * each. It reads its orders as one JSON line and answers with one, until its input ends.
 */
export interface Orders {
  port: number
  connections: number
  seconds: number
  method: string
  path: string
  headers: Record<string, string>
  /** With placeholders that `fill` fills in anew for each request, counting from `from`. */
  body: string | null
  from: number
  members: number
  /** Who asks for what, in turns, instead of the path and the authorization above. */
  variants?: { path: string; authorization: string; body?: string }[]
}

export interface Measured {
  requests: number
  failures: number
  /** The first answer that was no success, as much of it as came at once. */
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
    const measured = await press(JSON.parse(line) as Orders)
    console.log(JSON.stringify(measured))
  }
}

async function press(orders: Orders): Promise<Measured> {
  const times: number[] = []
  let failures = 0
  let firstFailure = ''
  let next = orders.from
  const started = performance.now()
  const end = started + orders.seconds * 1000
  await Promise.all(
    Array.from({ length: orders.connections }, () =>
      keepBusy(
        orders,
        () => (performance.now() < end ? requestOf(orders, next++) : null),
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

function isInChunks(head: string): boolean {
  return /transfer-encoding: chunked/i.test(head)
}

/** One connection: a request, its whole answer, the next request. */
function keepBusy(
  { port }: Orders,
  nextRequest: () => string | null,
  note: (ms: number, failure: string | null) => void,
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
          missing = isInChunks(head) ? Infinity : length - (head.length - bodyAt - 4)
        } else missing -= chunk.length
        if (missing === Infinity && chunk.subarray(-END.length).equals(END)) missing = 0
        if (missing > 0) return
        note(performance.now() - sentAt, head.startsWith('HTTP/1.1 20') ? null : head)
        send(socket)
      },
      close: () => resolve(),
      error: (_, cause) => reject(cause),
    },
  }).catch(reject)
  return promise
}

function requestOf(orders: Orders, n: number): string {
  const variant = orders.variants?.[n % orders.variants.length]
  const { method, members } = orders
  const { path, body } = { ...orders, ...variant }
  const headers = variant
    ? { ...orders.headers, authorization: variant.authorization }
    : orders.headers
  const text = body === null ? '' : fill(body, n, members)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === null ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${text}`
}

/** Makes a body that no other request has: `{n}`, `{hex}`, `{time}` and `{member}` go by a number. */
export function fill(body: string, n: number, members: number): string {
  if (!body.includes('{n}') && !body.includes('{hex}') && !body.includes('{time}')) return body
  return body
    .replaceAll('{n}', String(n))
    .replaceAll('{hex}', (n % 0xffffff).toString(16).padStart(6, '0'))
    .replaceAll('{time}', new Date(n).toISOString())
    .replaceAll('{member}', hidOf(1 + (n % members)))
}
