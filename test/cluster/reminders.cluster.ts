import { makeEngine, onServer } from '../postgres/engine'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { must, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(engine.addressOf('multitude'))

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  await database.close({ timeout: 1 })
  await engine.stop('immediate')
  engine.remove()
})

const SYSTEMS = 4
const REMINDERS = 50

const database = new Bun.SQL({ url: engine.addressOf('multitude'), max: 2 })

/** Reads the only row of a query. */
async function readRow<Row>(text: string): Promise<Row | undefined> {
  const rows: Row[] = await database.unsafe(text)
  return rows[0]
}

/** Finds the node that holds the lease of the reminders. Its name contains its process ID. */
async function findHolder() {
  const lease = await readRow<{ holder: string }>(
    "select holder from leases where name = 'reminders'",
  )
  return nodes.alive.find(({ pid }) => lease?.holder.split(':')[1] === String(pid))
}

/** Counts the recorded reminders, and the different ones among them. */
function countRecorded() {
  return readRow<{ recorded: number; different: number }>(
    `select count(*)::int as recorded, count(distinct subject)::int as different
     from events where type = 'REMINDER'`,
  )
}

test('three nodes record 200 reminders once each, also when the holder of the lease is killed', async () => {
  const [first] = await Promise.all([nodes.start(), nodes.start(), nodes.start()])
  const all = SYSTEMS * REMINDERS
  // The regular time must not come during the test.
  const at = `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`
  for (let system = 0; system < SYSTEMS; system++) {
    const { token } = await nodes.makeSystem(`Reminded ${system}`)
    for (let number = 0; number < REMINDERS; number++)
      await must(first, 'POST /ext/v1/systems/@me/reminders', token, {
        name: `Reminder ${number}`,
        kind: 'repeat',
        every_days: 1,
        at,
        from: '2026-01-01',
      })
  }
  await until(async () => (await findHolder()) !== undefined)
  await database.begin(async (tx) => {
    // The holder waits at the third system, so that it is killed in the middle.
    await tx.unsafe(`select id from systems
      where id = (select id from systems order by id limit 1 offset 2) for update`)
    // All are due in the same second, which has just passed.
    await database.unsafe('update reminders set due = floor(extract(epoch from now())) * 1000000')
    await until(countRecorded, (counts) => counts?.recorded === all / 2)
    const holder = await findHolder()
    if (holder) await nodes.kill(holder)
  })
  expect(nodes.alive).toHaveLength(2)
  await until(async () => Number((await countRecorded())?.recorded) >= all)
  // The transactions of the killed node have ended: another one holds the lease.
  await until(async () => (await findHolder()) !== undefined)
  expect(await countRecorded()).toEqual({ recorded: all, different: all })
  expect(
    await readRow<{ left_over: number }>(
      `select count(*)::int as left_over from reminders
       where due <= extract(epoch from now()) * 1000000 or last_fired is null`,
    ),
  ).toEqual({ left_over: 0 })
})
