import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { afterAll } from '../../tools/test'

/** Fate of a request: a cut comes before it reaches the server, or before its answer does. */
export type Fate =
  | 'pass'
  | 'cut before'
  | 'cut after'
  | 'login page'
  | 'redirect'
  | { readonly status: number; readonly retryAfterMs?: number }

export interface CutProxy {
  readonly address: string
  readonly port: number
  /** Decides about each request; all pass by default. */
  decide: (method: string, path: string) => Fate
  /** Changes the body of an answer, by path. */
  rewrite: (path: string, body: string) => string
  /** Methods and paths of the requests so far. */
  readonly requests: string[]
  /** Refuses everything and closes open connections, as a network that is gone. */
  cut(): void
  restore(): void
  forwardTo(address: string): void
}

/** Starts a proxy on loopback between browser and server whose connections a test can cut. */
export async function startCutProxy(folder = ''): Promise<CutProxy> {
  let target = ''
  let isCut = false
  const requests: string[] = []
  const open = new Set<ServerResponse>()
  const proxy: CutProxy = {
    address: '',
    port: 0,
    decide: () => 'pass',
    rewrite: (_, body) => body,
    requests,
    cut() {
      isCut = true
      for (const response of open) response.destroy()
      open.clear()
    },
    restore() {
      isCut = false
    },
    forwardTo(address) {
      target = address
    },
  }
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const method = incoming.method ?? 'GET'
    const path = (incoming.url ?? '').slice(folder.length)
    if (isCut || !(incoming.url ?? '').startsWith(`${folder}/`)) return response.destroy()
    open.add(response)
    response.on('close', () => open.delete(response))
    requests.push(`${method} ${path}`)
    const fate = proxy.decide(method, path)
    if (fate === 'cut before') return response.destroy()
    if (fate === 'login page')
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Free Wi-Fi</title><p>Accept the terms')
    if (fate === 'redirect')
      return response.writeHead(302, { location: 'http://127.0.0.1:9/login' }).end()
    if (typeof fate === 'object')
      return response
        .writeHead(fate.status, { 'content-type': 'application/json', 'x-request-id': 'proxy' })
        .end(JSON.stringify({ message: 'Not now.', code: 0, retry_after: fate.retryAfterMs ?? 0 }))
    const isRewritten = path === '/sw.js' || path === '/'
    // The tag is that of the body before it is rewritten.
    const { 'if-none-match': _, ...others } = incoming.headers
    const forwarded = request(
      `${target}${path}`,
      {
        method,
        headers: isRewritten ? { ...others, 'accept-encoding': 'identity' } : incoming.headers,
      },
      (upstream) => {
        // The connection was cut meanwhile.
        if (!open.has(response)) return upstream.destroy()
        const chunks: Buffer[] = []
        if (fate === 'cut after' || isRewritten) {
          upstream.on('data', (chunk: Buffer) => chunks.push(chunk))
          upstream.on('end', () => {
            if (fate === 'cut after' || !open.has(response)) return response.destroy()
            const body = proxy.rewrite(path, Buffer.concat(chunks).toString())
            const { 'content-length': __, ...headers } = upstream.headers
            response.writeHead(upstream.statusCode ?? 502, headers).end(body)
          })
          return
        }
        response.writeHead(upstream.statusCode ?? 502, upstream.headers)
        response.flushHeaders()
        upstream.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  return Object.assign(proxy, { port, address: `http://127.0.0.1:${port}${folder}` })
}
