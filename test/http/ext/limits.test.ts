import { eq } from 'drizzle-orm'
import { extUsage } from '../../../src/db/tables'
import type { Value } from '../../../src/db/types'
import { findWrongUsage } from '../../../src/doctor/usageCheck'
import { deleteAllSwitches } from '../../../src/service/front/switches'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { formatSize } from '../../../src/store/core/usage'
import { drizzleOn } from '../../tools/drizzle'
import { ME } from '../../tools/me'
import { execute, insertAll } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json, LATEST, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const QUOTA = 1_000
const testApp = createTestApp({ RATE_LIMIT: 'off', EXT_TEXT_QUOTA: String(QUOTA) })
const { deps } = testApp

const long = 'ä'.repeat(420)

/** Creates an object and makes its ID a placeholder. */
async function create(fixture: Fixture, name: string, path: string, body: Json): Promise<Json> {
  const created = await fixture.do(`POST ${ME}/${path}`, body)
  fixture.remember(name, created.id)
  return created
}

const withField = (fixture: Fixture) =>
  create(fixture, 'field', 'fields', { name: 'Role', type: 'text' })

async function withChoice(fixture: Fixture): Promise<void> {
  const names = ['a', 'b', 'c'].map((letter) => ({ name: letter.repeat(100) }))
  const { options } = await create(fixture, 'field', 'fields', {
    name: 'Role',
    type: 'choice',
    options: names,
  })
  fixture.remember('kept', (options as Json[])[0]?.id)
}

async function withVote(fixture: Fixture): Promise<void> {
  const body = { name: 'Move?', options: [{ name: 'yes' }, { name: 'no' }] }
  const { options } = await create(fixture, 'poll', 'polls', body)
  fixture.remember('yes', (options as Json[])[0]?.id)
  fixture.remember('no', (options as Json[])[1]?.id)
  const vote = { option: '<yes>', comment: 'ä'.repeat(300) }
  await fixture.do('PUT /ext/v1/polls/<poll>/votes/<finch>', vote)
}

/** Creates an invitation with a name. The bucket of one byte replaces those for new friends. */
async function withInvite(fixture: Fixture): Promise<unknown> {
  await fixture.do('POST /ext/v1/buckets', { name: 'x' })
  const body = { name: 'ä'.repeat(100) }
  const { id, code } = await fixture.do('POST /ext/v1/friends/invites', body)
  fixture.remember('invite', id)
  return code
}

async function withFriend(fixture: Fixture): Promise<void> {
  const body = { code: await withInvite(fixture), name: 'Sam' }
  const { json } = await fixture.ask('POST /ext/v1/friends', body, 'other')
  fixture.remember('friend', json.id)
}

interface Use {
  given: (fixture: Fixture) => Promise<unknown>
  /** Request that frees the space. */
  ask: string
  body?: unknown
  /** Bytes that stay in use. */
  stays?: number
}

const longDescription = (ask: string, body?: unknown): Use => ({
  given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: long }),
  ask,
  body,
})

const longComment = (ask: string, more: Json = {}): Use => ({
  given: (fixture) =>
    create(fixture, 'note', 'front/notes', { kind: 'comment', text: long, ...more }),
  ask,
})

const uses: Record<string, Use> = {
  'a long description, by deleting its member': longDescription('DELETE /v2/members/<wren>'),
  'a long description, by deleting its member through version 1':
    longDescription('DELETE /v1/m/<wren>'),
  'a long description, by a new description': longDescription('PATCH /v2/members/<wren>', {
    description: 'Short',
  }),
  'a long description, by clearing it': longDescription('PATCH /ext/v1/members/<wren>', {
    about: null,
  }),
  'a reason and values, by deleting their member': {
    async given(fixture) {
      await withField(fixture)
      await fixture.do('PATCH /ext/v1/members/<wren>', {
        archived: true,
        archived_reason: 'ä'.repeat(100),
        fields: { '<field>': 'ä'.repeat(300) },
      })
    },
    ask: 'DELETE /v2/members/<wren>',
    stays: 'Role'.length,
  },
  'values of a field, by deleting the field': {
    async given(fixture) {
      await withField(fixture)
      for (const name of ['<wren>', '<finch>'])
        await fixture.do(`PATCH /ext/v1/members/${name}`, {
          fields: { '<field>': 'ä'.repeat(200) },
        })
    },
    ask: 'DELETE /ext/v1/fields/<field>',
  },
  'options of a field, by deleting the field': {
    given: withChoice,
    ask: 'DELETE /ext/v1/fields/<field>',
  },
  'a room with posts, by deleting it': {
    async given(fixture) {
      await create(fixture, 'room', 'rooms', { name: 'General', about: 'ä'.repeat(100) })
      for (const title of ['Groceries', null])
        await fixture.do(`POST ${ME}/posts`, { room: '<room>', title, text: 'ä'.repeat(150) })
    },
    ask: 'DELETE /ext/v1/rooms/<room>',
  },
  'a post on a board, by deleting it': {
    given: (fixture) => create(fixture, 'post', 'posts', { for: '<wren>', text: long }),
    ask: 'DELETE /ext/v1/posts/<post>',
  },
  'a poll with a vote, by deleting it': { given: withVote, ask: 'DELETE /ext/v1/polls/<poll>' },
  'a comment, by deleting it': longComment('DELETE /ext/v1/front-notes/<note>'),
  'a comment about a member, by deleting the member': longComment('DELETE /v2/members/<wren>', {
    member: '<wren>',
  }),
  'a status, by deleting its switch': {
    async given(fixture) {
      const uuid = crypto.randomUUID()
      fixture.remember('put', uuid)
      await fixture.do(`PUT ${ME}/switches/${uuid}`, {
        members: [{ id: '<heron>', status: 'ä'.repeat(100) }],
      })
    },
    ask: 'DELETE /v2/systems/@me/switches/<put>',
  },
  'the emoji of a group, by deleting the group': {
    given: (fixture) => fixture.do('PATCH /ext/v1/groups/<keepers>', { emoji: '🌱🌱' }),
    ask: 'DELETE /v2/groups/<keepers>',
  },
  'the name of an invitation, by withdrawing it': {
    given: withInvite,
    ask: 'DELETE /ext/v1/friends/invites/<invite>',
    stays: 1,
  },
  'the name of a friend, by a shorter one': {
    given: withFriend,
    ask: 'PATCH /ext/v1/friends/<friend>',
    body: { name: 'Sam' },
    stays: 4,
  },
  'the name of a friend, by ending the friendship': {
    given: withFriend,
    ask: 'DELETE /ext/v1/friends/<friend>',
    stays: 1,
  },
}

const usageOf = async ({ owner }: Fixture) =>
  (
    await drizzleOn(deps.db).select().from(extUsage).where(eq(extUsage.system_id, owner.id)).all()
  )[0]

test.each([
  [64 * 1024 * 1024, '64 MiB'],
  [1.5 * 1024 * 1024, '1.5 MiB'],
  [2_000_000_000, '1,907.35 MiB'],
  [512 * 1024, '512 KiB'],
  [1_000_000, '976.56 KiB'],
  [1_000, '0.98 KiB'],
])('formatSize writes %i bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})

describe('the text quota of a system', () => {
  test.each(Object.entries(uses))('gets back the space of %s', async (_, use) => {
    const { given, ask, body, stays = 0 } = use
    const fixture = await createFixture(testApp)
    await given(fixture)
    const used = (await usageOf(fixture))?.text_bytes ?? 0
    expect(used).toBeGreaterThan(stays)
    const note = (size: number) => ({ text: 'x'.repeat(size) })
    const filler = await create(fixture, 'filler', 'notes', note(QUOTA - used))
    const full = await fixture.ask(`POST ${ME}/notes`, note(1))
    expect(full).toMatchObject({ status: 400, json: { code: 49001 } })
    expect(full.json.message).toBe('Limit reached: text of this system (0.98 KiB).')
    await fixture.do(ask, body)
    expect((await usageOf(fixture))?.text_bytes).toBe(QUOTA - used + stays)
    await fixture.do(`POST ${ME}/notes`, note(used - stays))
    await fixture.do(`DELETE /ext/v1/notes/${filler.id}`)
  })

  test('gets back the space of a removed option and of its votes', async () => {
    const fixture = await createFixture(testApp)
    await withChoice(fixture)
    const before = (await usageOf(fixture))?.text_bytes ?? 0
    const { options } = await fixture.do('PATCH /ext/v1/fields/<field>', {
      options: [{ id: '<kept>', name: 'a' }],
    })
    expect(options).toHaveLength(1)
    const after = (await usageOf(fixture))?.text_bytes ?? 0
    expect(before - after).toBeGreaterThan(299)
    await fixture.do('DELETE /ext/v1/fields/<field>')
    await withVote(fixture)
    await fixture.do('PATCH /ext/v1/polls/<poll>', { options: [{ id: '<no>', name: 'no' }] })
    expect((await usageOf(fixture))?.text_bytes).toBeLessThan(200)
    await fixture.do('DELETE /ext/v1/polls/<poll>')
    expect((await usageOf(fixture))?.text_bytes).toBe(0)
  })

  test('gets back the space of statuses when the history is deleted', async () => {
    const fixture = await createFixture(testApp)
    const status = { kind: 'status', member: '<finch>', at: LATEST, text: 'at work' }
    await fixture.do(`POST ${ME}/front/notes`, status)
    await deleteAllSwitches(deps, { system: fixture.owner.id, platform: null })
    await purgeDeleted(deps)
    expect(await usageOf(fixture)).toMatchObject({ front_notes: 0, text_bytes: 0 })
  })

  test('gets back the space of expired invitations and of names on both sides', async () => {
    const fixture = await createFixture(testApp)
    await withFriend(fixture)
    const { owner, other } = fixture
    const wrong = async () =>
      (await findWrongUsage(deps.db)).filter(
        ({ problem }) => problem.includes(owner.hid) || problem.includes(other.hid),
      )
    const before = await usageOf(fixture)
    for (const name of ['first', 'second']) {
      await fixture.do('POST /ext/v1/friends/invites', { name })
      await deps.transact('new', (tx) =>
        execute(tx, `update friend_invites set expires = 1 where system_id = ${owner.id}`),
      )
      expect(await wrong()).toEqual([])
    }
    await fixture.do('POST /ext/v1/friends/invites', {})
    expect(await usageOf(fixture)).toEqual(before as never)
    expect(await wrong()).toEqual([])
    await fixture.do('DELETE /ext/v1/friends/<friend>')
    expect(await wrong()).toEqual([])
  })

  const tooMuch = 'x'.repeat(800)
  runScenarios(testApp, {
    'a longer name of a friend above the quota is refused': {
      async given(fixture) {
        await withFriend(fixture)
        const used = (await usageOf(fixture))?.text_bytes ?? 0
        await fixture.do(`POST ${ME}/notes`, { text: 'x'.repeat(QUOTA - used) })
        await fixture.do('PATCH /ext/v1/friends/<friend>', { name: 'Sam' })
        await fixture.do(`POST ${ME}/notes`, { text: 'x'.repeat(197) })
      },
      ask: 'PATCH /ext/v1/friends/<friend>',
      body: { name: 'Samuel' },
      status: 400,
      code: 49001,
    },
    'a member above the quota is not created': {
      given: async (fixture) => {
        await create(fixture, 'note', 'notes', { text: tooMuch })
      },
      ask: 'POST /ext/v1/members',
      body: { member: { name: 'Robin' }, about: 'x'.repeat(201) },
      status: 400,
      code: 49001,
    },
    'a change of many members above the quota changes none': {
      given: async (fixture) => {
        await create(fixture, 'note', 'notes', { text: tooMuch })
      },
      ask: `PATCH ${ME}/members`,
      body: [
        { id: '<wren>', about: 'x'.repeat(150) },
        { id: '<finch>', member: { color: 'ff0000' }, about: 'x'.repeat(51) },
      ],
      status: 400,
      code: 49001,
    },
    'a switch whose comment is above the quota is not logged': {
      ask: `PUT ${ME}/switches/2f1a0b3c-4d5e-4f60-8a9b-0c1d2e3f4a5b`,
      body: { members: ['<wren>'], comment: 'x'.repeat(1_001) },
      status: 400,
      code: 49001,
    },
    'a vote whose comment is above the quota is not stored': {
      given: async (fixture) => {
        const body = { name: 'Move?', options: [{ name: 'yes' }] }
        const { options } = await create(fixture, 'poll', 'polls', body)
        fixture.remember('yes', (options as Json[])[0]?.id)
        await create(fixture, 'note', 'notes', { text: 'x'.repeat(700) })
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: { option: '<yes>', comment: 'x'.repeat(300) },
      status: 400,
      code: 49001,
    },
    'a field above the quota is not changed': {
      given: async (fixture) => {
        await withField(fixture)
        await create(fixture, 'note', 'notes', { text: 'x'.repeat(996) })
      },
      ask: 'PATCH /ext/v1/fields/<field>',
      body: { name: 'Roles' },
      status: 400,
      code: 49001,
    },
  })
})

const roomy = createTestApp({ RATE_LIMIT: 'off' })

/** Small limits: rows of a table, the request that adds one, and the words of the error. */
const counted: [table: string, size: number, path: string, body: Json, what: string][] = [
  ['fields', 100, 'fields', { name: 'Role', type: 'text' }, 'fields (100)'],
  ['rooms', 200, 'rooms', { name: 'General' }, 'rooms (200)'],
  ['polls', 1_000, 'polls', { name: 'Move?', options: [{ name: 'yes' }] }, 'polls (1,000)'],
  [
    'reminders',
    50,
    'reminders',
    { name: 'x', kind: 'after_switch', after: 60, on: 'any' },
    'reminders (50)',
  ],
]

const rowsOf: Record<string, (at: number) => Record<string, Value>> = {
  fields: (at) => ({ name: 'x', type: 'text', position: at, created: at }),
  rooms: (at) => ({ name: 'x', position: at }),
  polls: (at) => ({ name: 'x', options: '[]', created: at }),
  reminders: (at) => ({ name: 'x', created: at }),
}

/** Large limits, by the counters of `ext_usage`. */
const counters: [counter: string, max: number, path: string, noun: string, body: Json][] = [
  ['front_notes', 200_000, 'front/notes', 'front-notes', { kind: 'comment', text: 'x' }],
  ['posts', 200_000, 'posts', 'posts', { text: 'x' }],
  ['notes', 20_000, 'notes', 'notes', { text: 'x' }],
]

describe('limits of the extension API', () => {
  test.each(counted)('%s: at most %i', async (table, size, path, body, what) => {
    const fixture = await createFixture(roomy)
    const rows = Array.from({ length: size - 1 }, (_, at) => ({
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      ...rowsOf[table]?.(at),
    }))
    await roomy.deps.transact({ system: fixture.owner.id }, (tx) => insertAll(tx, table, rows))
    const add = () => fixture.ask(`POST ${ME}/${path}`, body)
    const { id } = await fixture.do(`POST ${ME}/${path}`, body)
    const refused = await add()
    expect(refused).toMatchObject({ status: 400, json: { code: 49001 } })
    expect(refused.json.message).toBe(`Limit reached: ${what}.`)
    await fixture.do(`PATCH /ext/v1/${path}/${id}`, { name: 'Renamed' })
    await fixture.do(`DELETE /ext/v1/${path}/${id}`)
    expect((await add()).status).toBe(201)
    expect((await fixture.ask(`POST ${ME}/${path}`, body, 'other')).status).toBe(201)
  })

  test.each(counters)('%s: at most %i', async (counter, max, path, noun, body) => {
    const fixture = await createFixture(roomy)
    await setCounter(fixture, counter, max - 1)
    const add = () => fixture.ask(`POST ${ME}/${path}`, body)
    const { id } = await fixture.do(`POST ${ME}/${path}`, body)
    const refused = await add()
    const words = `${counter.replace('_', ' ')} (${max.toLocaleString('en')})`
    expect(refused).toMatchObject({ status: 400, json: { code: 49001 } })
    expect(refused.json.message).toBe(`Limit reached: ${words}.`)
    await fixture.do(`PATCH /ext/v1/${noun}/${id}`, { text: 'y' })
    await fixture.do(`DELETE /ext/v1/${noun}/${id}`)
    expect((await add()).status).toBe(201)
    expect((await fixture.ask(`POST ${ME}/${path}`, body, 'other')).status).toBe(201)
  })

  test('a switch with more statuses than front notes are left is not logged', async () => {
    const fixture = await createFixture(roomy)
    await setCounter(fixture, 'front_notes', 199_999)
    const uuid = crypto.randomUUID()
    const put = await fixture.ask(`PUT ${ME}/switches/${uuid}`, {
      members: [
        { id: '<wren>', status: 'here' },
        { id: '<finch>', status: 'too' },
      ],
    })
    expect(put.json.code).toBe(49001)
    expect((await fixture.ask(`GET /v2/systems/@me/switches/${uuid}`)).status).toBe(404)
    expect((await fixture.get<Json[]>(`GET ${ME}/front/notes`)).length).toBe(0)
  })

  const options = (size: number) => Array.from({ length: size }, (_, at) => ({ name: `${at}` }))
  runScenarios(roomy, {
    'a field has at most 50 options': {
      ask: `POST ${ME}/fields`,
      body: { name: 'Role', type: 'choice', options: options(51) },
      status: 400,
      code: 40001,
      problems: ['options'],
    },
    'a field may have 50 options': {
      ask: `POST ${ME}/fields`,
      body: { name: 'Role', type: 'choice', options: options(50) },
      status: 201,
      has: { options: { length: 50 } },
      events: [['CREATE_FIELD', expect.any(String), expect.anything()]],
    },
    'a poll has at most 50 options': {
      ask: `POST ${ME}/polls`,
      body: { name: 'Move?', options: options(51) },
      status: 400,
      code: 40001,
      problems: ['options'],
    },
    'a poll may have 50 options': {
      ask: `POST ${ME}/polls`,
      body: { name: 'Move?', options: options(50) },
      status: 201,
      has: { options: { length: 50 } },
      events: [['CREATE_POLL', expect.any(String), expect.anything()]],
    },
  })
})

/** Sets a counter of the owner, as if there were so many rows. */
async function setCounter({ owner }: Fixture, counter: string, size: number): Promise<void> {
  await roomy.deps.transact({ system: owner.id }, (tx) =>
    execute(tx, `insert into ext_usage (system_id, ${counter}) values (:id, :size)`, {
      id: owner.id,
      size,
    }),
  )
}
