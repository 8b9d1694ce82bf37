import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type Post, post } from '../../src/events/httpPost'
import { checkAddress } from '../../src/events/webhookUrl'
import { afterEach, describe, expect, test } from '../tools/test'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { dnsName, ipName, makeCertificate } from './certificate'

const NAME = 'hooks.example.org'
const certificate = makeCertificate(dnsName(NAME))

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

describe('post over https', () => {
  test('sends the request unchanged to the checked IP, with the host name in SNI and Host', async () => {
    const { url, requests } = await receive({ status: 200, tls: certificate })
    const overridden = { host: 'elsewhere.org', connection: 'keep-alive', 'content-length': '2' }
    const sent = await send(`${url}/pk?a=1#part`, {
      headers: { 'content-type': 'application/json', 'x-event-id': '7', ...overridden },
      body: '{"name":"Zoë"}',
    })
    expect(sent).toEqual({ status: 200 })
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/pk?a=1',
        sni: NAME,
        body: '{"name":"Zoë"}',
        headers: {
          host: new URL(url).host,
          connection: 'close',
          'content-length': '15',
          'content-type': 'application/json',
          'x-event-id': '7',
        },
      },
    ])
  })

  test('connects to the IP that was checked, even if the host resolves elsewhere later', async () => {
    const first = await receive({ status: 200, tls: certificate })
    const lookups = [['127.0.0.1'], ['127.0.0.2']]
    const checked = await checkAddress(`${first.url}/`, {
      allow: { hosts: new Set([NAME]), ranges: [] },
      resolve: async () => lookups.shift() ?? [],
    })
    if (!checked.ok) throw new Error(checked.problem.code)
    expect(await send(checked.url.href, { ips: checked.ips })).toEqual({ status: 200 })
    expect(first.requests).toHaveLength(1)
    expect(lookups).toHaveLength(1)
  })

  test('connects to the first IP only', async () => {
    const { url, requests } = await receive({ status: 200, tls: certificate })
    expect(await send(url, { ips: ['127.0.0.2', '127.0.0.1'] })).toEqual({ error: 'ECONNREFUSED' })
    expect(requests).toEqual([])
  })

  test('rejects a certificate for another host', async () => {
    const { url, requests } = await receive({ status: 200, tls: certificate })
    expect(await send(url.replace(NAME, 'other.example.org'))).toEqual({
      error: 'certificate problem: ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(requests).toEqual([])
  })

  test('rejects an untrusted certificate, even if the environment disables the check', async () => {
    const { url, requests } = await receive({ status: 200, tls: certificate })
    const ca = makeCertificate(dnsName(NAME)).cert
    const sent = await withEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0', () => send(url, { ca }))
    expect(sent).toEqual({ error: expect.stringMatching(/^certificate problem: [A-Z_]+$/) })
    expect(requests).toEqual([])
  })

  test('rejects an expired certificate', async () => {
    const old = makeCertificate(dnsName(NAME), Date.UTC(2020, 0, 1))
    const { url } = await receive({ status: 200, tls: old })
    expect(await send(url, { ca: old.cert })).toEqual({
      error: 'certificate problem: CERT_HAS_EXPIRED',
    })
  })

  test('requires a certificate for the IP address of an address without a host name', async () => {
    const matching = makeCertificate(ipName([127, 0, 0, 1]))
    const good = await receive({ status: 200, tls: matching })
    const bad = await receive({ status: 200, tls: certificate })
    expect(await send(good.url.replace(NAME, '127.0.0.1'), { ca: matching.cert })).toEqual({
      status: 200,
    })
    expect(await send(bad.url.replace(NAME, '127.0.0.1'))).toEqual({
      error: 'certificate problem: ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test('returns "TLS problem" when the receiver has no TLS', async () => {
    const { url } = await receive({ status: 200 })
    expect(await send(url.replace('http:', 'https:'))).toEqual({ error: 'TLS problem' })
  })
})

describe('responses to post', () => {
  test.each([200, 204, 299, 401, 404, 410, 500, 503])('returns the status %d', async (status) => {
    const { url } = await receive({ status })
    expect(await send(url)).toEqual({ status })
  })

  test.each([301, 302, 303, 307, 308])(
    'returns the status %d without following the redirect',
    async (status) => {
      const target = await receive({ status: 200 })
      const { url, requests } = await receive({
        status,
        location: target.url.replace(NAME, '127.0.0.1'),
      })
      expect(await send(url)).toEqual({ status })
      expect(requests).toHaveLength(1)
      expect(target.requests).toEqual([])
    },
  )

  test('accepts a response after an interim response', async () => {
    const { url } = await receiveRaw((socket) => {
      socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}content-length: 0\r\n\r\n`)
    })
    expect(await send(url)).toEqual({ status: 200 })
  })

  test('aborts an endless response and returns its status', async () => {
    const { url, open } = await receiveRaw((socket) => {
      socket.write(`${OK}\r\n`)
      writeForever(socket, 'x'.repeat(65_536))
    })
    expect(await send(url)).toEqual({ status: 200 })
    await until(() => open.size === 0)
  })

  test('returns the status of a stalled response after the timeout', async () => {
    const { url, open } = await receiveRaw((socket) => {
      socket.write(`${OK}content-length: 10\r\n\r\nhalf`)
      isAnswered = true
    })
    const clock = createTestClock()
    let isAnswered = false
    const sent = send(url, { clock })
    await until(() => isAnswered)
    // The status arrives before the answer to a later request.
    const other = await receive({ status: 200 })
    await send(other.url)
    await clock.advance(10_000)
    expect(await sent).toEqual({ status: 200 })
    await until(() => open.size === 0)
  })

  test('returns the status of a truncated response', async () => {
    const { url } = await receiveRaw((socket) => {
      socket.end(`${OK}content-length: 10\r\n\r\nhalf`)
    })
    expect(await send(url)).toEqual({ status: 200 })
  })

  test.each([
    ['endless headers', OK, `x: ${'y'.repeat(1_000)}\r\n`, 'no HTTP answer'],
    ['one endless header', `${OK}x: `, 'y'.repeat(65_536), 'no HTTP answer'],
    ['endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), 'no answer'],
    ['another protocol', 'SSH-2.0-x\r\n', 'y'.repeat(100), 'no HTTP answer'],
  ])('returns an error for a response with %s', async (_, start, rest, error) => {
    const { url, open } = await receiveRaw((socket) => {
      socket.write(start)
      writeForever(socket, rest)
    })
    expect(await send(url)).toEqual({ error })
    await until(() => open.size === 0)
  })
})

describe('connections of post', () => {
  test('times out when the receiver does not answer', async () => {
    const { url, open } = await receiveRaw(() => {})
    const clock = createTestClock()
    const sent = send(url, { clock })
    await until(() => open.size === 1)
    await clock.advance(9_999)
    expect(open.size).toBe(1)
    await clock.advance(1)
    expect(await sent).toEqual({ error: 'timeout' })
    await until(() => open.size === 0)
  })

  test('times out when the receiver sends headers slowly', async () => {
    const clock = createTestClock()
    const { url, opened } = await receiveRaw((socket) => {
      socket.write(OK)
      const drip = clock.setInterval(() => socket.write('x: y\r\n'), 1_000)
      socket.on('close', () => drip.stop())
    })
    const sent = send(url, { clock, timeoutMs: 3_500 })
    await until(() => opened() === 1)
    await clock.advance(3_500)
    expect(await sent).toEqual({ error: 'timeout' })
  })

  test('times out when the receiver does not start TLS', async () => {
    const { url, open } = await receiveRaw(() => {})
    const clock = createTestClock()
    const sent = send(url.replace('http:', 'https:'), { clock })
    await until(() => open.size === 1)
    await clock.advance(10_000)
    expect(await sent).toEqual({ error: 'timeout' })
  })

  test('returns ECONNRESET when the receiver closes the connection', async () => {
    const { url } = await receiveRaw((socket) => socket.destroy())
    expect(await send(url)).toEqual({ error: 'ECONNRESET' })
  })

  test('returns ECONNREFUSED when the receiver is down', async () => {
    const { url, stop } = await receiveRaw(() => {})
    stop()
    expect(await send(url)).toEqual({ error: 'ECONNREFUSED' })
  })

  test('sends to an IPv6 address', async () => {
    const { url, requests } = await receive({ status: 200, listen: '::1' })
    expect(await send(url.replace(NAME, '[::1]'), { ips: ['::1'] })).toEqual({ status: 200 })
    expect(requests[0]?.headers.host).toBe(new URL(url).host.replace(NAME, '[::1]'))
  })

  test('opens a new connection for each request and closes it', async () => {
    const { url, open, opened } = await receiveRaw((socket) => {
      socket.write(`${OK}connection: keep-alive\r\ncontent-length: 2\r\n\r\nok`)
    })
    const sent = await Promise.all(Array.from({ length: 50 }, () => send(url)))
    expect(sent).toEqual(Array(50).fill({ status: 200 }))
    expect(opened()).toBe(50)
    await until(() => open.size === 0)
  })
})

describe('rejected requests of post', () => {
  test.each([[[]], [['localhost']], [['']]])(
    'does not send to %j, which is not an IP address',
    async (ips) => {
      const { url, requests } = await receive({ status: 200 })
      expect(await send(url, { ips })).toEqual({ error: 'no address' })
      expect(requests).toEqual([])
    },
  )

  test('does not send a header with a line break', async () => {
    const { url, requests } = await receive({ status: 200 })
    const headers = { 'x-event-id': '1\r\nx-other: 2' }
    expect(await send(url, { headers })).toEqual({ error: 'cannot send' })
    expect(requests).toEqual([])
  })

  test('does not use a proxy, which would resolve the name again', async () => {
    const proxy = await receiveRaw((socket) => socket.destroy())
    const { url } = await receive({ status: 200 })
    const address = proxy.url.replace(NAME, '127.0.0.1')
    const sent = await withEnv('HTTP_PROXY', address, () => send(url))
    expect(sent).toEqual({ status: 200 })
    expect(proxy.opened()).toBe(0)
  })
})

const OK = 'HTTP/1.1 200 OK\r\n'

function send(url: string, more: Partial<Post> = {}) {
  const ca = certificate.cert
  return post({ url: new URL(url), ips: ['127.0.0.1'], headers: {}, body: '{}', ca, ...more })
}

interface Receiver {
  status: number
  location?: string
  listen?: string
  tls?: { key: string; cert: string }
}

interface ReceivedRequest {
  method: string | undefined
  path: string | undefined
  sni: unknown
  body: string
  headers: IncomingMessage['headers']
}

async function receive({ status, location, listen = '127.0.0.1', tls }: Receiver) {
  const requests: ReceivedRequest[] = []
  const server: Server = tls ? createHttpsServer(tls) : createHttpServer()
  server.on('request', async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url: path, headers, socket } = request
    const sni = 'servername' in socket ? socket.servername : null
    requests.push({ method, path, sni, body, headers })
    response.writeHead(status, location ? { location } : {}).end()
  })
  const port = await listenOn(server, listen)
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `${tls ? 'https' : 'http'}://${NAME}:${port}`, requests }
}

/** Starts a TCP server that runs `respond` after the first data. */
async function receiveRaw(respond: (socket: Socket) => void) {
  const open = new Set<Socket>()
  let opened = 0
  const server = createTcpServer((socket) => {
    opened += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => respond(socket))
  })
  const port = await listenOn(server, '127.0.0.1')
  const stop = () => {
    for (const socket of open) socket.destroy()
    server.close()
  }
  stops.push(stop)
  return { url: `http://${NAME}:${port}`, open, opened: () => opened, stop }
}

async function listenOn(server: ReturnType<typeof createTcpServer>, host: string): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done))
  const address = server.address() as AddressInfo
  return address.port
}

function writeForever(socket: Socket, text: string): void {
  const fill = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', fill)
  fill()
}

/** Runs a function with an environment variable set. */
async function withEnv<T>(name: string, value: string, run: () => Promise<T>): Promise<T> {
  const before = process.env[name]
  process.env[name] = value
  try {
    return await run()
  } finally {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}
