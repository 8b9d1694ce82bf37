import { readdirSync } from 'node:fs'
import type { ByteSource } from '../../../src/formats/chunks'
import { DomainError } from '../../../src/model/core/errors'
import {
  createImportLimiter,
  type ImportLimiter,
} from '../../../src/service/transfer/import/importLimiter'
import { createSpool } from '../../../src/service/transfer/import/spool'
import { errorOf, outcomeOf } from '../../tools/outcomeOf'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const KiB = 1024
const folder = emptyFolder()

/** Imports a small file and records when the work begins; the work lasts until `finish`. */
function begin(
  limiter: ImportLimiter,
  systemId: number,
  started: number[],
  signal: AbortSignal | null = null,
) {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const work = () => {
    started.push(systemId)
    return promise
  }
  const done = limiter.run(systemId, [Buffer.from('{}')], work, signal)
  // The result is awaited later.
  done.catch(() => {})
  return { done, finish }
}

async function refusalOf(work: Promise<unknown>): Promise<[status: number, message: string]> {
  const cause = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(cause instanceof DomainError)) throw new Error(`not refused: ${cause}`)
  return [cause.status, cause.message]
}

describe('the import limiter', () => {
  test('runs two imports at a time, and starts waiting ones in the order of their arrival', async () => {
    const limiter = createImportLimiter(createSpool(folder))
    const started: number[] = []
    const imports = [1, 2, 3, 4, 5].map((id) => begin(limiter, id, started))
    await until(() => started.length === 2)
    expect(started).toEqual([1, 2])
    // A second file of a system does not overtake waiting imports.
    imports[1]?.finish()
    await imports[1]?.done
    const again = begin(limiter, 2, started)
    await until(() => started.length === 3)
    expect(started).toEqual([1, 2, 3])
    for (const { finish } of [...imports, again]) finish()
    await Promise.all([...imports, again].map(({ done }) => done))
    expect(started).toEqual([1, 2, 3, 4, 5, 2])
    expect(limiter.count).toBe(0)
  })

  test('drops a waiting import when its client disconnects, and starts the next', async () => {
    const spool = createSpool(folder)
    let received = 0
    const limiter = createImportLimiter({
      async receive(bytes) {
        const file = await spool.receive(bytes)
        received++
        return file
      },
    })
    const started: number[] = []
    const running = [1, 2].map((id) => begin(limiter, id, started))
    await until(() => started.length === 2)
    const leaving = new AbortController()
    const dropped = begin(limiter, 3, started, leaving.signal)
    const next = begin(limiter, 4, started)
    await until(() => received === 4)
    leaving.abort()
    running[0]?.finish()
    expect(await errorOf(dropped.done)).toBe(leaving.signal.reason)
    next.finish()
    await next.done
    running[1]?.finish()
    await running[1]?.done
    expect(started).toEqual([1, 2, 4])
  })

  test('starts the next import of a system after one fails', async () => {
    const limiter = createImportLimiter(createSpool(folder))
    for (let round = 0; round < 5; round++) {
      const failing = limiter.run(1, [], () => Promise.reject(new Error('it failed')), null)
      expect(await outcomeOf(failing)).toThrow('it failed')
      await failing.catch(() => {})
    }
    expect(await limiter.run(1, [], async () => 'done', null)).toBe('done')
  })

  test('accepts 50 imports at a time and answers 429 to further ones', async () => {
    const limiter = createImportLimiter(createSpool(folder))
    const started: number[] = []
    const imports = Array.from({ length: 50 }, (_, id) => begin(limiter, id, started))
    expect(await refusalOf(begin(limiter, 50, started).done)).toEqual([
      429,
      '429: Too Many Requests (other files are being imported)',
    ])
    for (const { finish } of imports) finish()
    await Promise.all(imports.map(({ done }) => done))
    expect(started).toHaveLength(50)
  })
})

describe('the import spool', () => {
  test.each([0, 1, 64 * KiB, 64 * KiB + 1, 1000 * KiB])(
    'stores a file of %d bytes completely, and invisibly to other processes',
    async (size) => {
      const bytes = crypto.getRandomValues(new Uint8Array(KiB))
      const content = Buffer.alloc(size, bytes)
      async function* arrive() {
        for (let at = 0; at < size; at += 7 * KiB) {
          yield content.subarray(at, at + 7 * KiB)
          expect(readdirSync(folder)).toEqual([])
        }
      }
      const file = await createSpool(folder).receive(arrive())
      for (let time = 0; time < 2; time++) {
        const read = Buffer.concat(await Array.fromAsync(file.read()))
        expect(read.equals(content)).toBe(true)
      }
      await file.discard()
      expect(readdirSync(folder)).toEqual([])
    },
  )

  const filled = (KiBs: number): ByteSource => Array(KiBs / 8).fill(Buffer.alloc(8 * KiB))

  test('answers 429 when all files together are too large, until there is space again', async () => {
    const spool = createSpool(folder, 400 * KiB)
    const first = await spool.receive(filled(296))
    const small = await spool.receive(filled(64))
    expect(await refusalOf(spool.receive(filled(296)))).toEqual([
      429,
      '429: Too Many Requests (other files are being imported)',
    ])
    await first.discard()
    await small.discard()
    const again = await spool.receive(filled(296))
    await again.discard()
  })

  test('frees the space of a file whose transfer breaks off', async () => {
    const spool = createSpool(folder, 400 * KiB)
    async function* broken() {
      yield* filled(296)
      throw new Error('the connection was closed')
    }
    for (let time = 0; time < 3; time++)
      expect(await spool.receive(broken()).catch(({ message }) => message)).toContain('closed')
    const complete = await spool.receive(filled(296))
    await complete.discard()
  })
})
