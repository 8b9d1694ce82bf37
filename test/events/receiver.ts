import type { JsonObject } from '../../src/model/core/entity'
import { afterAll, expect } from '../tools/test'
import type { TestApp, TestSystem } from '../tools/testApp'

export const TOKEN = 'a-signing-token-of-the-tests'

/** A request to a receiver, which may be a PING. */
export interface Received {
  body: { type: string; signing_token: string; system_id: string; id?: string; data?: JsonObject }
  text: string
  headers: Headers
  path: string
}

/** A status or a response, possibly delayed. */
type Answer = number | Response | Promise<number | Response>

/** Answers to an event, to a PING, and to a request with a wrong token. */
interface Handlers {
  event: (received: Received) => Answer
  ping: () => Answer
  wrong: () => Answer
}

export interface Receiver extends Handlers {
  readonly url: string
  readonly port: number
  /** All requests. */
  readonly received: Received[]
  /** All requests except PINGs. */
  readonly events: Received[]
  stop(): Promise<void>
}

/** Creates receivers on loopback, which are stopped after the tests of the file. */
export function receivers() {
  const created: Receiver[] = []
  afterAll(async () => {
    for (const receiver of created) await receiver.stop()
  })
  return (handlers: Partial<Handlers> = {}, port = 0): Receiver => {
    const receiver = receive(handlers, port)
    created.push(receiver)
    return receiver
  }
}

function receive(handlers: Partial<Handlers>, port: number): Receiver {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 60,
    async fetch(request) {
      const text = await request.text()
      const { headers, url } = request
      const body = JSON.parse(text)
      const entry = { body, text, headers, path: new URL(url).pathname }
      received.push(entry)
      const answered = await answer(entry)
      return typeof answered === 'number' ? new Response(null, { status: answered }) : answered
    },
  })
  const answer = (entry: Received): Answer => {
    if (entry.body.signing_token !== TOKEN) return receiver.wrong()
    return entry.body.type === 'PING' ? receiver.ping() : receiver.event(entry)
  }
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/pk`,
    port: server.port ?? 0,
    received,
    get events() {
      return received.filter(({ body }) => body.type !== 'PING')
    },
    event: () => 200,
    ping: () => 200,
    wrong: () => 401,
    ...handlers,
    stop: () => server.stop(true),
  }
  return receiver
}

/** Registers and verifies the receiver for a system. */
export async function hook(
  { ask }: Pick<TestApp, 'ask'>,
  as: TestSystem,
  url: string,
): Promise<void> {
  const put = await ask('PUT /v2/systems/@me/webhook', { as, body: { url, token: TOKEN } })
  expect(put.text).toBe(JSON.stringify({ url, state: 'pending', token: TOKEN }))
  const verified = await ask('POST /v2/systems/@me/webhook/verify', { as })
  expect(verified.json, verified.text).toMatchObject({ state: 'active' })
}
