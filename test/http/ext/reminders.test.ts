import { formatInstant, type Instant, MINUTE, SECOND } from '../../../src/model/core/time'
import { deleteAllSwitches } from '../../../src/service/front/switches'
import { fireDueReminders } from '../../../src/service/reminders/reminderTimer'
import { anyUuid } from '../../tools/anyUuid'
import { ME } from '../../tools/me'
import { createBot } from '../../tools/operatorActions'
import { execute, rows } from '../../tools/rawSql'
import {
  at,
  createFixture,
  type Fixture,
  type Json,
  runScenarios,
  stateOf,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const START = at('2026-03-22T08:30:00Z')
let now: Instant = START
const testApp = createTestApp({ RATE_LIMIT: 'off', now: () => now })

const repeat = {
  name: 'Log your front',
  text: 'Who is here?',
  kind: 'repeat',
  every_days: 1,
  at: '09:00',
  from: '2026-03-22',
}
const afterSwitch = { name: 'Front check', kind: 'after_switch', after: 3_600, on: 'members' }

const create =
  (body: Json, timezone = 'Europe/Oslo') =>
  async (fixture: Fixture): Promise<void> => {
    now = START
    await fixture.do('PATCH /v2/systems/@me/settings', { timezone })
    const { id } = await fixture.do(`POST ${ME}/reminders`, body)
    fixture.remember('reminder', id)
  }

describe('reminders', () => {
  runScenarios(testApp, {
    'a repeating reminder is due in the time zone of the system': {
      given: create(repeat),
      ask: `POST ${ME}/reminders`,
      body: repeat,
      status: 201,
      json: {
        id: anyUuid,
        ...repeat,
        after: null,
        on: null,
        enabled: true,
        due: '2026-03-23T08:00:00Z',
        last_fired: null,
        created: '2026-03-22T08:30:00Z',
      },
      events: [['CREATE_REMINDER', anyUuid, { keys: Object.keys(repeat) }]],
    },
    'a reminder after a switch is not due before there is one': {
      ask: `POST ${ME}/reminders`,
      body: afterSwitch,
      status: 201,
      has: { ...afterSwitch, text: null, every_days: null, at: null, from: null, due: null },
      events: [['CREATE_REMINDER', anyUuid, { keys: Object.keys(afterSwitch) }]],
    },
    'a reminder that begins later is due on its first day': {
      given: create(repeat),
      ask: `POST ${ME}/reminders`,
      body: { ...repeat, every_days: 7, from: '2026-05-01' },
      status: 201,
      has: { due: '2026-05-01T07:00:00Z' },
      events: [['CREATE_REMINDER', anyUuid, { keys: Object.keys(repeat) }]],
    },
    'a reminder that is off is not due': {
      ask: `POST ${ME}/reminders`,
      body: { ...repeat, enabled: false },
      status: 201,
      has: { enabled: false, due: null },
      events: [['CREATE_REMINDER', anyUuid, { keys: [...Object.keys(repeat), 'enabled'] }]],
    },
    'the keys of a repeating reminder are required': {
      ask: `POST ${ME}/reminders`,
      body: { name: 'x', kind: 'repeat' },
      status: 400,
      code: 40001,
      problems: ['every_days', 'at', 'from'],
    },
    'the keys of a reminder after a switch are required': {
      ask: `POST ${ME}/reminders`,
      body: { name: 'x', kind: 'after_switch' },
      status: 400,
      code: 40001,
      problems: ['after', 'on'],
    },
    'a reminder has no keys of the other kind': {
      ask: `POST ${ME}/reminders`,
      body: { ...repeat, after: 60, on: 'any' },
      status: 400,
      code: 40001,
      problems: ['after', 'on'],
    },
    'name and kind are required': {
      ask: `POST ${ME}/reminders`,
      body: {},
      status: 400,
      code: 40001,
      problems: ['name', 'kind'],
    },
    'values out of range are named': {
      ask: `POST ${ME}/reminders`,
      body: {
        name: '',
        text: 'x'.repeat(501),
        kind: 'daily',
        every_days: 366,
        at: '24:00',
        from: '2026-02-30',
        after: 59,
        on: 'everyone',
      },
      status: 400,
      code: 40001,
      problems: ['name', 'text', 'kind', 'every_days', 'at', 'from', 'after', 'on'],
    },
    'a first day that cannot be computed with is refused': {
      ask: `POST ${ME}/reminders`,
      body: { ...repeat, from: '9999-12-31' },
      status: 400,
      code: 40001,
      problems: ['from'],
    },
    'due and last_fired cannot be set': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { due: '2030-01-01T00:00:00Z', last_fired: '2030-01-01T00:00:00Z' },
      status: 400,
    },
    'another time is due at that time': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { at: '09:45' },
      has: { at: '09:45', due: '2026-03-22T08:45:00Z' },
      events: [['UPDATE_REMINDER', '<reminder>', { keys: ['at', 'due'] }]],
    },
    'another name does not change when it is due': {
      given: async (fixture) => {
        await create(repeat)(fixture)
        now = at('2026-03-23T09:00:00Z')
      },
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { name: 'Front' },
      has: { name: 'Front', due: '2026-03-23T08:00:00Z' },
      events: [['UPDATE_REMINDER', '<reminder>', { keys: ['name'] }]],
    },
    'the same values change nothing': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: repeat,
      has: { due: '2026-03-23T08:00:00Z' },
      events: [],
    },
    'turning it off clears when it is due': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { enabled: false },
      has: { enabled: false, due: null },
      events: [['UPDATE_REMINDER', '<reminder>', { keys: ['enabled', 'due'] }]],
    },
    'turning it on computes when it is due': {
      given: async (fixture) => {
        await create({ ...repeat, enabled: false })(fixture)
        now = at('2026-03-25T00:00:00Z')
      },
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { enabled: true },
      has: { enabled: true, due: '2026-03-25T08:00:00Z' },
      events: [['UPDATE_REMINDER', '<reminder>', { keys: ['enabled', 'due'] }]],
    },
    'another kind removes the keys of the former one': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { kind: 'after_switch', after: 60, on: 'any' },
      has: { every_days: null, at: null, from: null, after: 60, on: 'any', due: null },
      events: [
        [
          'UPDATE_REMINDER',
          '<reminder>',
          { keys: ['kind', 'after', 'on', 'every_days', 'at', 'from', 'due'] },
        ],
      ],
    },
    'another kind needs its keys': {
      given: create(repeat),
      ask: 'PATCH /ext/v1/reminders/<reminder>',
      body: { kind: 'after_switch' },
      status: 400,
      code: 40001,
      problems: ['after', 'on'],
    },
    'a test records the reminder and leaves it due': {
      given: create(repeat),
      ask: 'POST /ext/v1/reminders/<reminder>/test',
      json: { targets: 0 },
      events: [
        ['REMINDER', '<reminder>', { name: 'Log your front', text: 'Who is here?', test: true }],
      ],
      after: async (fixture) => {
        expect(await fixture.get(`GET ${ME}/reminders`)).toMatchObject([
          { due: '2026-03-23T08:00:00Z', last_fired: null },
        ] as never)
      },
    },
    'a reminder that is off can be tested': {
      given: create({ ...afterSwitch, enabled: false }),
      ask: 'POST /ext/v1/reminders/<reminder>/test',
      json: { targets: 0 },
      events: [['REMINDER', '<reminder>', { name: 'Front check', text: null, test: true }]],
    },
    'a deleted reminder is gone': {
      given: create(repeat),
      ask: 'DELETE /ext/v1/reminders/<reminder>',
      status: 204,
      events: [['DELETE_REMINDER', '<reminder>', null]],
      after: async (fixture) => {
        expect(await fixture.get<Json[]>(`GET ${ME}/reminders`)).toEqual([])
        expect((await fixture.ask('DELETE /ext/v1/reminders/<reminder>')).json.code).toBe(29006)
      },
    },
    'the list is oldest first': {
      given: async (fixture) => {
        await create(repeat)(fixture)
        now += SECOND
        await fixture.do(`POST ${ME}/reminders`, afterSwitch)
      },
      ask: `GET ${ME}/reminders`,
      has: [{ name: 'Log your front' }, { name: 'Front check' }],
    },
    'a change of the time zone changes when it is due': {
      given: create(repeat),
      ask: 'PATCH /v2/systems/@me/settings',
      body: { timezone: 'America/Costa_Rica' },
      events: [['UPDATE_SETTINGS', null, { timezone: 'America/Costa_Rica' }]],
      after: async (fixture) => expect(await dueOf(fixture)).toBe('2026-03-22T15:00:00Z'),
    },
    'a change of the time zone leaves what is due already': {
      given: async (fixture) => {
        await create(repeat)(fixture)
        now = at('2026-03-23T08:00:01Z')
      },
      ask: 'PATCH /v2/systems/@me/settings',
      body: { timezone: 'Asia/Kathmandu' },
      events: [['UPDATE_SETTINGS', null, { timezone: 'Asia/Kathmandu' }]],
      after: async (fixture) => expect(await dueOf(fixture)).toBe('2026-03-23T08:00:00Z'),
    },
  })
})

/** Returns when the only reminder is due. */
async function dueOf(fixture: Fixture): Promise<unknown> {
  return (await fixture.get<Json[]>(`GET ${ME}/reminders`))[0]?.due ?? null
}

const inAnHour = (time: Instant) => formatInstant(time + 3_600 * SECOND)

/** Paths by which a switch to one member is logged now. */
const writers: Record<string, (fixture: Fixture) => Promise<unknown>> = {
  'version 2': (fixture) => fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] }),
  'version 1': (fixture) => fixture.do('POST /v1/s/switches', { members: ['<wren>'] }),
  PUT: (fixture) =>
    fixture.do(`PUT ${ME}/switches/${crypto.randomUUID()}`, { members: ['<wren>'] }),
  'a bot': async (fixture) => {
    const authorization = `Bot ${await createBot(testApp.deps, crypto.randomUUID())}`
    const headers = { authorization, 'x-system': fixture.owner.hid }
    const body = { members: [fixture.wren.hid] }
    const { status } = await testApp.ask('POST /v2/systems/@me/switches', { headers, body })
    expect(status).toBe(200)
  },
  'a proxied message that switches': (fixture) => proxy(fixture, 'new'),
}

/** Records a message of Wren, with a system that logs switches by messages. */
async function proxy(fixture: Fixture, proxy_switch: 'new' | 'add'): Promise<void> {
  await fixture.do('PATCH /v2/systems/@me/settings', { proxy_switch })
  const authorization = `Bot ${await createBot(testApp.deps, crypto.randomUUID())}`
  const id = `8${String(Math.floor(Math.random() * 1e16)).padStart(17, '0')}`
  const { status } = await testApp.ask('POST /bot/messages', {
    headers: { authorization },
    body: {
      id,
      original: `${id}1`,
      sender: fixture.account,
      channel: '222',
      guild: '333',
      member: fixture.wren.hid,
    },
  })
  expect(status).toBe(201)
}

async function withReminder(body: Json = afterSwitch): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  await create(body)(fixture)
  return fixture
}

/** Logs a switch and returns its UUID. */
async function log(fixture: Fixture, members: string[], timestamp?: Instant): Promise<string> {
  const uuid = crypto.randomUUID()
  await fixture.do(`PUT ${ME}/switches/${uuid}`, {
    members,
    ...(timestamp !== undefined && { timestamp: formatInstant(timestamp) }),
  })
  return uuid
}

const makeCustomFront = (fixture: Fixture, ref: string) =>
  fixture.do(`PATCH /ext/v1/members/${ref}`, { kind: 'custom_front' })

describe('a reminder after a switch', () => {
  test.each(Object.keys(writers))('is set by %s', async (path) => {
    const fixture = await withReminder()
    await writers[path]?.(fixture)
    expect(await dueOf(fixture)).toBe(inAnHour(START))
  })

  test('is set by a member whom a proxied message adds to a recent switch', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<finch>'], START - MINUTE)
    expect(await dueOf(fixture)).toBeNull()
    await proxy(fixture, 'add')
    expect(await dueOf(fixture)).toBe(inAnHour(START - MINUTE))
  })

  test('is not set by members who stay, or by a switch without members', async () => {
    const fixture = await withReminder()
    await log(fixture, [])
    now += MINUTE
    await log(fixture, ['<wren>', '<finch>'])
    const due = await dueOf(fixture)
    expect(due).toBe(inAnHour(now))
    now += MINUTE
    await log(fixture, ['<finch>'])
    now += MINUTE
    await log(fixture, [])
    expect(await dueOf(fixture)).toBe(due)
  })

  test('is replaced by a later switch, but not by an earlier one', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>'])
    now += MINUTE
    await log(fixture, ['<heron>'])
    expect(await dueOf(fixture)).toBe(inAnHour(now))
    await log(fixture, ['<finch>'], START - MINUTE)
    expect(await dueOf(fixture)).toBe(inAnHour(now))
  })

  test('is set by switches of the last ten minutes only', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>'], START - 10 * MINUTE - 1)
    expect(await dueOf(fixture)).toBeNull()
    await log(fixture, ['<heron>'], START - 10 * MINUTE)
    expect(await dueOf(fixture)).toBe(inAnHour(START - 10 * MINUTE))
  })

  test.each<[on: string, member: boolean, customFront: boolean]>([
    ['members', true, false],
    ['custom_fronts', false, true],
    ['any', true, true],
  ])('on %s is set by these fronters', async (on, member, customFront) => {
    const fixture = await withReminder({ ...afterSwitch, on })
    await makeCustomFront(fixture, '<heron>')
    await log(fixture, ['<heron>', '<finch>'])
    expect((await dueOf(fixture)) !== null).toBe(customFront)
    const other = await withReminder({ ...afterSwitch, on })
    await makeCustomFront(other, '<heron>')
    await log(other, ['<wren>', '<finch>'])
    expect((await dueOf(other)) !== null).toBe(member)
  })

  test('is not set while it is off', async () => {
    const fixture = await withReminder({ ...afterSwitch, enabled: false })
    await log(fixture, ['<wren>'])
    expect(await dueOf(fixture)).toBeNull()
    await fixture.do('PATCH /ext/v1/reminders/<reminder>', { enabled: true })
    expect(await dueOf(fixture)).toBeNull()
  })

  test('is not set by an import', async () => {
    const fixture = await withReminder()
    const { id, name } = await fixture.get<{ id: string; name: string }>('GET /v2/members/<wren>')
    const file = {
      version: 2,
      members: [{ id, name }],
      switches: [{ timestamp: formatInstant(START), members: [id] }],
    }
    const { switches } = await fixture.do<{ switches: { added: number } }>(
      'POST /v2/systems/@me/import',
      file,
    )
    expect(switches.added).toBe(1)
    expect(await dueOf(fixture)).toBeNull()
  })

  test.each(['DELETE /v2/systems/@me/switches/<logged>', `DELETE ${ME}/switches/<logged>`])(
    'is cleared by %s',
    async (line) => {
      const fixture = await withReminder()
      fixture.remember('logged', await log(fixture, ['<wren>']))
      expect(await dueOf(fixture)).not.toBeNull()
      await fixture.do(line)
      expect(await dueOf(fixture)).toBeNull()
    },
  )

  test('is not cleared by the deletion of another switch', async () => {
    const fixture = await withReminder()
    const other = await log(fixture, ['<wren>'])
    now += MINUTE
    await log(fixture, ['<heron>'])
    await fixture.do(`DELETE /v2/systems/@me/switches/${other}`)
    expect(await dueOf(fixture)).toBe(inAnHour(now))
  })

  test('is cleared with the whole history', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>'])
    await deleteAllSwitches(testApp.deps, { system: fixture.owner.id, platform: null })
    expect(await dueOf(fixture)).toBeNull()
  })

  test('is cleared when its fronter is removed from the switch, and only then', async () => {
    const fixture = await withReminder()
    const uuid = await log(fixture, ['<wren>', '<heron>'])
    const edit = (members: string[]) =>
      fixture.do(`PATCH /v2/systems/@me/switches/${uuid}/members`, members)
    await edit(['<wren>'])
    expect(await dueOf(fixture)).toBe(inAnHour(START))
    await edit(['<finch>'])
    expect(await dueOf(fixture)).toBeNull()
  })

  test('moves with its switch', async () => {
    const fixture = await withReminder()
    const uuid = await log(fixture, ['<wren>'])
    const earlier = START - 20 * MINUTE
    await fixture.do(`PATCH /v2/systems/@me/switches/${uuid}`, {
      timestamp: formatInstant(earlier),
    })
    expect(await dueOf(fixture)).toBe(inAnHour(earlier))
  })

  test('is cleared when its fronter is deleted', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>', '<heron>'])
    await fixture.do('DELETE /v2/members/<wren>')
    expect(await dueOf(fixture)).toBe(inAnHour(START))
    await fixture.do('DELETE /v2/members/<heron>')
    expect(await dueOf(fixture)).toBeNull()
  })

  test('follows a change of `after` while that is still to come', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>'])
    const change = async (patch: Json) => {
      await fixture.do('PATCH /ext/v1/reminders/<reminder>', patch)
      return dueOf(fixture)
    }
    expect(await change({ after: 7_200 })).toBe(formatInstant(START + 7_200 * SECOND))
    now += 5 * MINUTE
    expect(await change({ after: 60 })).toBeNull()
  })

  test('is cleared by a change of `on`', async () => {
    const fixture = await withReminder()
    await log(fixture, ['<wren>'])
    await fixture.do('PATCH /ext/v1/reminders/<reminder>', { on: 'any' })
    expect(await dueOf(fixture)).toBeNull()
    const [row] = await rows(
      testApp.deps.db,
      'select due_switch_id from reminders where system_id = :id',
      { id: fixture.owner.id },
    )
    expect(row).toEqual({ due_switch_id: null })
  })

  test('does not fire again when the switch that it fired for is edited', async () => {
    const fixture = await withReminder({ ...afterSwitch, after: 60 })
    const uuid = await log(fixture, ['<wren>'])
    now += 2 * MINUTE
    await fireDueReminders(testApp.deps)
    await fixture.do(`PATCH /v2/systems/@me/switches/${uuid}/members`, ['<wren>', '<heron>'])
    expect(await dueOf(fixture)).toBeNull()
  })
})

test('a reminder of a deleted system is deleted with it', async () => {
  const fixture = await withReminder()
  await testApp.deps.transact('new', (tx) =>
    execute(tx, 'delete from systems where id = :id', { id: fixture.owner.id }),
  )
  const left = await rows(testApp.deps.db, 'select id from reminders where system_id = :id', {
    id: fixture.owner.id,
  })
  expect(left).toEqual([])
  expect((await stateOf(testApp)).lastEvent).toBeGreaterThan(0)
})
