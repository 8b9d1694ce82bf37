import { openStorage } from '../../src/db/open'
import { rows } from '../tools/rawSql'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { onServer } from './engine'

const HEARTBEAT_MS = 100
const SILENCE_LIMIT_MS = 3_000

test('keeps the connection to PostgreSQL when this process was blocked for longer than the silence limit, and gives it up when the server is silent', async () => {
  const address = newDatabaseAddress(emptyFolder())
  const clock = createTestClock()
  const storage = openStorage(address, { durability: 'normal', clock })
  await storage.ready
  await onServer(address, async (sql) => {
    await sql.unsafe('begin')
    // The heartbeat reads this table, so it is not answered.
    await sql.unsafe('lock table events in access exclusive mode')
    await clock.advance(HEARTBEAT_MS)
    await until(async () => (await sql.unsafe(WAITING)).length === 1)
    for (let turn = 0; turn < 3; turn++) {
      clock.skip(SILENCE_LIMIT_MS + HEARTBEAT_MS)
      await clock.advance(0)
    }
    expect(await rows(storage.db, 'select 1 as one')).toEqual([{ one: 1 }])

    const read = rows(storage.db, 'select 1 from events').then(
      () => 'answered',
      (cause: Error) => cause.message,
    )
    await until(async () => (await sql.unsafe(WAITING)).length === 2)
    await clock.advance(SILENCE_LIMIT_MS)
    expect(await read).toContain('the database does not answer')
    await sql.unsafe('rollback')
  })
  await storage.close()
})

/** Lists the statements that wait for the lock. */
const WAITING = `select 1 from pg_locks where relation = 'events'::regclass and not granted`
