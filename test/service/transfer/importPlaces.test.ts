import { createImportLimiter } from '../../../src/service/transfer/importLimiter'
import { createImportPlaces, type PlaceLimits } from '../../../src/service/transfer/importPlaces'
import { createSpool } from '../../../src/service/transfer/spool'
import { until } from '../../events/receiver'
import { emptyFolder } from '../../serverProcess'
import { describe, expect, test } from '../../test'

const LONG = 60_000
const limits: PlaceLimits = {
  maxFiles: 2,
  maxWaiting: 3,
  waitMs: LONG,
  absentMs: LONG,
  reservedMs: LONG,
}

/** Creates places, and a function that asks for one and records when it is assigned. */
function createQueue(changed: Partial<PlaceLimits> = {}, busy = new Set<number>()) {
  const places = createImportPlaces(busy, { ...limits, ...changed })
  const assigned: number[] = []
  const ask = async (systemId: number, signal = new AbortController().signal) => {
    const isReady = await places.reserve(systemId, signal)
    if (isReady) assigned.push(systemId)
    return isReady
  }
  /** Imports the file that the place was reserved for. */
  const send = async (systemId: number) => {
    places.release(systemId)
    busy.add(systemId)
    await Bun.sleep(0)
    busy.delete(systemId)
    places.assign()
    await Bun.sleep(0)
  }
  return { places, assigned, ask, send, busy }
}

describe('places before an import', () => {
  test('are assigned in the order of arrival, when a file before is done', async () => {
    const { ask, send, assigned } = createQueue()
    const waiting = [1, 2, 3, 4, 5].map((id) => ask(id))
    await Bun.sleep(0)
    expect(assigned).toEqual([1, 2])
    await send(2)
    expect(assigned).toEqual([1, 2, 3])
    await send(1)
    await send(3)
    expect(await Promise.all(waiting)).toEqual([true, true, true, true, true])
    expect(assigned).toEqual([1, 2, 3, 4, 5])
  })

  test('of a system wait while a file of the same system is imported, and others do not', async () => {
    const { ask, assigned, places, busy } = createQueue({}, new Set([1]))
    const waiting = ask(1)
    expect(await ask(2)).toBe(true)
    expect(assigned).toEqual([2])
    busy.delete(1)
    places.assign()
    expect(await waiting).toBe(true)
  })

  test('are refused when too many systems wait', async () => {
    const { ask } = createQueue({ maxFiles: 0, waitMs: 1 })
    const all = await Promise.allSettled([1, 2, 3, 4].map((id) => ask(id)))
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
    await expect(left).rejects.toBe(leaving.signal.reason)
    await send(1)
    expect(await next).toBe(true)
    expect(assigned).toEqual([1, 3])
    await expect(ask(4, leaving.signal)).rejects.toBe(leaving.signal.reason)
  })

  test('are free again when no upload follows', async () => {
    const { ask, assigned } = createQueue({ maxFiles: 1, reservedMs: 1 })
    expect([await ask(1), await ask(2)]).toEqual([true, true])
    expect(assigned).toEqual([1, 2])
  })

  test('that are reserved are given again to a client that asks twice', async () => {
    const { ask } = createQueue({ maxFiles: 1 })
    expect([await ask(1), await ask(1)]).toEqual([true, true])
  })

  test.each<[string, Partial<PlaceLimits>, first: number]>([
    ['keep their order when the clients ask again', {}, 2],
    ['lose their order when the clients do not ask again', { absentMs: 1 }, 3],
  ])('%s', async (_, changed, first) => {
    const { ask, send, assigned } = createQueue({ maxFiles: 1, waitMs: 100, ...changed })
    await ask(1)
    expect(await Promise.all([ask(2), ask(3)])).toEqual([false, false])
    // Longer than a client may be absent, and shorter than a request waits.
    await Bun.sleep(20)
    const again = [ask(3), ask(2)]
    await send(1)
    expect(assigned).toEqual([1, first])
    await Promise.all(again)
  })
})

test('a place is free when an import has ended', async () => {
  const limiter = createImportLimiter(createSpool(emptyFolder()))
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const imports = Array.from({ length: 8 }, (_, id) => limiter.run(id, [], () => promise, null))
  const ready: boolean[] = []
  const waiting = limiter.places
    .reserve(8, new AbortController().signal)
    .then((isReady) => ready.push(isReady))
  await until(() => limiter.count === 8)
  expect(ready).toEqual([])
  finish()
  await Promise.all(imports)
  await waiting
  expect(ready).toEqual([true])
})
