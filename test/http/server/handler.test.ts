import { createConnection } from 'node:net'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'

const testApp = createTestApp({ PORT: '0', BODY_LIMIT: '2KiB' })
const { ask, makeSystem, app } = testApp
const address = app.listen()
const owner = await makeSystem('Lantern Hill')

describe('paths', () => {
  const unknown = ['/nowhere', '/v2', '/v2/', '/v3/systems/@me', '/v2/systems', '/v2/systems//']
  const ofV1AtRoot = ['/s', '/s/abcde', '/m/abcde', '/a/123', '/msg/1']
  const almost = ['//', '/V2/systems/abcde', `/v2/systems/${owner.hid}//`, '/v2/sx', '/v2/mm/a']

  test.each([...unknown, ...ofV1AtRoot, ...almost])('%s returns 404', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const { status, json } = await ask(`${method} ${path}`, { as: owner })
      expect([status, json]).toEqual([404, { message: '404: Not Found', code: 0 }])
    }
  })

  const ofV1 = ['/s', '/s/', '/s/abcde', '/s/abcde/members', '/m', '/m/abcde', '/a/1', '/msg/1']

  test.each(ofV1)('/v2%s is refused as a path of version 1', async (path) => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const { status, json } = await ask(`${method} /v2${path}`)
      expect([status, json]).toEqual([400, { message: 'Invalid path for API version', code: 0 }])
    }
  })

  const otherMethods: [line: string, allowed: string][] = [
    ['POST /v2/systems/abcde', 'GET, HEAD, PATCH'],
    ['PUT /systems/@me', 'GET, HEAD, PATCH'],
    ['DELETE /v2/systems/@me/', 'GET, HEAD, PATCH'],
    ['PROPFIND /v2/systems/@me', 'GET, HEAD, PATCH'],
    ['POST /health', 'GET, HEAD'],
    ['PUT /health/', 'GET, HEAD'],
    ['POST /health/live', 'GET, HEAD'],
    ['DELETE /docs', 'GET, HEAD'],
    ['POST /openapi.json', 'GET, HEAD'],
    ['POST /', 'GET, HEAD'],
  ]

  test.each(otherMethods)('%s returns 405 with Allow: %s', async (line, allowed) => {
    const { status, json, headers } = await ask(line)
    expect([status, json]).toEqual([405, { message: '405: Method Not Allowed', code: 0 }])
    expect(headers.get('allow')?.split(', ').toSorted().join(', ')).toBe(allowed)
  })

  test('accepts a trailing slash', async () => {
    for (const path of ['/health', '/openapi.json', '/v2/systems/@me', `/systems/${owner.hid}`]) {
      const [plain, slashed] = await Promise.all([
        ask(`GET ${path}`, { as: owner }),
        ask(`GET ${path}/`, { as: owner }),
      ])
      expect([slashed.status, slashed.text]).toEqual([200, plain.text])
    }
    const { json } = await ask('PATCH /v2/systems/@me/', { as: owner, body: { tag: 'slash' } })
    expect(json.tag).toBe('slash')
  })

  test.each(['%E0%A4%A', '%ff', '%'])('refuses the invalid percent-encoding %s', async (ref) => {
    const { status, json } = await ask(`GET /v2/systems/${ref}`)
    expect([status, json.code]).toEqual([400, 0])
  })
})

describe('HEAD', () => {
  const lines = ['/health', '/docs', '/nowhere', '/v2/systems/@me', `/v2/systems/${owner.hid}`, '/']

  test.each(lines)('HEAD %s returns the headers of GET without the body', async (path) => {
    for (const more of [{}, { authorization: owner.token }]) {
      // A compressed body has a different length after fetch decompressed it.
      const headers = { 'accept-encoding': 'identity', ...more }
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) =>
          fetch(`${address}${path}`, { method, headers, redirect: 'manual' }),
        ),
      )
      if (!get || !head) throw new Error('no answer')
      expect(head.status).toBe(get.status)
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
      expect((await head.arrayBuffer()).byteLength).toBe(0)
    }
  })
})

describe('request bodies', () => {
  const patch = (init: RequestInit, at = 'http://localhost') =>
    new Request(`${at}/v2/systems/@me`, {
      ...init,
      method: 'PATCH',
      headers: { authorization: owner.token, ...(init.headers as Record<string, string>) },
    })

  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', '?']

  test.each(types)('parses a body of type %s as JSON', async (type) => {
    const request = patch({
      body: JSON.stringify({ tag: type }),
      headers: { 'content-type': type },
    })
    const response = await app.handle(request, '127.0.0.1')
    expect(await response.json()).toMatchObject({ tag: type })
  })

  test('parses a body without a type as JSON, with or without a byte order mark', async () => {
    for (const mark of ['', '\ufeff']) {
      const body = new TextEncoder().encode(`${mark}{"tag":"bytes"}`)
      const response = await app.handle(patch({ body }), '127.0.0.1')
      expect(await response.json()).toMatchObject({ tag: 'bytes' })
    }
  })

  test('refuses a body that is not UTF-8 instead of replacing bytes', async () => {
    const body = new Uint8Array([...new TextEncoder().encode('{"tag":"'), 0xe9, 0x22, 0x7d])
    const response = await app.handle(patch({ body }), '127.0.0.1')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 0 })
  })

  const padded = (length: number) => '{"tag":"x"}'.padEnd(length)

  test('accepts a body of exactly the size limit and refuses a larger one', async () => {
    for (const [length, status] of [
      [2048, 200],
      [2049, 413],
    ] as const) {
      const answer = await ask('PATCH /systems/@me', { as: owner, body: padded(length) })
      expect(answer.status).toBe(status)
    }
  })

  test('refuses a body by its Content-Length and keeps serving', async () => {
    const response = await fetch(patch({ body: padded(3_000_000) }, address))
    expect([response.status, await response.json()]).toEqual([
      413,
      { message: '413: Payload Too Large', code: 0 },
    ])
    expect((await fetch(`${address}/health`)).status).toBe(200)
  })

  test('refuses a chunked body as soon as it exceeds the limit', async () => {
    let sent = 0
    const body = new ReadableStream({
      async pull(controller) {
        if (sent++ > 2000) return controller.close()
        controller.enqueue(new TextEncoder().encode(' '.repeat(1024)))
        await nextTurn()
      },
    })
    const response = await fetch(patch({ body }, address))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 0 })
    expect(sent).toBeLessThan(2000)
  })

  test('reads a chunked body within the limit', async () => {
    const body = new ReadableStream({
      async start(controller) {
        for (const chunk of ['{"tag"', ':"in p', 'ieces"}']) {
          controller.enqueue(new TextEncoder().encode(chunk))
          await nextTurn()
        }
        controller.close()
      },
    })
    const response = await fetch(patch({ body }, address))
    expect(await response.json()).toMatchObject({ tag: 'in pieces' })
  })
})

describe('Host header', () => {
  const hosts = ['x', 'nas', 'localhost', 'example.org:8080', '[::1]', '', 'not a host', 'a/docs']

  test.each(hosts)('finds the same routes with the Host header %p', async (host) => {
    const path = `/systems/${owner.hid}`
    const answer = await sendRaw(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toStartWith('HTTP/1.1 200 ')
    expect(answer).toContain(owner.uuid)
    expect(lastLine(testApp)).toMatchObject({ path, status: 200 })
  })

  test('answers an HTTP/1.0 request without a Host header', async () => {
    expect(await sendRaw('GET /health HTTP/1.0\r\n\r\n')).toStartWith('HTTP/1.1 200 ')
  })
})

function lastLine({ logged }: TestApp): Record<string, unknown> {
  return JSON.parse(logged().trim().split('\n').at(-1) ?? '')
}

/** Sends exactly these bytes and returns the whole response. */
function sendRaw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = createConnection(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (bytes) => {
      received += bytes.toString()
    })
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
}

/** Lets the event loop send and receive. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
