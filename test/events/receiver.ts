import { afterAll, expect } from 'bun:test'
import type { JsonObject } from '../../src/model/entity'
import type { TestApp, TestSystem } from '../testApp'

export const TOKEN = 'a-signing-token-of-the-tests'

/** What a receiver was sent, PINGs included. */
export interface Received {
  body: { type: string; signing_token: string; system_id: string; id?: string; data?: JsonObject }
  text: string
  headers: Headers
  path: string
  at: number
}

/** A status, or more; the promise of one is a receiver that takes its time. */
type Answer = number | Response | Promise<number | Response>

/** How a receiver answers: an event, a PING, and whatever has a wrong token. */
interface Manners {
  event: (received: Received) => Answer
  ping: () => Answer
  wrong: () => Answer
}

export interface Receiver extends Manners {
  readonly url: string
  readonly port: number
  /** Everything it was sent. */
  readonly received: Received[]
  /** What it was sent that was no PING. */
  readonly events: Received[]
  stop(): Promise<void>
}

/** Makes receivers on loopback, which go when the tests of the file are done. */
export function receivers() {
  const made: Receiver[] = []
  afterAll(async () => {
    for (const receiver of made) await receiver.stop()
  })
  return (manners: Partial<Manners> = {}, port = 0): Receiver => {
    const receiver = receive(manners, port)
    made.push(receiver)
    return receiver
  }
}

function receive(manners: Partial<Manners>, port: number): Receiver {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 60,
    async fetch(request) {
      const text = await request.text()
      const { headers, url } = request
      const body = JSON.parse(text)
      const one = { body, text, headers, path: new URL(url).pathname, at: performance.now() }
      received.push(one)
      const answered = await answer(one)
      return typeof answered === 'number' ? new Response(null, { status: answered }) : answered
    },
  })
  const answer = (one: Received): Answer => {
    if (one.body.signing_token !== TOKEN) return receiver.wrong()
    return one.body.type === 'PING' ? receiver.ping() : receiver.event(one)
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
    ...manners,
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

/** Waits until something is so; bounded, and what it never became is told. */
export async function until(isSo: () => unknown, what: () => unknown = () => ''): Promise<void> {
  const giveUpAt = performance.now() + 40_000
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`it never came to be: ${isSo} ${what()}`)
    await Bun.sleep(2)
  }
}
