import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { formatInstant } from '../../../src/model/core/time'
import { drizzleOn } from '../../tools/drizzle'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { deps } = createTestApp()

test('formats every instant in SQL like formatInstant', async () => {
  const instant = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 })
  const wholeSecond = fc
    .integer({ min: -9_000_000_000, max: 9_000_000_000 })
    .map((s) => s * 1_000_000)
  await fc.assert(
    fc.asyncProperty(fc.oneof(instant, wholeSecond), async (micros) => {
      const iso = deps.db.driver.dialect.isoTimestamp(sql.raw(String(micros)))
      const row = await drizzleOn(deps.db).select({ iso }).from(sql`(select 1) one`).get()
      expect(row?.iso).toBe(formatInstant(micros))
    }),
    { numRuns: 300 },
  )
})
