import type { Entity, JsonObject } from '../../../src/model/core/entity'
import type { Field } from '../../../src/model/core/field'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { memberGuild, systemGuild } from '../../../src/model/proxy/guild'
import { settings } from '../../../src/model/systems/settings'
import { system } from '../../../src/model/systems/system'
import { patchMemberGuild, patchSystemGuild } from '../../tools/operatorActions'
import { createFixture, eventsSince, type Fixture, stateOf } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { badValueOf, valuesOf } from './values'

const testApp = createTestApp()

interface Target {
  entity: Entity
  ask: string
  /** Request that reads the result; `$` stands for the short ID in the response. */
  read: string
  event: string
  prepare?: (fixture: Fixture) => Promise<unknown>
  /** Keys that every body must have. */
  required?: JsonObject
}

const targets: Target[] = [
  {
    entity: system,
    ask: 'PATCH /v2/systems/@me',
    read: 'GET /v2/systems/@me',
    event: 'UPDATE_SYSTEM',
  },
  {
    entity: settings,
    ask: 'PATCH /v2/systems/@me/settings',
    read: 'GET /v2/systems/@me/settings',
    event: 'UPDATE_SETTINGS',
  },
  {
    entity: systemGuild,
    ask: 'PATCH /v2/systems/@me/guilds/333',
    read: 'GET /v2/systems/@me/guilds/333',
    event: 'UPDATE_SYSTEM_GUILD',
    prepare: ({ owner }) => patchSystemGuild(testApp.deps, owner.id, '333', {}, 'create'),
  },
  {
    entity: member,
    ask: 'PATCH /v2/members/<heron>',
    read: 'GET /v2/members/<heron>',
    event: 'UPDATE_MEMBER',
  },
  {
    entity: member,
    ask: 'POST /v2/members',
    read: 'GET /v2/members/$',
    event: 'CREATE_MEMBER',
    required: { name: 'Robin' },
  },
  {
    entity: memberGuild,
    ask: 'PATCH /v2/members/<heron>/guilds/333',
    read: 'GET /v2/members/<heron>/guilds/333',
    event: 'UPDATE_MEMBER_GUILD',
    prepare: ({ heron }) => patchMemberGuild(testApp.deps, heron, '333', {}, 'create'),
  },
  {
    entity: group,
    ask: 'PATCH /v2/groups/<dreamers>',
    read: 'GET /v2/groups/<dreamers>',
    event: 'UPDATE_GROUP',
  },
  {
    entity: group,
    ask: 'POST /v2/groups',
    read: 'GET /v2/groups/$',
    event: 'CREATE_GROUP',
    required: { name: 'Robins' },
  },
]

describe.each(targets)('$ask', ({ entity, ask, read, event, prepare, required = {} }) => {
  const isNew = ask.startsWith('POST')
  const writable = entity.entries.filter(([, field]) => !field.readonly)

  async function createTargetFixture(): Promise<Fixture> {
    const fixture = await createFixture(testApp)
    await prepare?.(fixture)
    return fixture
  }

  /** Fixture of all refused requests; every test checks that nothing was written. */
  let shared: Promise<Fixture> | undefined
  const sharedFixture = () => (shared ??= createTargetFixture())

  /** Expects a 400 with these keys in `errors`, or with none if null, and no write. */
  async function expectRefusal(fixture: Fixture, body: unknown, keys: string[] | null) {
    const before = await stateOf(testApp)
    const { status, json, text } = await fixture.ask(ask, body)
    const sent = JSON.stringify(body)?.slice(0, 200)
    expect({ status, code: json.code }, `${sent} gave ${text}`).toEqual({
      status: 400,
      code: keys ? 40001 : 0,
    })
    expect(Object.keys((json.errors as JsonObject) ?? {}).toSorted(), sent).toEqual(
      (keys ?? []).toSorted(),
    )
    expect(await stateOf(testApp)).toEqual(before)
    return json
  }

  test.each(writable)(`${ask} stores, returns and records every valid %s`, async (key) => {
    const fixture = await createTargetFixture()
    const field = entity.fields[key] as Field
    let previous: unknown = (await fixture.get(isNew ? 'GET /v2/systems/@me' : read))[key]
    for (const [sent, stored] of goodValuesOf(field)) {
      const { lastEvent } = await stateOf(testApp)
      const answer = await fixture.do(ask, { ...required, [key]: sent })
      expect(answer[key]).toEqual(stored)
      const [recorded, ...more] = await eventsSince(fixture, lastEvent)
      const isChanged = isNew || JSON.stringify(stored) !== JSON.stringify(previous)
      expect(recorded?.[0]).toBe(isChanged ? event : undefined)
      const guild = ask.includes('/guilds/') ? { guild_id: '333' } : {}
      if (isChanged) expect(recorded?.[2]).toEqual({ ...required, ...guild, [key]: stored })
      expect(more).toEqual([])
      const again = await fixture.get(read.replace('$', String(answer.id)))
      expect(again[key]).toEqual(stored)
      previous = stored
    }
  })

  test.each(writable)(`${ask} refuses every invalid %s`, async (key) => {
    const fixture = await sharedFixture()
    const field = entity.fields[key] as Field
    for (const value of valuesOf(field).bad)
      await expectRefusal(fixture, { ...required, [key]: value }, [key])
  })

  const limited = writable.filter(([, { kind }]) => kind === 'text' || kind === 'url')

  test.each(limited)(`${ask} reports both lengths when %s is too long`, async (key) => {
    const { max = 0 } = entity.fields[key] as Field
    const sent = `https://example.com/${'x'.repeat(max)}`
    const json = await expectRefusal(await sharedFixture(), { ...required, [key]: sent }, [key])
    const [problem] = (json.errors as Record<string, JsonObject[]>)[key] ?? []
    expect(problem).toEqual({
      message: expect.any(String),
      max_length: max,
      actual_length: sent.length,
    })
  })

  test(`${ask} reports all problems at once`, async () => {
    const body: JsonObject = {}
    for (const [key, field] of writable) body[key] = badValueOf(field)
    const levels = Object.fromEntries(entity.levels.map((level) => [level, 'hidden']))
    const keys = [...writable.map(([key]) => key), ...entity.levels]
    await expectRefusal(await sharedFixture(), { ...body, privacy: levels }, keys)
  })

  test(`${ask} writes nothing when one key is invalid`, async () => {
    const fixture = await sharedFixture()
    const [[good], [bad, badField]] = [writable.at(-1), writable[0]] as [
      [string, Field],
      [string, Field],
    ]
    const [value] = goodValuesOf(entity.fields[good] as Field)[0] ?? []
    await expectRefusal(fixture, { ...required, [good]: value, [bad]: badValueOf(badField) }, [bad])
  })

  test(`${ask} ignores unknown and read-only keys`, async () => {
    const fixture = await createTargetFixture()
    const [key, field] = writable[0] as [string, Field]
    const [sent, stored] = goodValuesOf(field)[0] as [unknown, unknown]
    const { system: _, ...before } = isNew ? {} : await fixture.get(read)
    const answer = await fixture.do(ask, { ...required, ...readOnlyKeys, [key]: sent })
    for (const shown of Object.keys(readOnlyKeys))
      if (!isNew) expect(answer[shown]).toEqual(before[shown])
      else expect(answer[shown]).not.toEqual(readOnlyKeys[shown as keyof typeof readOnlyKeys])
    expect(answer[key]).toEqual(stored)
  })

  if (!isNew) {
    test(`${ask} refuses a body without a valid key`, async () => {
      const fixture = await createTargetFixture()
      const bodies = [{}, readOnlyKeys, { name_privacy: 'private' }] as JsonObject[]
      for (const body of bodies) await expectRefusal(fixture, body, null)
      await expectRefusal(fixture, '{"__proto__": {"name": "x", "display_name": "x"}}', null)
    })

    test(`${ask} records no event when nothing changes`, async () => {
      const fixture = await createTargetFixture()
      const same = await fixture.get(read)
      const body = Object.fromEntries(writable.map(([key]) => [key, same[key]]))
      const { lastEvent } = await stateOf(testApp)
      const { json } = await fixture.ask(ask, { ...body, privacy: same.privacy })
      const { system: _, ...rest } = same
      expect(json).toEqual(rest)
      expect(await eventsSince(fixture, lastEvent)).toEqual([])
    })

    test(`${ask} keeps the value of a key that is left out`, async () => {
      const fixture = await createTargetFixture()
      for (const [key, field] of writable) {
        const before = await fixture.get(read)
        const [sent] = goodValuesOf(field).at(-1) ?? []
        const { system: _, ...rest } = before
        const answer = await fixture.do(ask, { [key]: sent })
        expect({ ...answer, [key]: null }).toEqual({ ...rest, [key]: null })
      }
    })
  }

  test(`${ask} refuses a body that is not a JSON object`, async () => {
    const fixture = await sharedFixture()
    for (const body of ['', '{', '{"name": }', "{'name': 'x'}", '[]', '[{}]', 'null', '5', '"x"'])
      await expectRefusal(fixture, body, null)
  })

  if (entity.levels.length > 0)
    test(`${ask} sets each privacy level alone, and null makes it public`, async () => {
      const fixture = await createTargetFixture()
      for (const level of entity.levels)
        for (const [sent, stored] of [
          ['private', 'private'],
          [null, 'public'],
          ['private', 'private'],
          ['public', 'public'],
        ]) {
          const answer = await fixture.do(ask, { ...required, privacy: { [level]: sent } })
          const levels = { ...defaultLevels(entity), [level]: stored }
          expect(answer.privacy).toEqual(levels)
          const again = await fixture.get(read.replace('$', String(answer.id)))
          expect(again.privacy).toEqual(levels)
        }
    })

  if (entity.levels.length > 0)
    test(`${ask} refuses privacy levels other than public, private and null`, async () => {
      const fixture = await sharedFixture()
      for (const level of entity.levels)
        for (const value of ['', 'Private', 'PUBLIC', 'hidden', 1, true, [], {}])
          await expectRefusal(fixture, { ...required, privacy: { [level]: value } }, [level])
      for (const privacy of ['private', 1, true, []])
        await expectRefusal(fixture, { ...required, privacy }, ['privacy'])
    })

  if (entity.levels.length > 0)
    test(`${ask} treats a privacy object without a known level as missing`, async () => {
      const fixture = await createTargetFixture()
      for (const privacy of [null, {}, { shoe_privacy: 'private' }])
        if (isNew)
          expect((await fixture.do(ask, { ...required, privacy })).privacy).toEqual(
            defaultLevels(entity),
          )
        else await expectRefusal(fixture, { privacy }, null)
    })
})

const readOnlyKeys = {
  id: 'abcdef',
  uuid: 'c0db2b1e-c682-4573-ad7e-17822e2eb2d4',
  system: 'abcdef',
  created: '2001-01-01T00:00:00Z',
  message_count: 5,
  last_message_timestamp: '2001-01-01T00:00:00Z',
  member_limit: 5000,
  group_limit: 5000,
  last_latch_timestamp: '2001-01-01T00:00:00Z',
  webhook_url: 'https://example.com/hook',
  guild_id: '1',
  nickname: 'x',
  constructor: 'x',
}

/** Returns valid values with what is stored; those of a choice come from the field itself. */
function goodValuesOf(field: Field): [unknown, unknown][] {
  if (field.kind !== 'choice') return valuesOf(field).good
  return (field.choices ?? []).map((word) => [word, word])
}

function defaultLevels(entity: Entity): JsonObject {
  return Object.fromEntries(entity.levels.map((level) => [level, 'public']))
}
