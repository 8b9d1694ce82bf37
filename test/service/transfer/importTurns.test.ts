import type { Origin } from '../../../src/formats/bundle'
import { type ParseImport, parseInProcess } from '../../../src/formats/chunks'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { importInto } from './importFixture'

/** Rows are looked up 500 at a time. */
const ROWS = 4_000

const notes = Array.from({ length: ROWS }, (_, id) => ({
  id,
  body: 'Buy milk',
  created_at: '2026-01-01T10:00:00Z',
}))

const file = Buffer.from(JSON.stringify({ pluralport_version: '0.1', notes }))

test('looks up the origins of many rows in several turns of the event loop', async () => {
  const app = createTestApp()
  const system = await app.makeSystem()
  let [used, most, isDone] = [0, 0, false]
  const counted = ({ app, ...rest }: Origin): Origin => ({
    ...rest,
    get app() {
      most = Math.max(most, ++used)
      return app
    },
  })
  const parseImport: ParseImport = async function* (...args) {
    for await (const chunk of parseInProcess(...args)) {
      if ('ext' in chunk)
        yield {
          ...chunk,
          ext: chunk.ext.map(({ origin, ...row }) => ({
            ...row,
            ...(origin && { origin: counted(origin) }),
          })),
        }
      else yield chunk
    }
  }
  const turns = (async () => {
    for (; !isDone; used = 0) await new Promise((resolve) => setImmediate(resolve))
  })()
  try {
    // Each look at the clock finds that a turn is over, so the import yields at every chance.
    let time = 0
    const clock = { ...app.deps.clock, monotonic: () => (time += 1_000) }
    const deps = { ...app.deps, parseImport, clock }
    for (const tally of [{ added: ROWS }, { added: 0, unchanged: ROWS }]) {
      const { ext } = await importInto({ deps }, system, file)
      expect(ext?.notes).toMatchObject(tally)
    }
  } finally {
    isDone = true
    await turns
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(ROWS)
})
