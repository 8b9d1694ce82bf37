import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { events } from '../../src/db/tables'
import { KEPT_PER_SYSTEM, KEPT_WAITING, pruneEvents } from '../../src/events/prune'
import { DAY } from '../../src/model/time'
import { recordEvent } from '../../src/service/outbox'
import { change } from '../rawSql'
import { createTestApp, type TestSystem } from '../testApp'
import { readStream } from './readStream'
import { hook, type Receiver, receivers, until } from './receiver'

const at = createTestApp({
  DISPATCH_ALLOW: '127.0.0.1',
  HOST: '127.0.0.1',
  PORT: '0',
  // What failed is not tried again before the test says so.
  events: { pauses: [DAY] },
})
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
    await pruneEvents(at.app.events.deps)
    expect(await idsOf(quiet)).toHaveLength(3)
    expect(await idsOf(busy)).toEqual(before.slice(5))
    await pruneEvents(at.app.events.deps)
    expect(await idsOf(busy)).toHaveLength(KEPT_PER_SYSTEM)
  })

  test('goes with its system', async () => {
    const as = await makeSystem()
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    expect(await idsOf(as)).toHaveLength(1)
    await deps.transact('new', async (tx) => {
      await change(tx, 'delete from systems where id = :id', { id: as.id })
    })
    expect(await idsOf(as)).toEqual([])
  })

  test('with an event that cannot be told keeps nobody busy', async () => {
    const [broken, fine] = [await makeSystem(), await makeSystem()]
    const [dark, bright] = [receive(), receive()]
    await hook(at, broken, dark.url)
    await hook(at, fine, bright.url)
    await deps.transact('new', async (tx) => {
      const change = { system_id: broken.id, type: 'CREATE_MESSAGE', subject: null } as const
      await recordEvent(tx, deps.now(), { ...change, data: { timestamp: 'never' } })
    })
    await until(() => at.logged().includes('could not be served'))
    await ask('PATCH /v2/systems/@me', { as: fine, body: { name: 'one' } })
    await until(() => bright.events.length === 1)
    await Bun.sleep(50)
    expect(at.logged().split('could not be served').length - 1).toBeLessThan(3)
    expect(dark.events).toEqual([])
  })
})

describe('what a webhook was not given yet', () => {
  test('stays, though it is more than else is kept', async () => {
    const { as } = await failing()
    await write(as, KEPT_PER_SYSTEM + 5, deps.now())
    await prune()
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM + 6)
    await setCursor(as, (await idsOf(as))[3] ?? 0)
    await prune()
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM + 2)
    expect(await droppedOf(as)).toBe(0)
  })

  test('goes after a week, and when it is far too much, which its receiver is told', async () => {
    const { as, receiver } = await failing()
    await write(as, 3, deps.now() - 8 * DAY)
    await write(as, KEPT_WAITING + 4, deps.now())
    await prune()
    // The one that failed was the first of them all.
    expect(await droppedOf(as)).toBe(3 + 1 + 4)
    expect(await idsOf(as)).toHaveLength(KEPT_WAITING)

    const before = receiver.events.length
    receiver.event = () => (receiver.events.length < before + 3 ? 200 : 410)
    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(async () => (await stateOf(as)).state === 'disabled')
    const told = receiver.events.slice(before).map(({ headers }) => headers.get('x-events-dropped'))
    expect(told).toEqual(['8', null, null])
    expect(await droppedOf(as)).toBe(0)
  })

  test('is told again until it arrived, and what goes meanwhile is not forgotten', async () => {
    const { as, receiver } = await failing()
    await write(as, 2, deps.now() - 8 * DAY)
    await write(as, 2, deps.now())
    await prune()
    const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const before = receiver.events.length
    receiver.event = () => answers[receiver.events.length - before - 1]?.promise ?? 410
    const told = () =>
      receiver.events.slice(before).map(({ headers }) => headers.get('x-events-dropped'))

    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => told().length === 1)
    answers[0]?.resolve(500)
    await until(async () => (await stateOf(as)).failing_since !== null)
    expect(await droppedOf(as)).toBe(2)

    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => told().length === 2)
    await deps.transact('new', async (tx) => {
      const more = 'update webhooks set dropped = dropped + 5 where system_id = :id'
      await change(tx, more, { id: as.id })
    })
    answers[1]?.resolve(200)
    await until(() => told().length === 3)
    expect(told()).toEqual(['2', '2', '5'])
  })

  test('is nothing as long as the webhook is not verified', async () => {
    const as = await makeSystem()
    const body = { url: receive().url }
    await ask('PUT /v2/systems/@me/webhook', { as, body })
    await write(as, KEPT_PER_SYSTEM + 5, deps.now())
    await prune()
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM)
    expect(await droppedOf(as)).toBe(0)
  })
})

describe('pruning', () => {
  test('lets others write in between', async () => {
    const as = await makeSystem()
    await write(as, KEPT_PER_SYSTEM + 10_000, deps.now())
    let isPruning = true
    const pruning = prune().finally(() => {
      isPruning = false
    })
    let written = 0
    while (isPruning) {
      await deps.transact('new', (tx) => change(tx, 'select 1'))
      written++
    }
    await pruning
    expect(written).toBeGreaterThan(10)
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM)
  })
})

describe('a stream that resumes', () => {
  const url = `${at.app.listen()}/v2/systems/@me/events`
  const resume = ({ token }: TestSystem, since: number) => readStream(url, { token, since })

  test('behind what was pruned is told so first', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    await write(as, 1, deps.now() - 9 * DAY)
    const [heard = 0] = await idsOf(as)
    await write(as, 2, deps.now() - 8 * DAY)
    await write(other, 2, deps.now())
    await write(as, 2, deps.now())
    await prune()
    const kept = await idsOf(as)
    const before = kept[0] ?? 0

    const reading = await resume(as, heard)
    await until(() => reading.messages.length === 3)
    expect(reading.messages).toMatchObject([
      { event: 'gap', data: { after: heard, before } },
      { event: 'DELETE_ALL_SWITCHES', id: String(before) },
      { event: 'DELETE_ALL_SWITCHES' },
    ])
    await reading.leave()
    // Once it was told, and with the number it was told with, nothing is missing any more.
    for (const since of [Number(reading.messages[0]?.id), before]) {
      const next = await resume(as, since)
      await until(() => next.messages.length === kept.filter((id) => id > since).length)
      expect(next.messages.map(({ event }) => event)).not.toContain('gap')
      await next.leave()
    }
    const quiet = await resume(other, 0)
    await until(() => quiet.messages.length === 2)
    expect(quiet.messages.map(({ event }) => event)).not.toContain('gap')
    await quiet.leave()
  })

  test('where nothing is left at all hears of the gap once, and then what happens', async () => {
    const as = await makeSystem()
    await write(as, 3, deps.now() - 8 * DAY)
    const gone = (await idsOf(as)).at(-1) ?? 0
    await prune()
    const reading = await resume(as, 0)
    await until(() => reading.messages.length === 1)
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    await until(() => reading.messages.length === 2)
    expect(reading.messages).toMatchObject([
      { event: 'gap', id: String(gone), data: { after: 0, before: gone + 1 } },
      { event: 'UPDATE_SYSTEM' },
    ])
    await reading.leave()
    const next = await resume(as, gone)
    await until(() => next.messages.length === 1)
    expect(next.messages).toMatchObject([{ event: 'UPDATE_SYSTEM' }])
    await next.leave()
  })
})

describe('a stream that resumes before IDs that were skipped', () => {
  const url = `${at.app.listen()}/v2/systems/@me/events`
  const SKIPPED = 1_000_000

  test('sends the stored events, then one gap, then the events after it', async () => {
    const as = await makeSystem()
    await write(as, 25, deps.now())
    const stored = await idsOf(as)
    const pruned = (stored.at(-1) ?? 0) + SKIPPED
    await deps.transact('new', async (tx) => {
      const note = 'insert into pruned_events (system_id, newest) values (:id, :pruned)'
      await change(tx, note, { id: as.id, pruned })
      for (const sql of tx.driver.dialect.advanceSequence('events'))
        await change(tx, sql, { number: pruned })
    })
    const since = stored[2] ?? 0
    const early = await readStream(url, { token: as.token, since })
    await until(() => early.messages.length === 23)
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    const late = await readStream(url, { token: as.token, since })
    for (const { messages, leave } of [early, late]) {
      await until(() => messages.length === 24)
      expect(messages.map(({ event }) => event)).toEqual([
        ...Array(22).fill('DELETE_ALL_SWITCHES'),
        'gap',
        'UPDATE_SYSTEM',
      ])
      expect(messages[22]).toMatchObject({
        id: String(pruned),
        data: { after: stored.at(-1), before: pruned + 1 },
      })
      await leave()
    }
  })
})

/** A system with an active webhook whose receiver has failed once, and is not asked again. */
async function failing(): Promise<{ as: TestSystem; receiver: Receiver }> {
  const as = await makeSystem()
  const receiver = receive({ event: () => 500 })
  await hook(at, as, receiver.url)
  await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
  await until(async () => (await stateOf(as)).failing_since !== null)
  return { as, receiver }
}

interface State {
  state: string
  failing_since: string | null
  dropped: number
}

async function stateOf(as: TestSystem): Promise<State> {
  return (await ask<State>('GET /v2/systems/@me/webhook', { as })).json
}

async function droppedOf(as: TestSystem): Promise<number> {
  return (await stateOf(as)).dropped
}

async function setCursor({ id }: TestSystem, cursor: number): Promise<void> {
  await deps.transact('new', async (tx) => {
    const move = 'update webhooks set cursor = :cursor where system_id = :id'
    await change(tx, move, { cursor, id })
  })
}

function prune(): Promise<void> {
  return pruneEvents(at.app.events.deps)
}

/** Writes many of one moment, without asking for each. */
async function write({ id }: TestSystem, many: number, moment: number): Promise<void> {
  await deps.transact('new', async (tx) => {
    const { number } = tx.driver.dialect
    await change(
      tx,
      `with recursive n(x) as (select 1 union all select x + 1 from n where x < ${number(':many')})
       insert into events (system_id, type, at)
       select ${number(':id')}, 'DELETE_ALL_SWITCHES', ${number(':moment')} from n`,
      { many, id, moment },
    )
  })
}

async function idsOf({ id }: TestSystem): Promise<number[]> {
  const rows = await deps.db
    .select()
    .from(events)
    .where(eq(events.system_id, id))
    .orderBy(events.id)
    .all()
  return rows.map((row) => row.id)
}
