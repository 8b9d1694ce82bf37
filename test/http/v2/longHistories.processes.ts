import type { JsonObject } from '../../../src/model/core/entity'
import { importInto, pluralkit } from '../../service/transfer/importFixture'
import { execute } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestResponse, type TestSystem } from '../../tools/testApp'

/** Imports and exports at their limits, which take seconds. */

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { deps } = testApp

describe('archived rows of an import', () => {
  test('an import archives at most 100,000 rows and counts the rest as skipped', async () => {
    const to = await testApp.makeSystem()
    const notes = Array.from({ length: 100_050 }, (_, at) => at)
    const report = await importInto(testApp, to, pluralkit({ multitude: { kept: { notes } } }))
    expect([report.kept, report.skipped]).toEqual([{ notes: 100_000 }, { notes: 50 }])
    const more = await importInto(
      testApp,
      to,
      pluralkit({ multitude: { kept: { polls: [1], notes: [5] } } }),
    )
    expect([more.kept, more.skipped]).toEqual([{ notes: 1 }, { polls: 1 }])
  })

  test('an import archives at most 32 MiB, and no row larger than 1 MiB', async () => {
    const to = await testApp.makeSystem()
    const MiB = 1024 * 1024
    const notes = Array.from({ length: 33 }, (_, at) => `${at}`.padEnd(MiB - 2, '.'))
    const file = pluralkit({ multitude: { kept: { notes, polls: ['x'.repeat(MiB)] } } })
    const report = await importInto(testApp, to, file)
    expect([report.kept, report.skipped]).toEqual([{ notes: 32 }, { notes: 1, polls: 1 }])
  })
})

test('a history of more than 100,000 switches is exported in parts that can be imported', async () => {
  const as = await testApp.makeSystem('Long')
  const sql = `
    insert into switches (uuid, system_id, timestamp)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 200001)
    select '00000000-0000-4000-8000-' || substr(cast(1000000000000 + i as text), 2), ${as.id},
      i * 1000000.0 from n`
  await deps.transact('new', (tx) => execute(tx, sql))
  await importInto(testApp, as, pluralkit({ multitude: { kept: { notes: ['once'] } } }))
  const parts: { switches: { timestamp: string }[]; multitude: { kept: object } }[] = []
  for (let path: string | undefined = 'export'; path; ) {
    const line: string = `GET /v2/systems/@me/${path}`
    const { status, json, headers }: TestResponse = await testApp.ask(line, { as })
    expect(status).toBe(200)
    parts.push(json as unknown as (typeof parts)[number])
    const link: string | null = headers.get('link')
    path = /^<(export\?part=\d+&from=[\w-]+)>; rel="next"$/.exec(link ?? '')?.[1]
    expect(path !== undefined || link === null, String(link)).toBe(true)
    const byNumber = await testApp.ask(`GET /v2/systems/@me/export?part=${parts.length}`, { as })
    expect(byNumber.json.switches).toEqual(json.switches)
  }
  expect(parts.map(({ switches }) => switches.length)).toEqual([100_000, 100_000, 1])
  expect(parts.map(({ multitude }) => multitude.kept)).toEqual([{ notes: ['once'] }, {}, {}])
  const times = parts.flatMap(({ switches }) => switches.map((one) => Date.parse(one.timestamp)))
  expect(times.every((time, at) => at === 0 || time < (times[at - 1] ?? 0))).toBe(true)
  const to = await testApp.makeSystem()
  const report = await importInto(testApp, to, Buffer.from(JSON.stringify(parts[2])))
  expect(report).toMatchObject({ repairs: [], switches: { added: 1 } })
})

test('exports a long history in parts that are imported in any order', async () => {
  const as = await testApp.makeSystem()
  const switches = Array.from({ length: 20_001 }, (_, at) => ({
    timestamp: new Date(1_700_000_000_000 + at * 60_000).toISOString(),
    members: at % 2 === 0 ? ['wrenab'] : [],
  }))
  const members = [{ id: 'wrenab', name: 'Wren' }]
  await importInto(
    testApp,
    as,
    Buffer.from(JSON.stringify({ version: 2, members, groups: [], switches })),
  )
  const { headers } = await testApp.ask('GET /v2/systems/@me/export?format=pluralport', { as })
  expect(headers.get('link')).toMatch(
    /^<export\?format=pluralport&part=2&from=[\w-]+>; rel="next"$/,
  )
  const parts = [
    await exportFile(as, '?format=pluralport&part=2'),
    await exportFile(as, '?format=pluralport'),
  ]
  expect(parts.map(({ front_events }) => (front_events as unknown[]).length)).toEqual([1, 20_000])
  const copy = createTestApp({ RATE_LIMIT: 'off' })
  const target = await copy.makeSystem()
  for (const part of parts)
    await copy.ask('POST /v2/systems/@me/import', { as: target, body: JSON.stringify(part) })
  const { json } = await copy.ask<JsonObject>('GET /v2/systems/@me/export', { as: target })
  expect(json.switches).toEqual((await exportFile(as, '')).switches as unknown[])
})

async function exportFile(as: TestSystem, query: string): Promise<JsonObject> {
  const { status, json } = await testApp.ask<JsonObject>(`GET /v2/systems/@me/export${query}`, {
    as,
  })
  expect(status).toBe(200)
  return json
}
