import { describe, expect, test } from 'bun:test'
import { readStream } from '../events/readStream'
import { until } from '../events/receiver'
import { createTestApp, type TestApp, type TestSystem } from '../testApp'
import { onServer } from './engine'

/** How a stream is opened, by the ID of the system's newest event. */
const openings: [says: string, since: (newest: number) => { since?: number }][] = [
  ['resumes after the newest event', (newest) => ({ since: newest })],
  ['has no Last-Event-ID', () => ({})],
]

describe.each(openings)('a stream that %s', (_, opening) => {
  const at = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
  const url = `${at.app.listen()}/v2/systems/@me/events`
  const rename = (as: TestSystem, name: string) =>
    at.ask('PATCH /v2/systems/@me', { as, body: { name } })

  test('sends no older event when the hub reads those after it was opened', async () => {
    const [as, other] = [await at.makeSystem(), await at.makeSystem()]
    for (let n = 0; n < 5; n++) await rename(as, `before ${n}`)
    const newest = await newestOf(at, as)
    await hubIsIdle(at)
    const opened = await onServer(at.config.DATABASE_URL, async (sql) => {
      await sql.unsafe('begin')
      // Whatever asks for the newest event of one system waits; the hub reads the events alone.
      await sql.unsafe('lock table pruned_events in access exclusive mode')
      const reading = readStream(url, { token: as.token, ...opening(newest) })
      await until(async () => (await waitingFor(sql)) > 0)
      // Reads that follow within 10 ms share the connection of the one that waits.
      await Bun.sleep(50)
      const passed = Promise.withResolvers<void>()
      const stop = at.app.events.hub.listen(other.id, () => passed.resolve())
      await recordElsewhere(at, other)
      await passed.promise
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
  }, 60_000)
})

/** Waits until the hub has no reason to read: it would wait for the lock, too. */
async function hubIsIdle({ app }: TestApp): Promise<void> {
  let quiet = 0
  app.storage.changes.onTick((isNew) => {
    quiet = isNew ? 0 : quiet + 1
  })
  await until(() => quiet >= 2)
}

/** Records an event as another node does. */
async function recordElsewhere({ config }: TestApp, { id }: TestSystem): Promise<void> {
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

/** How many statements wait for the lock. */
async function waitingFor(sql: Bun.SQL): Promise<number> {
  const rows = await sql.unsafe(
    `select 1 from pg_locks where relation = 'pruned_events'::regclass and not granted`,
  )
  return rows.length
}
