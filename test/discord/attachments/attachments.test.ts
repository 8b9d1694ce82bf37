import { createByteBudget } from '../../../src/discord/attachments/byteBudget'
import { downloadFile } from '../../../src/discord/attachments/download'
import { planUploads } from '../../../src/discord/attachments/planUploads'
import { outcomeOf } from '../../tools/outcomeOf'
import { afterAll, beforeAll, describe, expect, test } from '../../tools/test'
import { createTestClock, runEventLoop } from '../../tools/testClock'

const MIB = 1024 * 1024

describe('plan of uploads', () => {
  test.each([
    ['no files', 0, [], []],
    ['files that fit into one message', 0, [10, 10, 5], [[10, 10, 5]]],
    ['a sum over 25 MiB', 0, [10, 10, 10], [[10, 10], [10]]],
    [
      'the order of files',
      1,
      [10, 10, 6, 4],
      [
        [10, 10],
        [6, 4],
      ],
    ],
    ['a sum over 25 MiB of many files', 1, [10, 10, 4, 1, 1], [[10, 10, 4, 1], [1]]],
    ['the limit of boost tier 2', 2, [50, 30, 20, 1], [[50], [30, 20], [1]]],
    ['the limit of boost tier 3', 3, [100, 60, 40], [[100], [60, 40]]],
    ['a sum over 100 MiB', 3, [51, 49, 1], [[51, 49], [1]]],
    ['more than ten files', 0, Array(11).fill(1), [Array(10).fill(1), [1]]],
  ])('respects %s', (_, tier, sizes: number[], messages: number[][]) => {
    const files = sizes.map((size) => ({ size: size * MIB }))
    const plan = planUploads(files, tier)
    const found = plan.kind === 'messages' ? plan.messages : []
    expect(found.map((all) => all.map(({ size }) => size / MIB))).toEqual(messages)
  })

  test('names the files that are too large', () => {
    const large = { size: 10 * MIB + 1 }
    expect(planUploads([{ size: 1 }, large], 0)).toEqual({ kind: 'too_large', files: [large] })
  })
})

describe('budget of bytes', () => {
  test('lets callers wait in order until enough is free', async () => {
    const budget = createByteBudget(10)
    const started: string[] = []
    const gates: Record<string, PromiseWithResolvers<void>> = {}
    const run = (name: string, bytes: number) =>
      budget.reserve(bytes, () => {
        started.push(name)
        const gate = Promise.withResolvers<void>()
        gates[name] = gate
        return gate.promise
      })
    const end = async (name: string) => {
      gates[name]?.resolve()
      await runEventLoop()
    }
    const all = [run('a', 6), run('b', 6), run('c', 1), run('huge', 50), run('d', 1)]
    await runEventLoop()
    expect(started).toEqual(['a'])
    await end('a')
    expect(started).toEqual(['a', 'b', 'c'])
    await end('b')
    await end('c')
    expect(started).toEqual(['a', 'b', 'c', 'huge'])
    await end('huge')
    expect(started).toEqual(['a', 'b', 'c', 'huge', 'd'])
    await end('d')
    await Promise.all(all)
  })

  test('is given back when the work fails', async () => {
    const budget = createByteBudget(1)
    const failed = budget.reserve(1, () => Promise.reject(new Error('failed')))
    expect(await outcomeOf(failed)).toThrow('failed')
    expect(await budget.reserve(1, async () => 'ok')).toBe('ok')
  })
})

describe('download of a file', () => {
  let server: Bun.Server<undefined>
  let foreign: Bun.Server<undefined>
  let requestsToForeign = 0
  beforeAll(() => {
    foreign = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        requestsToForeign++
        return new Response('secret')
      },
    })
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/redirect') return Response.redirect(foreign.url.href)
        if (pathname === '/endless')
          return new Response(
            new ReadableStream({
              pull(stream) {
                stream.enqueue(new Uint8Array(1000))
              },
            }),
          )
        if (pathname === '/silent') return Promise.withResolvers<Response>().promise
        if (pathname === '/gone') return new Response(null, { status: 404 })
        return new Response('x'.repeat(100), { headers: { 'content-type': 'image/png' } })
      },
    })
  })
  afterAll(async () => {
    await server.stop(true)
    await foreign.stop(true)
  })

  const clock = createTestClock()
  const load = (address: string, maxBytes = 100) =>
    downloadFile(address, maxBytes, { clock, origins: [server.url.origin], timeoutMs: 5000 })
  const at = (path: string) => `${server.url.origin}${path}`

  test('returns bytes and type', async () => {
    const file = await load(at('/file?ex=1'))
    expect([file.size, file.type]).toEqual([100, 'image/png'])
  })

  interface Refusal {
    reason: string
    address: () => string
    maxBytes?: number
    isTimeout?: boolean
  }
  const refusals: Record<string, Refusal> = {
    'an origin that is not allowed': { address: () => foreign.url.href, reason: 'origin' },
    'an address with a password': {
      address: () => at('/file').replace('://', '://a:b@'),
      reason: 'origin',
    },
    'another scheme': { address: () => 'file:///etc/passwd', reason: 'origin' },
    'something that is not an address': { address: () => 'file', reason: 'origin' },
    'a redirect': { address: () => at('/redirect'), reason: 'status' },
    'a missing file': { address: () => at('/gone'), reason: 'status' },
    'a file that is announced as too large': {
      address: () => at('/file'),
      reason: 'too_large',
      maxBytes: 99,
    },
    'a file that turns out to be too large': {
      address: () => at('/endless'),
      reason: 'too_large',
    },
    'a server that does not answer': {
      address: () => at('/silent'),
      reason: 'network',
      isTimeout: true,
    },
  }
  test.each(Object.entries(refusals))('refuses %s', async (_, refusal) => {
    const { address, reason, maxBytes, isTimeout } = refusal
    const refused = load(address(), maxBytes).catch((cause) => cause)
    if (isTimeout) await clock.advance(5000)
    expect(await refused).toMatchObject({ name: 'DownloadError', reason })
    expect(requestsToForeign).toBe(0)
  })
})
