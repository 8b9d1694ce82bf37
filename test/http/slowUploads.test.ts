import { type ArrivalLimits, streamBody } from '../../src/http/routeGroup'
import { DomainError } from '../../src/model/errors'
import { describe, expect, test } from '../test'

const noLimits: ArrivalLimits = { bytesPerSecond: 1, toleranceMs: 600_000, totalMs: 600_000 }
const tooLong = '400: Bad Request (the file took too long to arrive)'

/** Builds a request whose body is the generated chunks. */
function slowRequest(chunks: () => AsyncGenerator<Uint8Array>): Request {
  const all = chunks()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await all.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Request('http://localhost/v2/systems/@me/import', { method: 'POST', body })
}

/** Number of bytes that arrived, or the error. */
async function receive(
  chunks: () => AsyncGenerator<Uint8Array>,
  limits: Partial<ArrivalLimits>,
): Promise<number | string> {
  try {
    const file = streamBody(slowRequest(chunks), 1024 * 1024, { ...noLimits, ...limits })
    return Buffer.concat(await Array.fromAsync(file)).byteLength
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause
    return cause.message
  }
}

describe('limits on slow uploads', () => {
  /** Yields one byte at a time, endlessly. */
  async function* trickle() {
    for (;;) {
      await Bun.sleep(5)
      yield new Uint8Array(1)
    }
  }

  async function* stalling(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1)
    await new Promise(() => {})
  }

  /** Pauses for less than the tolerance and otherwise exceeds the minimum speed. */
  async function* pausing() {
    for (let at = 0; at < 5; at++) {
      await Bun.sleep(20)
      yield new Uint8Array(1000)
    }
  }

  test.each<[string, () => AsyncGenerator<Uint8Array>, Partial<ArrivalLimits>, number | string]>([
    [
      'rejects an upload that is too slow',
      trickle,
      { bytesPerSecond: 1e6, toleranceMs: 100 },
      tooLong,
    ],
    ['rejects an upload that stops', stalling, { toleranceMs: 100 }, tooLong],
    ['rejects an upload that exceeds the total time', trickle, { totalMs: 100 }, tooLong],
    ['accepts an upload that pauses for less than the tolerance', pausing, {}, 5000],
  ])('%s', async (_, chunks, limits, expected) => {
    expect(await receive(chunks, limits)).toBe(expected)
  })

  test('does not count the time that the server takes to store an upload', async () => {
    async function* quick() {
      for (let at = 0; at < 5; at++) yield new Uint8Array(10)
    }
    const limits = { ...noLimits, toleranceMs: 1000, totalMs: 1000 }
    let received = 0
    for await (const chunk of streamBody(slowRequest(quick), 1024, limits)) {
      received += chunk.byteLength
      await Bun.sleep(400)
    }
    expect(received).toBe(50)
  })
})
