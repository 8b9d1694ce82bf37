import { readStream } from '../events/readStream'
import { rows } from '../tools/rawSql'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestApp, type TestSystem } from '../tools/testApp'
import { until } from '../tools/until'
import { onServer } from './engine'

/** Options of a stream, given the ID of the system's newest event. */
const openings: [what: string, since: (newest: number) => { since?: number }][] = [
  ['resumes after the newest event', (newest) => ({ since: newest })],
  ['has no Last-Event-ID', () => ({})],
]

describe.each(openings)('stream that %s', (what, opening) => {
  const testApp = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
  const url = `${testApp.app.listen()}/v2/systems/@me/events`
  const rename = (as: TestSystem, name: string) =>
    testApp.ask('PATCH /v2/systems/@me', { as, body: { name } })

  test(`sends no older event on a stream that ${what} when the hub reads events while it opens`, async () => {
    const [as, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    for (let n = 0; n < 5; n++) await rename(as, `before ${n}`)
    const newest = await newestOf(testApp, as)
    await untilHubIsIdle(testApp)
    const opened = await onServer(testApp.config.DATABASE_URL, async (sql) => {
      await sql.unsafe('begin')
      // Queries for the newest event of one system wait for the lock; the hub reads `events` only.
      await sql.unsafe('lock table pruned_events in access exclusive mode')
      const reading = readStream(url, { token: as.token, ...opening(newest) })
      await until(async () => (await countWaiting(sql)) > 0)
      // Reads that begin at the same time share the connection of the waiting one; later ones do not.
      let isAnswered = false
      await until(() => {
        void rows(testApp.app.storage.db, 'select 1').then(() => {
          isAnswered = true
        })
        return isAnswered
      })
      const delivered = Promise.withResolvers<void>()
      const stop = testApp.app.events.hub.listen(other.id, () => delivered.resolve())
      await recordOnOtherNode(testApp, other)
      await delivered.promise
      stop()
      await sql.unsafe('commit')
      return { reading }
    })
    const reading = await opened.reading
    await rename(as, 'after')
    const names = () =>
      reading.messages.map(({ data }) => (data as { data: { name: string } }).data.name)
    await until(() => names().includes('after'))
    expect(names()).toEqual(['after'])
    await reading.leave()
  })
})

/** Waits until the hub has nothing to read, because it would wait for the lock, too. */
async function untilHubIsIdle({ app }: TestApp): Promise<void> {
  let idleTicks = 0
  app.storage.changes.onTick((isNew) => {
    idleTicks = isNew ? 0 : idleTicks + 1
  })
  await until(() => idleTicks >= 2)
}

/** Records an event like another node. */
async function recordOnOtherNode({ config }: TestApp, { id }: TestSystem): Promise<void> {
  await onServer(config.DATABASE_URL, (sql) =>
    sql.unsafe(
      `insert into events (system_id, type, at) values ($1, 'DELETE_ALL_SWITCHES', 1.6e15)`,
      [id],
    ),
  )
}

async function newestOf({ config }: TestApp, { id }: TestSystem): Promise<number> {
  const [row] = await onServer(config.DATABASE_URL, (sql) =>
    sql.unsafe('select max(id) as newest from events where system_id = $1', [id]),
  )
  return row.newest
}

/** Counts the statements that wait for the lock. */
async function countWaiting(sql: Bun.SQL): Promise<number> {
  const rows = await sql.unsafe(
    `select 1 from pg_locks where relation = 'pruned_events'::regclass and not granted`,
  )
  return rows.length
}
