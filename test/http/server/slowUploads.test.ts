import { type ArrivalLimits, createBodyArrival } from '../../../src/http/server/bodyArrival'
import { createAdmission } from '../../../src/http/server/requestLimits'
import { DomainError } from '../../../src/model/core/errors'
import type { Clock } from '../../../src/runtime/timers/clock'
import { describe, expect, test } from '../../tools/test'
import { createTestClock } from '../../tools/testClock'

const noLimits: ArrivalLimits = { bytesPerSecond: 1, toleranceMs: 600_000, totalMs: 600_000 }
const tooLong = '408: Request Timeout (the body took too long to arrive)'

/** Receives the chunks of a request that no limit but those of time applies to. */
function receiveChunks(chunks: AsyncGenerator<Uint8Array>, limits: ArrivalLimits, clock: Clock) {
  const rejectOverload = () => Promise.reject(new Error('overloaded'))
  const { receive } = createBodyArrival({ clock, admission: createAdmission(1), rejectOverload })
  return receive({ hasSlot: false, clientKeys: () => [] }, chunks, limits)
}

type Chunks = (clock: Clock) => AsyncGenerator<Uint8Array>

/** Number of bytes that arrived, or the error. */
async function receive(
  chunks: Chunks,
  limits: Partial<ArrivalLimits>,
  clock: Clock,
): Promise<number | string> {
  try {
    const file = receiveChunks(chunks(clock), { ...noLimits, ...limits }, clock)
    return Buffer.concat(await Array.fromAsync(file)).byteLength
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause
    return cause.message
  }
}

describe('limits on slow uploads', () => {
  /** Yields one byte at a time, endlessly. */
  async function* trickle(clock: Clock) {
    for (;;) {
      await clock.sleep(5)
      yield new Uint8Array(1)
    }
  }

  async function* stalling(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1)
    await new Promise(() => {})
  }

  /** Pauses for less than the tolerance and otherwise exceeds the minimum speed. */
  async function* pausing(clock: Clock) {
    for (let at = 0; at < 5; at++) {
      await clock.sleep(20)
      yield new Uint8Array(1000)
    }
  }

  test.each<[string, Chunks, Partial<ArrivalLimits>, number | string]>([
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
    const clock = createTestClock()
    const received = receive(chunks, limits, clock)
    await clock.untilTimer()
    await clock.advance(1000)
    expect(await received).toBe(expected)
  })

  test('does not count the time that the server takes to store an upload', async () => {
    async function* quick() {
      for (let at = 0; at < 5; at++) yield new Uint8Array(10)
    }
    const limits = { ...noLimits, toleranceMs: 1000, totalMs: 1000 }
    let received = 0
    const clock = createTestClock()
    for await (const chunk of receiveChunks(quick(), limits, clock)) {
      received += chunk.byteLength
      await clock.advance(400)
    }
    expect(received).toBe(50)
  })
})
