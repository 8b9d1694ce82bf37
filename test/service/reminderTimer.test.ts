import { createLeases } from '../../src/db/lease'
import { openStorage } from '../../src/db/open'
import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../src/model/core/time'
import { systemClock } from '../../src/runtime/timers/clock'
import { fireDueReminders } from '../../src/service/reminders/reminderTimer'
import { execute, insertAll, rows } from '../tools/rawSql'
import { dueTimes, type OracleRule } from '../tools/reminderOracle'
import {
  at,
  createFixture,
  eventsSince,
  type Fixture,
  type Json,
  stateOf,
} from '../tools/scenarios'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { createTestApp, newDatabaseAddress, type TestApp } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'

const REMINDERS = '/ext/v1/systems/@me/reminders'

let now: Instant = at('2026-03-22T08:30:00Z')
const testApp = createTestApp({ RATE_LIMIT: 'off', now: () => now })

const daily = {
  name: 'Log your front',
  text: 'Who is here?',
  kind: 'repeat',
  every_days: 1,
  at: '09:00',
  from: '2026-03-22',
}

interface ReminderJson extends Json {
  id: string
  due: string | null
  last_fired: string | null
}

async function withReminder(body: Json, start: string, app = testApp): Promise<Fixture> {
  now = at(start)
  // Reminders of earlier tests would be found, too.
  await app.deps.transact('new', (tx) => execute(tx, 'delete from reminders', {}))
  const fixture = await createFixture(app)
  await fixture.do(`POST ${REMINDERS}`, body)
  return fixture
}

async function only(fixture: Fixture): Promise<ReminderJson> {
  const [found] = await fixture.get<ReminderJson[]>(`GET ${REMINDERS}`)
  if (!found) throw new Error('there is no reminder')
  return found
}

/** Moves the clock and fires what is due. Returns the events. */
async function fireAt(time: Instant, app: TestApp = testApp) {
  const { lastEvent } = await stateOf(app)
  now = time
  await fireDueReminders(app.deps)
  return (await eventsSince({ testApp: app }, lastEvent)).filter(([type]) => type === 'REMINDER')
}

describe('the reminder timer', () => {
  test('fires once when a reminder is due, with name and text', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    const { id } = await only(fixture)
    expect(await fireAt(at('2026-03-22T08:59:59.999999Z'))).toEqual([])
    expect(await fireAt(at('2026-03-22T09:00:00Z'))).toEqual([
      ['REMINDER', id, { name: 'Log your front', text: 'Who is here?' }],
    ])
    expect(await only(fixture)).toMatchObject({
      due: '2026-03-23T09:00:00Z',
      last_fired: '2026-03-22T09:00:00Z',
    })
    expect(await fireAt(at('2026-03-22T09:00:05Z'))).toEqual([])
  })

  test('records the time that was due, not the time of the clock', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    await fireAt(at('2026-03-22T11:00:00Z'))
    expect((await only(fixture)).last_fired).toBe('2026-03-22T09:00:00Z')
  })

  test.each<[string, string, number, string | null, string]>([
    [
      'fires what is less than six hours late',
      '2026-03-22T14:59:59Z',
      1,
      '2026-03-22T09:00:00Z',
      '2026-03-23T09:00:00Z',
    ],
    ['skips what is six hours late', '2026-03-22T15:00:00Z', 0, null, '2026-03-23T09:00:00Z'],
    [
      'fires the last of several days once',
      '2026-03-27T10:00:00Z',
      1,
      '2026-03-27T09:00:00Z',
      '2026-03-28T09:00:00Z',
    ],
    ['skips all of several days', '2026-03-27T08:00:00Z', 0, null, '2026-03-27T09:00:00Z'],
  ])('%s', async (_, time, count, last_fired, due) => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    expect(await fireAt(at(time))).toHaveLength(count)
    expect(await only(fixture)).toMatchObject({ due, last_fired })
  })

  test('fires nothing twice after the clock was set back', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    expect(await fireAt(at('2026-03-22T09:00:01Z'))).toHaveLength(1)
    expect(await fireAt(at('2026-03-22T08:50:01Z'))).toEqual([])
    await fixture.do(`PATCH /ext/v1/reminders/${(await only(fixture)).id}`, { enabled: false })
    await fixture.do(`PATCH /ext/v1/reminders/${(await only(fixture)).id}`, { enabled: true })
    expect(await fireAt(at('2026-03-22T09:00:01Z'))).toEqual([])
    expect((await only(fixture)).due).toBe('2026-03-23T09:00:00Z')
  })

  test('fires a reminder after a switch once', async () => {
    const body = { name: 'Front check', kind: 'after_switch', after: 60, on: 'any' }
    const fixture = await withReminder(body, '2026-03-22T08:30:00Z')
    await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
    expect(await fireAt(at('2026-03-22T08:30:59Z'))).toEqual([])
    expect(await fireAt(at('2026-03-22T08:31:00Z'))).toHaveLength(1)
    expect(await only(fixture)).toMatchObject({ due: null, last_fired: '2026-03-22T08:31:00Z' })
  })

  test('skips a reminder after a switch that is six hours late', async () => {
    const body = { name: 'Front check', kind: 'after_switch', after: 60, on: 'any' }
    const fixture = await withReminder(body, '2026-03-22T08:30:00Z')
    await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
    expect(await fireAt(at('2026-03-22T14:31:00Z'))).toEqual([])
    expect(await only(fixture)).toMatchObject({ due: null, last_fired: null })
  })

  test('a switch fires a reminder that is overdue before it sets the next time', async () => {
    const body = { name: 'Front check', kind: 'after_switch', after: 60, on: 'any' }
    const fixture = await withReminder(body, '2026-03-22T08:30:00Z')
    await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
    const { lastEvent } = await stateOf(testApp)
    now = at('2026-03-22T08:31:02Z')
    await fixture.do('POST /v2/systems/@me/switches', { members: ['<heron>'] })
    const recorded = await eventsSince({ testApp }, lastEvent)
    expect(recorded.map(([type]) => type).sort()).toEqual(['CREATE_SWITCH', 'REMINDER'])
    expect(await only(fixture)).toMatchObject({
      due: '2026-03-22T08:32:02Z',
      last_fired: '2026-03-22T08:31:00Z',
    })
  })

  test('a reminder that became a repeating one is not cleared with its former switch', async () => {
    const body = { name: 'Front check', kind: 'after_switch', after: 3600, on: 'any' }
    const fixture = await withReminder(body, '2026-03-22T08:30:00Z')
    const { id } = await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
    const { name, text, ...rule } = daily
    await fixture.do(`PATCH /ext/v1/reminders/${(await only(fixture)).id}`, rule)
    await fixture.do(`DELETE /v2/systems/@me/switches/${id}`)
    expect((await only(fixture)).due).toBe('2026-03-22T09:00:00Z')
    expect(await fireAt(at('2026-03-22T09:00:00Z'))).toHaveLength(1)
  })

  test('does not fire reminders of a disabled system', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    const set = (disabled: Instant | null) =>
      testApp.deps.transact({ system: fixture.owner.id }, (tx) =>
        execute(tx, 'update systems set disabled_at = :at where id = :id', {
          at: disabled,
          id: fixture.owner.id,
        }),
      )
    await set(now)
    expect(await fireAt(at('2026-03-22T09:00:00Z'))).toEqual([])
    await set(null)
    expect(await fireAt(at('2026-03-22T09:10:00Z'))).toHaveLength(1)
  })

  test('fires in several runs at once only once', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    const { lastEvent } = await stateOf(testApp)
    now = at('2026-03-22T09:00:00Z')
    await Promise.all(Array.from({ length: 8 }, () => fireDueReminders(testApp.deps)))
    const recorded = await eventsSince({ testApp }, lastEvent)
    expect(recorded.map(([type]) => type)).toEqual(['REMINDER'])
    expect(await only(fixture)).toMatchObject({ due: '2026-03-23T09:00:00Z' })
  })

  test('fires more reminders than fit in a page, in the order of their times', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    const due = now
    const all = Array.from({ length: 450 }, (_, index) => ({
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      name: `Reminder ${index}`,
      kind: 'after_switch',
      after: 60,
      on: 'any',
      created: index,
      due: due - (index % 3) * SECOND,
    }))
    await testApp.deps.transact('new', (tx) => insertAll(tx, 'reminders', all))
    const fired = await fireAt(now)
    expect(fired).toHaveLength(450)
    const names = fired.map(([, , data]) => (data as { name: string }).name)
    expect(names.slice(0, 2)).toEqual(['Reminder 2', 'Reminder 5'])
    expect(new Set(names).size).toBe(450)
  })

  test('fires the others if one fails', async () => {
    const fixture = await withReminder(daily, '2026-03-22T08:30:00Z')
    const broken = {
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      name: 'Broken',
      kind: 'repeat',
      every_days: 1,
      at: '09:00',
      from: '2026-03-22',
      created: 1,
      due: 1,
    }
    await testApp.deps.transact('new', (tx) => insertAll(tx, 'reminders', [broken]))
    await fixture.do('PATCH /v2/systems/@me/settings', { timezone: 'Europe/Oslo' })
    await testApp.deps.transact('new', (tx) =>
      execute(tx, "update settings set timezone = 'Nowhere' where system_id = :id", {
        id: fixture.owner.id,
      }),
    )
    await fixture.do(`POST ${REMINDERS}`, { ...daily }, 'other')
    const { lastEvent } = await stateOf(testApp)
    now = at('2026-03-22T09:00:00Z')
    const warnings: string[] = []
    const fired: string[] = []
    await fireDueReminders(testApp.deps, {
      warn: (message) => warnings.push(message),
      onFired: (kind) => fired.push(kind),
    })
    const recorded = (await eventsSince({ testApp }, lastEvent)).filter(
      ([type]) => type === 'REMINDER',
    )
    expect({ recorded: recorded.length, fired }).toEqual({ recorded: 1, fired: ['repeat'] })
    expect(new Set(warnings)).toEqual(new Set(['reminder failed']))
  })
})

/** Zones, the one that the system moves to after 100 days, and the beginning of the 200 days. */
const zones: [zone: string, second: string, since: string][] = [
  ['Europe/Oslo', 'Asia/Kathmandu', '2026-01-01T00:00:00Z'],
  ['America/Costa_Rica', 'Europe/Oslo', '2026-07-15T00:00:00Z'],
  ['Australia/Lord_Howe', 'America/Costa_Rica', '2026-01-01T00:00:00Z'],
  ['Asia/Kathmandu', 'Australia/Lord_Howe', '2026-06-15T00:00:00Z'],
  ['Pacific/Apia', 'Europe/Oslo', '2011-11-01T00:00:00Z'],
]

describe('over 200 days', () => {
  test.each(zones)('a reminder in %s, then in %s, is due as in the oracle', async (...given) => {
    const [zone, second, start] = given
    const rule: OracleRule = { every_days: 1, at: '02:30', from: start.slice(0, 10) }
    const since = at(start)
    const moved = since + 100 * DAY + 12 * HOUR + 7 * SECOND
    const until = since + 200 * DAY
    const expected = [
      ...dueTimes(zone, rule, since, moved - 7 * SECOND),
      ...dueTimes(second, rule, moved - 7 * SECOND + MINUTE, until),
    ]
    now = since - HOUR
    await testApp.deps.transact('new', (tx) => execute(tx, 'delete from reminders', {}))
    const fixture = await createFixture(testApp)
    await fixture.do('PATCH /v2/systems/@me/settings', { timezone: zone })
    await fixture.do(`POST ${REMINDERS}`, { name: 'Early', kind: 'repeat', ...rule })
    let hasMoved = false
    for (const [index, time] of expected.entries()) {
      if (!hasMoved && time > moved) {
        now = moved
        await fixture.do('PATCH /v2/systems/@me/settings', { timezone: second })
        hasMoved = true
      }
      expect(await dueAndLast(fixture)).toEqual([time, expected[index - 1] ?? null])
      now = time - MINUTE
      await fireDueReminders(testApp.deps)
      now = time + 4 * SECOND
      await fireDueReminders(testApp.deps)
      if (index % 50 !== 10) continue
      now = time - 10 * MINUTE
      await fireDueReminders(testApp.deps)
      now = time + 5 * SECOND
      await fireDueReminders(testApp.deps)
    }
    const fired = await rows<{ size: number }>(
      testApp.deps.db,
      "select count(*) as size from events where type = 'REMINDER' and system_id = :id",
      { id: fixture.owner.id },
    )
    expect(Number(fired[0]?.size)).toBe(expected.length)
    expect(expected.length).toBeGreaterThan(198)
  })
})

/** Reads when the only reminder is due, and when it was due last. */
async function dueAndLast({ owner }: Fixture): Promise<(Instant | null)[]> {
  const [row] = await rows<{ due: Instant | null; last_fired: Instant | null }>(
    testApp.deps.db,
    'select due, last_fired from reminders where system_id = :id',
    { id: owner.id },
  )
  return [row?.due ?? null, row?.last_fired ?? null]
}

test('the timer of the app fires reminders while it holds the lease', async () => {
  const clock = createTestClock()
  const app = createTestApp({ RATE_LIMIT: 'off', now: () => now, clock })
  const fixture = await withReminder(daily, '2026-03-22T08:30:00Z', app)
  await until(() => app.app.events.leases.holds('reminders'))
  now = at('2026-03-22T09:00:00Z')
  expect((await only(fixture)).last_fired).toBeNull()
  // The timer looks every five seconds.
  await clock.advance(5_000)
  await until(async () => (await only(fixture)).last_fired !== null)
  expect((await only(fixture)).last_fired).toBe(formatInstant(now))
})

test('a new holder of the lease fires at once what became due under the former one', async () => {
  const clock = createTestClock()
  const address = newDatabaseAddress(emptyFolder())
  const storage = openStorage(address)
  await storage.ready
  const former = createLeases({ ...storage, clock: systemClock, warn: () => {} })
  await former.start()
  const app = createTestApp({ DATABASE_URL: address, RATE_LIMIT: 'off', now: () => now, clock })
  const fixture = await withReminder(daily, '2026-03-22T08:30:00Z', app)
  await app.app.started
  now = at('2026-03-22T09:00:00Z')
  await former.stop()
  await storage.close()
  // The app asks for the lease every second, and looks for reminders every five seconds.
  await clock.advance(1_000)
  await until(async () => (await only(fixture)).last_fired !== null)
  expect((await only(fixture)).last_fired).toBe(formatInstant(now))
})
