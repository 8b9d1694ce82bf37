import { openStorage } from '../../src/db/open'
import type { Db } from '../../src/db/types'
import { getOwnEntities } from '../../src/store/core/entityRows'
import { memberRowKind } from '../../src/store/members/memberRows'
import { insertAll, rows } from '../tools/rawSql'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp, newDatabaseAddress } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { onServer } from './engine'

/** Longer than a read may take before its connection is avoided. */
const LONG_MS = 100

describe('read pool', () => {
  const address = newDatabaseAddress(emptyFolder())
  const clock = createTestClock()
  const { db, ready, close } = openStorage(address, { clock })
  afterAll(close)

  const connectionOf = async () => (await rows<{ line: number }>(db, CONNECTION_SQL))[0]?.line
  const CONNECTION_SQL = 'select pg_backend_pid() as line'

  test('avoids a connection with a slow read', async () => {
    await ready
    // The pool must know that it is quick.
    await connectionOf()
    await onServer(address, async (sql) => {
      await sql.unsafe('select pg_advisory_lock(1)')
      let isDone = false
      const slow = rows(db, 'select pg_advisory_lock_shared(1)::text').then(() => {
        isDone = true
      })
      clock.skip(LONG_MS)
      await Promise.all(Array.from({ length: 40 }, connectionOf))
      expect(isDone).toBe(false)
      await sql.unsafe('select pg_advisory_unlock(1)')
      await slow
    })
  })

  test('does not affect other reads on a connection when one fails', async () => {
    const results = await Promise.allSettled([
      connectionOf(),
      rows(db, 'select 1 / 0'),
      connectionOf(),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

describe('lookup of several members', () => {
  const testApp = createTestApp()
  const { deps } = testApp

  test('finds several members by an index in a large table', async () => {
    const as = await testApp.makeSystem('Lantern')
    const { json } = await testApp.ask('POST /v2/members', { as, body: { name: 'Wren' } })
    const others = Array.from({ length: 3000 }, (_, at) => ({
      ...{ uuid: `other-${at}`, hid: `o${at}`, system_id: as.id, name: 'Other', created: 0 },
      proxy_tags: '[]',
    }))
    const scans = await deps.transact('new', async (tx) => {
      await insertAll(tx, 'members', others)
      await rows(tx, 'analyze members')
      const before = await countScans(tx)
      const refs = [String(json.id), String(json.uuid)]
      expect(await getOwnEntities(tx, memberRowKind, as.id, refs)).toHaveLength(2)
      return (await countScans(tx)) - before
    })
    expect(scans).toBe(0)
  })
})

/** Counts the sequential scans of `members` in this transaction. */
async function countScans(tx: Db): Promise<number> {
  const [row] = await rows<{ scans: number }>(
    tx,
    "select seq_scan::float8 as scans from pg_stat_xact_user_tables where relname = 'members'",
  )
  return row?.scans ?? Number.NaN
}
