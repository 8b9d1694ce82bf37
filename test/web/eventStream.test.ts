import { type LiveState, subscribe } from '../../src/web/app/eventStream'
import { afterEach, describe, expect, setSystemTime, test } from '../test'

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

async function until(isDone: () => boolean): Promise<void> {
  const latest = performance.now() + 10_000
  while (!isDone() && performance.now() < latest) await Bun.sleep(5)
  expect(isDone()).toBe(true)
}

describe('a subscription', () => {
  afterEach(() => void setSystemTime())

  test('waits before it reopens a stream that ends at once again and again', async () => {
    const server = serveStreams(true)
    const states: LiveState[] = []
    const onStateChange = (state: LiveState) => void states.push(state)
    const subscription = subscribe({ path: server.path, onEvent: () => {}, onStateChange })
    await until(() => states.filter((state) => state === 'connecting').length >= 2)
    await Bun.sleep(300)
    subscription.stop()
    server.stop()
    // The first end may be that of a server that restarts, so it is followed by one attempt at once.
    expect(server.connections()).toBe(2)
  })

  test('reopens a stream at once each time when it was open for a while', async () => {
    const server = serveStreams(false)
    const states: LiveState[] = []
    const onStateChange = (state: LiveState) => void states.push(state)
    const subscription = subscribe({ path: server.path, onEvent: () => {}, onStateChange })
    const began = performance.now()
    for (let count = 1; count <= 4; count++) {
      await until(() => states.filter((state) => state === 'live').length === count)
      setSystemTime(Date.now() + 60_000)
      server.end()
    }
    await until(() => server.connections() === 5)
    subscription.stop()
    server.stop()
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
