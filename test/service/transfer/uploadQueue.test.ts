import { createImportLimiter } from '../../../src/service/transfer/import/importLimiter'
import { createSpool } from '../../../src/service/transfer/import/spool'
import {
  createUploadQueue,
  type UploadLimits,
} from '../../../src/service/transfer/import/uploadQueue'
import { errorOf } from '../../tools/outcomeOf'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

const [WAIT, ABSENT, RESERVED] = [10_000, 5_000, 30_000] as const
const limits: UploadLimits = {
  maxFiles: 2,
  maxWaiting: 3,
  waitMs: WAIT,
  absentMs: ABSENT,
  reservedMs: RESERVED,
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Creates places, and a function that asks for one and records when it is assigned. */
function createQueue(changed: Partial<UploadLimits> = {}, busy = new Set<number>()) {
  const clock = createTestClock()
  const uploadQueue = createUploadQueue(busy, { limits: { ...limits, ...changed }, clock })
  const assigned: number[] = []
  const ask = async (systemId: number, signal = new AbortController().signal) => {
    const isReady = await uploadQueue.reserve(systemId, signal)
    if (isReady) assigned.push(systemId)
    return isReady
  }
  /** Imports the file that the place was reserved for. */
  const send = async (systemId: number) => {
    uploadQueue.release(systemId)
    busy.add(systemId)
    await turn()
    busy.delete(systemId)
    uploadQueue.assign()
    await turn()
  }
  return { uploadQueue, assigned, ask, send, busy, clock }
}

describe('places before an import', () => {
  test('are assigned in the order of arrival, when a file before is done', async () => {
    const { ask, send, assigned } = createQueue()
    const waiting = [1, 2, 3, 4, 5].map((id) => ask(id))
    await turn()
    expect(assigned).toEqual([1, 2])
    await send(2)
    expect(assigned).toEqual([1, 2, 3])
    await send(1)
    await send(3)
    expect(await Promise.all(waiting)).toEqual([true, true, true, true, true])
    expect(assigned).toEqual([1, 2, 3, 4, 5])
  })

  test('of a system wait while a file of the same system is imported, and others do not', async () => {
    const { ask, assigned, uploadQueue, busy } = createQueue({}, new Set([1]))
    const waiting = ask(1)
    expect(await ask(2)).toBe(true)
    expect(assigned).toEqual([2])
    busy.delete(1)
    uploadQueue.assign()
    expect(await waiting).toBe(true)
  })

  test('are refused when too many systems wait', async () => {
    const { ask, clock } = createQueue({ maxFiles: 0 })
    const asked = Promise.allSettled([1, 2, 3, 4].map((id) => ask(id)))
    await clock.advance(WAIT)
    const all = await asked
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
  })

  test('of a client that disconnects go to the next', async () => {
    const { ask, assigned, send } = createQueue({ maxFiles: 1 })
    const leaving = new AbortController()
    await ask(1)
    const left = ask(2, leaving.signal)
    const next = ask(3)
    leaving.abort()
    expect(await errorOf(left)).toBe(leaving.signal.reason)
    await send(1)
    expect(await next).toBe(true)
    expect(assigned).toEqual([1, 3])
    expect(await errorOf(ask(4, leaving.signal))).toBe(leaving.signal.reason)
  })

  test('are free again when no upload follows', async () => {
    const { ask, assigned, clock } = createQueue({ maxFiles: 1, waitMs: 2 * RESERVED })
    expect(await ask(1)).toBe(true)
    const next = ask(2)
    await clock.advance(RESERVED - 1)
    expect(assigned).toEqual([1])
    await clock.advance(1)
    expect(await next).toBe(true)
    expect(assigned).toEqual([1, 2])
  })

  test('that are reserved are given again to a client that asks twice', async () => {
    const { ask } = createQueue({ maxFiles: 1 })
    expect([await ask(1), await ask(1)]).toEqual([true, true])
  })

  test.each<[string, absentFor: number, first: number]>([
    ['keep their order when the clients ask again', ABSENT - 1, 2],
    ['lose their order when the clients do not ask again', ABSENT, 3],
  ])('%s', async (_, absentFor, first) => {
    const { ask, send, assigned, clock } = createQueue({ maxFiles: 1 })
    await ask(1)
    const waiting = Promise.all([ask(2), ask(3)])
    await clock.advance(WAIT)
    expect(await waiting).toEqual([false, false])
    await clock.advance(absentFor)
    const again = [ask(3), ask(2)]
    await send(1)
    expect(assigned).toEqual([1, first])
    await clock.advance(WAIT)
    await Promise.all(again)
  })
})

test('a place is free when an import has ended', async () => {
  const limiter = createImportLimiter(createSpool(emptyFolder()))
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const imports = Array.from({ length: 8 }, (_, id) => limiter.run(id, [], () => promise, null))
  const ready: boolean[] = []
  const waiting = limiter.uploadQueue
    .reserve(8, new AbortController().signal)
    .then((isReady) => ready.push(isReady))
  await until(() => limiter.count === 8)
  expect(ready).toEqual([])
  finish()
  await Promise.all(imports)
  await waiting
  expect(ready).toEqual([true])
})
