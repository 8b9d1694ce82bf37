import { eq } from 'drizzle-orm'
import { events } from '../../../src/db/tables'
import type { JsonObject } from '../../../src/model/core/entity'
import type { Field } from '../../../src/model/core/field'
import { system } from '../../../src/model/systems/system'
import { drizzleOn } from '../../tools/drizzle'
import { linkAccount, unlinkAccount } from '../../tools/operatorActions'
import { defaultsOf } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const { ask, makeSystem, deps } = createTestApp()

const ACCOUNT = '466378653216014359'
const owner = await makeSystem('Lantern Hill')
const stranger = await makeSystem('Elsewhere')
await linkAccount(deps, owner.id, ACCOUNT)

const everyone: [who: string, as: TestSystem | null][] = [
  ['its owner', owner],
  ['another system', stranger],
  ['an anonymous caller', null],
]

const refs: [form: string, ref: string][] = [
  ['short ID', owner.hid],
  ['short ID in upper case', owner.hid.toUpperCase()],
  ['short ID with a dash', `${owner.hid.slice(0, 3)}-${owner.hid.slice(3)}`],
  ['UUID', owner.uuid],
  ['UUID in upper case', owner.uuid.toUpperCase()],
  ['linked account', ACCOUNT],
]

const unknownRefs = [
  'zzzzzz',
  'abcde',
  crypto.randomUUID(),
  '1'.repeat(18),
  '1',
  'x',
  '@you',
  '%00',
]

describe.each(['/v2', ''])('systems under %p', (base) => {
  const reads = refs.flatMap(([form, ref]) =>
    everyone.map(([who, as]) => [form, who, ref, as] as const),
  )

  test.each(reads)('finds a system by its %s for %s', async (_form, _who, ref, as) => {
    const { status, json } = await ask(`GET ${base}/systems/${ref}`, { as })
    expect(status).toBe(200)
    expect(json).toMatchObject({ id: owner.hid, uuid: owner.uuid, name: 'Lantern Hill' })
  })

  test.each(refs)('the owner changes a system by its %s', async (form, ref) => {
    const { status, json } = await ask(`PATCH ${base}/systems/${ref}`, {
      as: owner,
      body: { tag: `${base}${form}` },
    })
    expect(status).toBe(200)
    expect(json.tag).toBe(`${base}${form}`)
  })

  test('@me is the system of the caller', async () => {
    const responses = [owner, stranger].map(async (as) => {
      const { json } = await ask(`GET ${base}/systems/@me`, { as })
      return json.id
    })
    expect(await Promise.all(responses)).toEqual([owner.hid, stranger.hid])
  })

  const refused: [who: string, ref: string, as: TestSystem | null, status: number, code: number][] =
    [
      ['an anonymous caller', '@me', null, 401, 0],
      ['an anonymous caller', owner.hid, null, 401, 0],
      ['an anonymous caller', 'zzzzzz', null, 401, 0],
      ['another system', owner.hid, stranger, 403, 0],
      ['another system', ACCOUNT, stranger, 403, 0],
    ]

  test.each(refused)('%s may not change the system %s', async (_who, ref, as, status, code) => {
    const before = await ask('GET /systems/@me', { as: owner })
    const response = await ask(`PATCH ${base}/systems/${ref}`, { as, body: { name: 'Mine now' } })
    expect([response.status, response.json.code]).toEqual([status, code])
    expect((await ask('GET /systems/@me', { as: owner })).text).toBe(before.text)
  })

  test.each(unknownRefs)('GET and PATCH of the unknown system %s return 404', async (ref) => {
    const path = `${base}/systems/${ref}`
    const responses = await Promise.all([
      ...everyone.map(([, as]) => ask(`GET ${path}`, { as })),
      ask(`PATCH ${path}`, { as: stranger, body: { tag: 'x' } }),
    ])
    for (const { status, json } of responses)
      expect([status, json]).toEqual([404, { message: 'System not found.', code: 20001 }])
  })

  test('@me without a token returns 401', async () => {
    const { status, json } = await ask(`GET ${base}/systems/@me`)
    expect(status).toBe(401)
    expect(json).toEqual({ message: '401: Missing or invalid Authorization header', code: 0 })
  })
})

describe('shown fields', () => {
  const ownerKeys = ['id', 'uuid', ...Object.keys(system.fields), 'privacy']
  const publicKeys = ownerKeys.filter(
    (key) => system.fields[key as keyof typeof system.fields]?.ownerOnly !== 'absent',
  )

  test('a new system shows every key, and all its levels are public', async () => {
    const { json } = await ask('GET /v2/systems/@me', { as: await makeSystem() })
    const { id, uuid, created, privacy, ...rest } = json
    expect(Object.keys(json).toSorted()).toEqual(ownerKeys.toSorted())
    expect<JsonObject>({ ...rest, created: null }).toEqual(defaultsOf(system))
    expect(id).toMatch(/^[abcefghjknoprstuvwxyz]{6}$/)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
    expect(privacy).toEqual(Object.fromEntries(system.levels.map((level) => [level, 'public'])))
  })

  test.each([stranger, null])(
    'callers other than the owner see no privacy and no webhook',
    async (as) => {
      const { json } = await ask(`GET /v2/systems/${owner.hid}`, { as })
      expect(Object.keys(json).toSorted()).toEqual(publicKeys.toSorted())
      expect(json.privacy).toBeNull()
    },
  )

  test('an unlinked account finds no system', async () => {
    const account = '466378653216014360'
    await linkAccount(deps, stranger.id, account)
    expect((await ask(`GET /systems/${account}`)).json.id).toBe(stranger.hid)
    await unlinkAccount(deps, stranger.id, account)
    expect((await ask(`GET /systems/${account}`)).status).toBe(404)
  })
})

describe('privacy', () => {
  const fields = Object.entries(system.fields as Record<string, Field>)
  const guarded = fields.flatMap(([key, field]) =>
    field.guard === undefined ? [] : [[key, field.guard, field] as const],
  )

  test('levels guard name, description, pronouns, avatar and banner', () => {
    expect(guarded.map(([key]) => key).toSorted()).toEqual(
      ['avatar_url', 'banner', 'description', 'name', 'pronouns'].toSorted(),
    )
  })

  test.each(guarded)('hides %s when %s is private', async (key, level, field) => {
    const me = await makeSystem()
    const value = field.kind === 'url' ? `https://secret.example/${key}` : `secret ${key}`
    const body = { [key]: value, privacy: { [level]: 'private' } }
    const patched = await ask('PATCH /v2/systems/@me', { as: me, body })
    expect(patched.json).toMatchObject(body)
    for (const as of [stranger, null]) {
      const { json, text } = await ask(`GET /v2/systems/${me.hid}`, { as })
      expect(json[key]).toBeNull()
      expect(text).not.toContain(value)
    }
    expect((await ask(`GET /systems/${me.hid}`, { as: me })).json[key]).toBe(value)
    // The other levels do not hide this key.
    const others = system.levels.filter((name) => name !== level)
    const privacy = {
      ...Object.fromEntries(others.map((name) => [name, 'private'])),
      [level]: null,
    }
    await ask('PATCH /systems/@me', { as: me, body: { privacy } })
    expect((await ask(`GET /systems/${me.uuid}`)).json[key]).toBe(value)
  })

  test('tag, color and creation time stay visible when all levels are private', async () => {
    const me = await makeSystem('Hidden')
    const privacy = Object.fromEntries(system.levels.map((level) => [level, 'private']))
    await ask('PATCH /systems/@me', { as: me, body: { tag: '| T', color: 'ABCDEF', privacy } })
    const { json } = await ask(`GET /systems/${me.hid}`, { as: stranger })
    expect(json).toMatchObject({ name: null, tag: '| T', color: 'abcdef', privacy: null })
    expect(json.created).not.toBeNull()
  })

  test('a privacy level of null becomes public, and levels not in the patch stay', async () => {
    const me = await makeSystem()
    const privacy = { name_privacy: 'private', front_privacy: 'private' }
    await ask('PATCH /systems/@me', { as: me, body: { privacy } })
    const { json } = await ask('PATCH /systems/@me', {
      as: me,
      body: { privacy: { name_privacy: null, unknown: 'private' } },
    })
    expect(json.privacy).toMatchObject({ name_privacy: 'public', front_privacy: 'private' })
  })
})

describe('changes of a system', () => {
  const url = 'https://example.org/a.png'
  const stored: [title: string, body: JsonObject, shown: JsonObject][] = [
    ['stores texts at their limits', { name: 'a'.repeat(100), tag: 'b'.repeat(79) }, {}],
    ['stores the longest description', { description: 'é'.repeat(1000) }, {}],
    ['stores pronouns and URLs', { pronouns: 'they', avatar_url: url, banner: url }, {}],
    ['stores a color in lower case', { color: 'F2B632' }, { color: 'f2b632' }],
    ['stores an empty text as null', { name: '', banner: '' }, { name: null, banner: null }],
    ['stores an empty color as null', { color: '' }, { color: null }],
    ['stores null', { name: null, avatar_url: null }, {}],
    ['stores characters of any script', { name: '𐍈 ﷽ 👩‍👩‍👧 \u202e\t' }, {}],
    ['ignores unknown keys', { tag: 't', nickname: 1, toString: 2 }, { tag: 't' }],
  ]

  test.each(stored)('%s', async (_, body, shown) => {
    const me = await makeSystem('Before')
    const { status, json } = await ask('PATCH /v2/systems/@me', { as: me, body })
    expect(status).toBe(200)
    expect(json).toMatchObject(Object.keys(shown).length > 0 ? shown : body)
    expect((await ask('GET /v2/systems/@me', { as: me })).json).toEqual(json)
  })

  test('a patch does not change read-only fields', async () => {
    const before = await ask('GET /systems/@me', { as: owner })
    const { json } = await ask('PATCH /systems/@me', {
      as: owner,
      body: {
        id: 'zzzzzz',
        hid: 'zzzzzz',
        uuid: crypto.randomUUID(),
        created: '2001-01-01T00:00:00Z',
        webhook_url: 'https://example.org/hook',
        name_privacy: 'private',
        pronouns: 'she/her',
      },
    })
    expect(json).toEqual({ ...before.json, pronouns: 'she/her' })
  })

  test('concurrent patches of different keys are all stored', async () => {
    const me = await makeSystem()
    const bodies = [{ tag: 'x' }, { color: '123456' }, { privacy: { front_privacy: 'private' } }]
    await Promise.all(bodies.map((body) => ask('PATCH /systems/@me', { as: me, body })))
    const { json } = await ask('GET /systems/@me', { as: me })
    expect(json).toMatchObject({ ...bodies[0], ...bodies[1], ...bodies[2] })
  })

  test('returns all validation errors at once, with lengths, and changes nothing', async () => {
    const me = await makeSystem('Before')
    const { status, json } = await ask<{ code: number; message: string; errors: JsonObject }>(
      'PATCH /v2/systems/@me',
      {
        as: me,
        body: {
          name: 'a'.repeat(101),
          description: 'a'.repeat(2000),
          tag: 'a'.repeat(80),
          pronouns: 7,
          avatar_url: `https://example.org/${'a'.repeat(256)}`,
          banner: 'example.org',
          color: '#ffffff',
          privacy: { name_privacy: 'secret', front_privacy: 1, banner_privacy: 'private' },
        },
      },
    )
    const problem = { message: expect.stringMatching(/^[A-Z].*\.$/) }
    expect([status, json.code, json.message]).toEqual([400, 40001, 'Error parsing JSON model'])
    expect(json.errors).toEqual({
      name: [{ ...problem, max_length: 100, actual_length: 101 }],
      description: [{ ...problem, max_length: 1000, actual_length: 2000 }],
      tag: [{ ...problem, max_length: 79, actual_length: 80 }],
      pronouns: [problem],
      avatar_url: [{ ...problem, max_length: 256, actual_length: 276 }],
      banner: [problem],
      color: [problem],
      name_privacy: [problem],
      front_privacy: [problem],
    })
    expect((await ask('GET /systems/@me', { as: me })).json).toMatchObject({
      name: 'Before',
      privacy: { banner_privacy: 'public' },
    })
  })

  const wrongKinds = [0, false, [], {}, ['a']]
  const keys = Object.entries(system.fields as Record<string, Field>)
    .filter(([, field]) => !field.readonly)
    .map(([key]) => key)

  test.each(keys)('refuses other JSON types for %s', async (key) => {
    for (const value of wrongKinds) {
      const { status, json } = await ask('PATCH /systems/@me', {
        as: owner,
        body: { [key]: value },
      })
      expect([status, json.code, Object.keys(json.errors ?? {})]).toEqual([400, 40001, [key]])
    }
  })

  const levels: [unknown, string][] = [
    ['private', 'privacy'],
    [1, 'privacy'],
    [true, 'privacy'],
    [['name_privacy'], 'privacy'],
    [{ name_privacy: 'PRIVATE' }, 'name_privacy'],
    [{ name_privacy: '' }, 'name_privacy'],
    [{ name_privacy: false }, 'name_privacy'],
    [{ name_privacy: {} }, 'name_privacy'],
  ]

  test.each(levels)('refuses %j as privacy', async (privacy, key) => {
    const { status, json } = await ask('PATCH /systems/@me', { as: owner, body: { privacy } })
    expect([status, json.code, Object.keys(json.errors ?? {})]).toEqual([400, 40001, [key]])
  })

  const withoutFields: unknown[] = [
    {},
    { nickname: 'x' },
    { id: 'abcde', uuid: owner.uuid, created: null },
    { webhook_url: 'https://example.org' },
    { privacy: null },
    { privacy: {} },
    { privacy: { visibility: 'private' } },
    { name_privacy: 'private' },
    '{"constructor":"x","__proto__":{"tag":"x"}}',
  ]
  const notObjects = ['', ' ', '[]', '[{"tag":"x"}]', '"tag"', 'null', '1', 'true']
  const notJson = ['{', '{"tag":}', "{'tag':'x'}", '{"tag":"x"}}', 'tag=x', '{"tag":"x",}', '\0']

  test.each([...withoutFields, ...notObjects, ...notJson])(
    'refuses the body %j without field errors',
    async (body) => {
      const { status, json } = await ask('PATCH /v2/systems/@me', { as: owner, body })
      expect(status).toBe(400)
      expect(json).toEqual({ message: expect.stringMatching(/^400: Bad Request/), code: 0 })
    },
  )
})

describe('events of a system', () => {
  const recordedEvents = (me: TestSystem) =>
    drizzleOn(deps.db)
      .select({ type: events.type, subject: events.subject, data: events.data })
      .from(events)
      .where(eq(events.system_id, me.id))
      .orderBy(events.id)
      .all()

  test('records an event with the changed fields only', async () => {
    const me = await makeSystem('Before')
    const change = (body: unknown, as = me) => ask(`PATCH /systems/${me.hid}`, { as, body })
    const update = (data: JsonObject) => ({ type: 'UPDATE_SYSTEM', subject: null, data })

    await change({ name: 'Before', tag: null, color: '', privacy: { name_privacy: null } })
    await change({ tag: 'x'.repeat(80), name: 'refused' })
    await change({ nickname: 'nothing valid' })
    await change({ name: 'not yours' }, stranger)
    expect(await recordedEvents(me)).toEqual([])

    await change({ name: 'After', tag: null, color: 'ABCDEF' })
    await change({ color: 'abcdef', privacy: { name_privacy: 'private', front_privacy: 'public' } })
    await change({ name: '', color: 'abcdef' })
    await change({ name: null })
    expect(await recordedEvents(me)).toEqual([
      update({ name: 'After', color: 'abcdef' }),
      update({ name_privacy: 'private' }),
      update({ name: null }),
    ])
  })
})
