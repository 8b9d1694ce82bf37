import { describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { events } from '../../src/db/tables'
import { KEPT_PER_SYSTEM, pruneEvents } from '../../src/events/outbox'
import { DAY } from '../../src/model/time'
import { tell } from '../../src/service/outbox'
import { home, type Someone } from '../kit'
import { hook, receivers, until } from './receiver'

const at = home({ DISPATCH_ALLOW: '127.0.0.1' })
const { ask, deps, makeSystem } = at
const receive = receivers()

describe('the outbox', () => {
  test('forgets what is older than a week, and what one system has too much', async () => {
    const [busy, quiet] = [await makeSystem(), await makeSystem()]
    const now = deps.now()
    await write(quiet, 3, now - 8 * DAY)
    await write(quiet, 2, now - 6 * DAY)
    await write(busy, KEPT_PER_SYSTEM + 5, now - DAY)
    await write(quiet, 1, now)
    const before = await idsOf(busy)
    await pruneEvents({ ...deps, warn: () => {} })
    expect(await idsOf(quiet)).toHaveLength(3)
    expect(await idsOf(busy)).toEqual(before.slice(5))
    await pruneEvents({ ...deps, warn: () => {} })
    expect(await idsOf(busy)).toHaveLength(KEPT_PER_SYSTEM)
  })

  test('goes with its system', async () => {
    const as = await makeSystem()
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    expect(await idsOf(as)).toHaveLength(1)
    await deps.transact(async (tx) => {
      await tx.run(sql`delete from systems where id = ${as.id}`)
    })
    expect(await idsOf(as)).toEqual([])
  })

  test('with an event that cannot be told keeps nobody busy', async () => {
    const [broken, fine] = [await makeSystem(), await makeSystem()]
    const [dark, bright] = [receive(), receive()]
    await hook(at, broken, dark.url)
    await hook(at, fine, bright.url)
    await deps.transact(async (tx) => {
      const happening = { system_id: broken.id, type: 'CREATE_MESSAGE', subject: null } as const
      await tell(tx, deps.now(), { ...happening, data: { timestamp: 'never' } })
    })
    await until(() => at.logged().includes('could not be served'))
    await ask('PATCH /v2/systems/@me', { as: fine, body: { name: 'one' } })
    await until(() => bright.events.length === 1)
    await Bun.sleep(50)
    expect(at.logged().split('could not be served').length - 1).toBeLessThan(3)
    expect(dark.events).toEqual([])
  })
})

/** Writes many of one moment, without asking for each. */
async function write({ id }: Someone, many: number, moment: number): Promise<void> {
  await deps.transact(async (tx) => {
    await tx.run(sql`
      with recursive n(x) as (select 1 union all select x + 1 from n where x < ${many})
      insert into events (system_id, type, at) select ${id}, 'DELETE_ALL_SWITCHES', ${moment} from n`)
  })
}

async function idsOf({ id }: Someone): Promise<number[]> {
  const rows = await deps.db.select().from(events).where(eq(events.system_id, id)).all()
  return rows.map((row) => row.id)
}
