import { eq, sql } from 'drizzle-orm'
import { query } from '../../src/db/query'
import { events } from '../../src/db/tables'
import { KEPT_PER_SYSTEM, KEPT_WAITING, pruneEvents } from '../../src/events/prune'
import { DAY } from '../../src/model/core/time'
import { recordEvent } from '../../src/store/events/recordEvent'
import { drizzleOn } from '../tools/drizzle'
import { execute } from '../tools/rawSql'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { readStream } from './readStream'
import { hook, type Receiver, receivers } from './receiver'

const clock = createTestClock()
const at = createTestApp({
  DISPATCH_ALLOW: '127.0.0.1',
  HOST: '127.0.0.1',
  PORT: '0',
  clock,
  // Failed deliveries are not retried before the test enables the webhook.
  events: { pauses: [DAY] },
})
const { ask, deps, makeSystem } = at
const receive = receivers()

describe('the outbox', () => {
  test('deletes events older than a week and events above the limit per system', async () => {
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

  test('deletes the events of a deleted system', async () => {
    const as = await makeSystem()
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    expect(await idsOf(as)).toHaveLength(1)
    await deps.transact('new', async (tx) => {
      await execute(tx, 'delete from systems where id = :id', { id: as.id })
    })
    expect(await idsOf(as)).toEqual([])
  })

  test('does not retry an event in a tight loop when it cannot be serialized', async () => {
    const [broken, fine] = [await makeSystem(), await makeSystem()]
    const [brokenReceiver, fineReceiver] = [receive(), receive()]
    await hook(at, broken, brokenReceiver.url)
    await hook(at, fine, fineReceiver.url)
    await deps.transact('new', async (tx) => {
      const change = { system_id: broken.id, type: 'CREATE_MESSAGE', subject: null } as const
      await recordEvent(tx, deps.now(), { ...change, data: { timestamp: 'never' } })
    })
    await until(() => at.logged().includes('webhook worker failed'))
    await ask('PATCH /v2/systems/@me', { as: fine, body: { name: 'one' } })
    await until(() => fineReceiver.events.length === 1)
    await clock.advance(60_000)
    expect(at.logged().split('webhook worker failed').length - 1).toBeLessThan(3)
    expect(brokenReceiver.events).toEqual([])
  })
})

describe('pending events of a webhook', () => {
  test('keeps pending events of a webhook above the usual limit', async () => {
    const { as } = await failing()
    await write(as, KEPT_PER_SYSTEM + 5, deps.now())
    await prune()
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM + 6)
    await setCursor(as, (await idsOf(as))[3] ?? 0)
    await prune()
    expect(await idsOf(as)).toHaveLength(KEPT_PER_SYSTEM + 2)
    expect(await droppedOf(as)).toBe(0)
  })

  test('drops pending events after a week or above their limit, and reports the number', async () => {
    const { as, receiver } = await failing()
    await write(as, 3, deps.now() - 8 * DAY)
    await write(as, KEPT_WAITING + 4, deps.now())
    await prune()
    // The event that failed was the first of all.
    expect(await droppedOf(as)).toBe(3 + 1 + 4)
    expect(await idsOf(as)).toHaveLength(KEPT_WAITING)

    const before = receiver.events.length
    receiver.event = () => (receiver.events.length < before + 3 ? 200 : 410)
    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(async () => (await stateOf(as)).state === 'disabled')
    const counts = receiver.events
      .slice(before)
      .map(({ headers }) => headers.get('x-events-dropped'))
    expect(counts).toEqual(['8', null, null])
    expect(await droppedOf(as)).toBe(0)
  })

  test('repeats the dropped count until delivery, and keeps drops that happen meanwhile', async () => {
    const { as, receiver } = await failing()
    await write(as, 2, deps.now() - 8 * DAY)
    await write(as, 2, deps.now())
    await prune()
    const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const before = receiver.events.length
    receiver.event = () => answers[receiver.events.length - before - 1]?.promise ?? 410
    const reported = () =>
      receiver.events.slice(before).map(({ headers }) => headers.get('x-events-dropped'))

    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => reported().length === 1)
    answers[0]?.resolve(500)
    await until(async () => (await stateOf(as)).failing_since !== null)
    expect(await droppedOf(as)).toBe(2)

    await ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => reported().length === 2)
    await deps.transact('new', async (tx) => {
      const more = 'update webhooks set dropped = dropped + 5 where system_id = :id'
      await execute(tx, more, { id: as.id })
    })
    answers[1]?.resolve(200)
    await until(() => reported().length === 3)
    expect(reported()).toEqual(['2', '2', '5'])
  })

  test('keeps no pending events for an unverified webhook', async () => {
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
  test('allows other transactions while pruning', async () => {
    const as = await makeSystem()
    await write(as, KEPT_PER_SYSTEM + 10_000, deps.now())
    let isPruning = true
    const pruning = prune().finally(() => {
      isPruning = false
    })
    let written = 0
    while (isPruning) {
      await deps.transact('new', (tx) => execute(tx, 'select 1'))
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

  test('sends a gap first when events after the position of a stream were pruned', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    await write(as, 1, deps.now() - 9 * DAY)
    const [position = 0] = await idsOf(as)
    await write(as, 2, deps.now() - 8 * DAY)
    await write(other, 2, deps.now())
    await write(as, 2, deps.now())
    await prune()
    const kept = await idsOf(as)
    const before = kept[0] ?? 0

    const reading = await resume(as, position)
    await until(() => reading.messages.length === 3)
    expect(reading.messages).toMatchObject([
      { event: 'gap', data: { after: position, before } },
      { event: 'DELETE_ALL_SWITCHES', id: String(before) },
      { event: 'DELETE_ALL_SWITCHES' },
    ])
    await reading.leave()
    // A client that resumes with the ID of the gap or later gets no second gap.
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

  test('sends one gap and then new events when all events of a stream were pruned', async () => {
    const as = await makeSystem()
    await write(as, 3, deps.now() - 8 * DAY)
    const lastPruned = (await idsOf(as)).at(-1) ?? 0
    await prune()
    const reading = await resume(as, 0)
    await until(() => reading.messages.length === 1)
    await ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    await until(() => reading.messages.length === 2)
    expect(reading.messages).toMatchObject([
      { event: 'gap', id: String(lastPruned), data: { after: 0, before: lastPruned + 1 } },
      { event: 'UPDATE_SYSTEM' },
    ])
    await reading.leave()
    const next = await resume(as, lastPruned)
    await until(() => next.messages.length === 1)
    expect(next.messages).toMatchObject([{ event: 'UPDATE_SYSTEM' }])
    await next.leave()
  })
})

describe('a stream that resumes before IDs that were skipped', () => {
  const url = `${at.app.listen()}/v2/systems/@me/events`
  const SKIPPED = 1_000_000

  test('sends stored events, then one gap for skipped IDs, then the events after it', async () => {
    const as = await makeSystem()
    await write(as, 25, deps.now())
    const stored = await idsOf(as)
    const pruned = (stored.at(-1) ?? 0) + SKIPPED
    await deps.transact('new', async (tx) => {
      const note = 'insert into pruned_events (system_id, last_event_id) values (:id, :pruned)'
      await execute(tx, note, { id: as.id, pruned })
      for (const advance of tx.driver.dialect.advanceSequence(events, sql`${pruned}`))
        await query(() => advance)(tx).run({})
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

/** Creates a system with an active webhook whose receiver has failed once; it is not retried. */
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
    await execute(tx, move, { cursor, id })
  })
}

function prune(): Promise<void> {
  return pruneEvents(at.app.events.deps)
}

/** Inserts many events with the same time in one statement. */
async function write({ id }: TestSystem, many: number, moment: number): Promise<void> {
  await deps.transact('new', async (tx) => {
    await execute(
      tx,
      `with recursive n(x) as (select 1 union all select x + 1 from n where x < ${many})
       insert into events (system_id, type, at)
       select ${id}, 'DELETE_ALL_SWITCHES', ${moment} from n`,
    )
  })
}

async function idsOf({ id }: TestSystem): Promise<number[]> {
  const rows = await drizzleOn(deps.db)
    .select()
    .from(events)
    .where(eq(events.system_id, id))
    .orderBy(events.id)
    .all()
  return rows.map((row) => row.id)
}
