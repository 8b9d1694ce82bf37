import { describe, expect, test } from 'bun:test'
import { createLongReads, noConnection } from '../../src/service/longReads'

interface Asked {
  systemId?: number
  isOwn?: boolean
  address?: string | null
  signal?: AbortSignal | null
}

/** Long reads that end when the test says so, and the order in which they began. */
function createReads() {
  const longReads = createLongReads()
  const begun: string[] = []
  const ask = (name: string, { systemId = 1, isOwn = false, ...client }: Asked = {}) => {
    const { promise: ending, resolve, reject } = Promise.withResolvers<string>()
    const read = { systemId, isOwn, ...noConnection, ...client }
    const result = longReads(read, () => {
      begun.push(name)
      return ending
    })
    result.catch(() => {})
    return { result, end: () => resolve(name), fail: () => reject(new Error(name)) }
  }
  return { ask, begun }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('long reads', () => {
  test('of one system run one after the other, also when one of them fails', async () => {
    const { ask, begun } = createReads()
    const first = ask('first')
    const second = ask('second')
    const third = ask('third')
    expect(begun).toEqual(['first'])
    first.end()
    expect(await first.result).toBe('first')
    expect(begun).toEqual(['first', 'second'])
    second.fail()
    await expect(second.result).rejects.toThrow('second')
    await turn()
    expect(begun).toEqual(['first', 'second', 'third'])
    third.end()
    expect(await third.result).toBe('third')
  })

  test('of three systems run at the same time, and the next begins when one has ended', async () => {
    const { ask, begun } = createReads()
    const [one] = [1, 2, 3, 4].map((systemId) => ask(`of ${systemId}`, { systemId }))
    expect(begun).toEqual(['of 1', 'of 2', 'of 3'])
    one?.end()
    await turn()
    expect(begun).toEqual(['of 1', 'of 2', 'of 3', 'of 4'])
  })

  test('of the owner begin before those of other callers', async () => {
    const { ask, begun } = createReads()
    const running = ask('running')
    ask('of another caller')
    ask('of the owner', { isOwn: true })
    running.end()
    await turn()
    expect(begun).toEqual(['running', 'of the owner'])
  })

  test('of one address are counted over all systems, those of the owner are not', async () => {
    const { ask } = createReads()
    for (const systemId of [1, 2, 3]) ask('running', { systemId })
    const address = '203.0.113.7'
    ask('waiting', { systemId: 1, address })
    ask('waiting', { systemId: 2, address })
    const third = ask('one too many', { systemId: 3, address })
    await expect(third.result).rejects.toMatchObject({ kind: 'tooManyRequests', retryAfter: 2000 })
    const own = ask('of the owner', { systemId: 3, address, isOwn: true })
    expect(await Promise.race([own.result.catch(String), turn().then(() => 'waits')])).toBe('waits')
  })

  test('are dropped when their client leaves, and not begun when it has left before', async () => {
    const { ask, begun } = createReads()
    const running = ask('running')
    const leaving = new AbortController()
    const dropped = ask('dropped', { signal: leaving.signal })
    ask('next')
    leaving.abort()
    await expect(dropped.result).rejects.toThrow(leaving.signal.reason)
    const late = ask('late', { systemId: 2, signal: leaving.signal })
    await expect(late.result).rejects.toThrow(leaving.signal.reason)
    running.end()
    await turn()
    expect(begun).toEqual(['running', 'next'])
  })
})
