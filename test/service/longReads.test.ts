import { createLongReads, noConnection } from '../../src/service/core/longReads'
import { errorOf, outcomeOf } from '../tools/outcomeOf'
import { describe, expect, test } from '../tools/test'

interface ReadOptions {
  systemId?: number
  isOwn?: boolean
  address?: string | null
  signal?: AbortSignal | null
}

/** Creates a queue whose reads end when the test ends them, and records the order of their starts. */
function createReads() {
  const longReads = createLongReads()
  const begun: string[] = []
  const request = (name: string, { systemId = 1, isOwn = false, ...client }: ReadOptions = {}) => {
    const { promise: ending, resolve, reject } = Promise.withResolvers<string>()
    const read = { systemId, isOwn, ...noConnection, ...client }
    const result = longReads(read, () => {
      begun.push(name)
      return ending
    })
    result.catch(() => {})
    return { result, end: () => resolve(name), fail: () => reject(new Error(name)) }
  }
  return { request, begun }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('long reads', () => {
  test('runs long reads of one system one after the other, even if one of them fails', async () => {
    const { request, begun } = createReads()
    const first = request('first')
    const second = request('second')
    const third = request('third')
    expect(begun).toEqual(['first'])
    first.end()
    expect(await first.result).toBe('first')
    expect(begun).toEqual(['first', 'second'])
    second.fail()
    expect(await outcomeOf(second.result)).toThrow('second')
    await turn()
    expect(begun).toEqual(['first', 'second', 'third'])
    third.end()
    expect(await third.result).toBe('third')
  })

  test('runs long reads of three systems at the same time and starts the next when one ends', async () => {
    const { request, begun } = createReads()
    const [one] = [1, 2, 3, 4].map((systemId) => request(`of ${systemId}`, { systemId }))
    expect(begun).toEqual(['of 1', 'of 2', 'of 3'])
    one?.end()
    await turn()
    expect(begun).toEqual(['of 1', 'of 2', 'of 3', 'of 4'])
  })

  test('starts long reads of the owner before those of other callers', async () => {
    const { request, begun } = createReads()
    const running = request('running')
    request('of another caller')
    request('of the owner', { isOwn: true })
    running.end()
    await turn()
    expect(begun).toEqual(['running', 'of the owner'])
  })

  test('limits waiting long reads per address across systems, except those of the owner', async () => {
    const { request } = createReads()
    for (const systemId of [1, 2, 3]) request('running', { systemId })
    const address = '203.0.113.7'
    request('waiting', { systemId: 1, address })
    request('waiting', { systemId: 2, address })
    const third = request('one too many', { systemId: 3, address })
    expect(await errorOf(third.result)).toMatchObject({ kind: 'tooManyRequests', retryAfter: 2000 })
    const own = request('of the owner', { systemId: 3, address, isOwn: true })
    expect(await Promise.race([own.result.catch(String), turn().then(() => 'waits')])).toBe('waits')
  })

  test('drops a waiting long read when its client disconnects, and refuses one of a disconnected client', async () => {
    const { request, begun } = createReads()
    const running = request('running')
    const leaving = new AbortController()
    const dropped = request('dropped', { signal: leaving.signal })
    request('next')
    leaving.abort()
    expect(await outcomeOf(dropped.result)).toThrow(leaving.signal.reason)
    const refused = request('refused', { systemId: 2, signal: leaving.signal })
    expect(await outcomeOf(refused.result)).toThrow(leaving.signal.reason)
    running.end()
    await turn()
    expect(begun).toEqual(['running', 'next'])
  })
})
