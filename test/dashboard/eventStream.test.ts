import { type LiveState, subscribe } from '../../src/dashboard/core/eventStream'
import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  setSystemTime,
  spyOn,
  test,
} from '../tools/test'
import { until } from '../tools/until'

/** Serves streams that end when the test ends them, and counts the connections. */
function serveStreams(isEndedAtOnce: boolean) {
  let connections = 0
  let end = () => {}
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      connections++
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(': hello\n\n')
          end = () => controller.close()
          if (isEndedAtOnce) end()
        },
      })
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return {
    path: server.url.href,
    connections: () => connections,
    end: () => end(),
    stop: () => server.stop(true),
  }
}

describe('a subscription', () => {
  const timers = spyOn(globalThis, 'setTimeout')
  beforeEach(() => void timers.mockClear())
  afterEach(() => void setSystemTime())
  afterAll(() => timers.mockRestore())

  /** Pauses before new connections; an open one has a longer timer. */
  const pauses = () => timers.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms < 45_000)

  test('waits before it reopens a stream that ends at once again and again', async () => {
    const server = serveStreams(true)
    const states: LiveState[] = []
    const onStateChange = (state: LiveState) => void states.push(state)
    const subscription = subscribe({ path: server.path, onEvent: () => {}, onStateChange })
    await until(() => pauses().length > 0)
    subscription.stop()
    server.stop()
    // The first end may be that of a server that restarts, so it is followed by one attempt at once.
    expect(server.connections()).toBe(2)
    expect(pauses()).toEqual([2_000])
    expect(states.filter((state) => state === 'connecting')).toHaveLength(2)
  })

  test('reopens a stream at once each time when it was open for a while', async () => {
    const server = serveStreams(false)
    const states: LiveState[] = []
    const onStateChange = (state: LiveState) => void states.push(state)
    const subscription = subscribe({ path: server.path, onEvent: () => {}, onStateChange })
    for (let count = 1; count <= 4; count++) {
      await until(() => states.filter((state) => state === 'live').length === count)
      setSystemTime(Date.now() + 60_000)
      server.end()
    }
    await until(() => server.connections() === 5)
    subscription.stop()
    server.stop()
    expect(pauses()).toEqual([])
  })

  test('tries again at once when the network comes back during an attempt that fails', async () => {
    const failing = Promise.withResolvers<void>()
    let attempts = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch() {
        if (++attempts > 1) return new Response(': hello\n\n')
        await failing.promise
        return new Response('', { status: 503 })
      },
    })
    const states: LiveState[] = []
    const onStateChange = (state: LiveState) => void states.push(state)
    const subscription = subscribe({ path: server.url.href, onEvent: () => {}, onStateChange })
    await until(() => attempts === 1)
    subscription.reconnectNow()
    failing.resolve()
    await until(() => states.includes('live') || pauses().length > 0)
    subscription.stop()
    server.stop(true)
    expect(states).toContain('live')
  })
})
