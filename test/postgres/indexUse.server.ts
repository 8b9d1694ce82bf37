import { afterAll, describe, expect, test } from 'bun:test'
import { openStorage } from '../../src/db/open'
import type { Db } from '../../src/db/types'
import { memberRepository } from '../../src/service/members'
import { insertAll, rows } from '../rawSql'
import { emptyFolder } from '../serverProcess'
import { addressIn, createTestApp } from '../testApp'

describe('reads', () => {
  const { db, ready, close } = openStorage(addressIn(emptyFolder()))
  afterAll(close)

  const whichLine = async () => (await rows<{ line: number }>(db, WHO))[0]?.line
  const WHO = 'select pg_backend_pid() as line'

  test('that follow each other closely go along one connection', async () => {
    await ready
    // On a machine with busy cores an answer may come late, and the next question goes round it.
    let fewest = 8
    for (let tries = 0; tries < 50 && fewest > 1; tries++) {
      const lines = await Promise.all(Array.from({ length: 8 }, whichLine))
      fewest = Math.min(fewest, new Set(lines).size)
    }
    expect(fewest).toBe(1)
  })

  test('go round one that takes long', async () => {
    await ready
    await whichLine()
    let isDone = false
    const long = rows(db, `select pg_sleep(1)::text`).then(() => {
      isDone = true
    })
    await Bun.sleep(100)
    await Promise.all(Array.from({ length: 40 }, whichLine))
    expect(isDone).toBe(false)
    await long
  })

  test('that fail leave those before and after them alone', async () => {
    const answers = await Promise.allSettled([whichLine(), rows(db, 'select 1 / 0'), whichLine()])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

describe('members that are named together', () => {
  const place = createTestApp()
  const { deps } = place

  test('are found by an index, however many others there are', async () => {
    const as = await place.makeSystem('Lantern')
    const { json } = await place.ask('POST /v2/members', { as, body: { name: 'Wren' } })
    const others = Array.from({ length: 3000 }, (_, at) => ({
      ...{ uuid: `other-${at}`, hid: `o${at}`, system_id: as.id, name: 'Other', created: 0 },
      proxy_tags: '[]',
    }))
    const scans = await deps.transact('new', async (tx) => {
      await insertAll(tx, 'members', others)
      await rows(tx, 'analyze members')
      const before = await countScans(tx)
      const refs = [String(json.id), String(json.uuid)]
      expect(await memberRepository.getOwnAll(tx, as.id, refs)).toHaveLength(2)
      return (await countScans(tx)) - before
    })
    expect(scans).toBe(0)
  })
})

/** How often this transaction went through all members. */
async function countScans(tx: Db): Promise<number> {
  const [row] = await rows<{ scans: number }>(
    tx,
    "select seq_scan::float8 as scans from pg_stat_xact_user_tables where relname = 'members'",
  )
  return row?.scans ?? Number.NaN
}
