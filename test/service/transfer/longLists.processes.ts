import type { JsonObject } from '../../../src/model/core/entity'
import { readAllRows } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { exportParts, importInto } from './importFixture'

// Not in `npm test`, because files of these sizes take seconds.

const app = createTestApp()
const elsewhere = createTestApp()

const at = 1_700_000_000_000

/** Builds a Simply Plural file. */
const file = (parts: JsonObject) =>
  Buffer.from(
    JSON.stringify({ frontStatuses: [], members: [{ _id: 'm1', name: 'Wren' }], ...parts }),
  )

test('import takes 200,000 of 200,001 posts, and one vote of each member', async () => {
  const system = await app.makeSystem()
  const boardMessages = Array.from({ length: 200_001 }, (_, id) => ({
    _id: `b${id}`,
    message: 'x',
    writtenFor: 'm1',
    writtenAt: at + id,
  }))
  const votes = Array.from({ length: 200_000 }, () => ({ id: 'm1', vote: 'yes' }))
  const polls = [{ _id: 'p1', name: 'Move?', votes }]
  const given = file({ boardMessages, polls })
  const report = await importInto(app, system, given, { dryRun: true })
  expect(report.ext?.posts).toMatchObject({ added: 200_000, left_out: 1 })
  expect(report.ext?.votes.added).toBe(1)
})

test('exports write long lists in parts that import completely in any order', async () => {
  const system = await app.makeSystem()
  const notes = Array.from({ length: 250 }, (_, id) => ({
    _id: `n${id}`,
    member: 'm1',
    note: `${id} `.repeat(20_000),
    date: at + id,
  }))
  await importInto(app, system, file({ notes }))
  const parts = await exportParts(app.deps, system.id)
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(16 * 1024 * 1024)
  const target = await elsewhere.makeSystem()
  for (const part of parts.toReversed())
    await importInto(elsewhere, target, Buffer.from(JSON.stringify(part)))
  const { rows = [] } = { rows: (await readAllRows(elsewhere.deps.db)).notes }
  expect(rows.filter(({ system_id }) => system_id === target.id)).toHaveLength(250)
})
