import { describe, expect, test } from 'bun:test'
import type { Entity, JsonObject } from '../../../src/model/entity'
import type { Field } from '../../../src/model/field'
import { group } from '../../../src/model/group'
import { memberGuild, systemGuild } from '../../../src/model/guild'
import { member } from '../../../src/model/member'
import { settings } from '../../../src/model/settings'
import { system } from '../../../src/model/system'
import { patchMemberGuild, patchSystemGuild } from '../../operatorActions'
import { createFixture, eventsSince, type Fixture, stateOf } from '../../scenarios'
import { createTestApp } from '../../testApp'
import { badValueOf, valuesOf } from './values'

const place = createTestApp()

interface Target {
  entity: Entity
  ask: string
  /** Where what was changed is read again; `$` is the short ID of the answer. */
  read: string
  told: string
  make?: (world: Fixture) => Promise<unknown>
  /** What must be sent along. */
  needs?: JsonObject
}

const targets: Target[] = [
  {
    entity: system,
    ask: 'PATCH /v2/systems/@me',
    read: 'GET /v2/systems/@me',
    told: 'UPDATE_SYSTEM',
  },
  {
    entity: settings,
    ask: 'PATCH /v2/systems/@me/settings',
    read: 'GET /v2/systems/@me/settings',
    told: 'UPDATE_SETTINGS',
  },
  {
    entity: systemGuild,
    ask: 'PATCH /v2/systems/@me/guilds/333',
    read: 'GET /v2/systems/@me/guilds/333',
    told: 'UPDATE_SYSTEM_GUILD',
    make: ({ owner }) => patchSystemGuild(place.deps, owner.id, '333', {}, 'make'),
  },
  {
    entity: member,
    ask: 'PATCH /v2/members/<heron>',
    read: 'GET /v2/members/<heron>',
    told: 'UPDATE_MEMBER',
  },
  {
    entity: member,
    ask: 'POST /v2/members',
    read: 'GET /v2/members/$',
    told: 'CREATE_MEMBER',
    needs: { name: 'Robin' },
  },
  {
    entity: memberGuild,
    ask: 'PATCH /v2/members/<heron>/guilds/333',
    read: 'GET /v2/members/<heron>/guilds/333',
    told: 'UPDATE_MEMBER_GUILD',
    make: ({ heron }) => patchMemberGuild(place.deps, heron, '333', {}, 'make'),
  },
  {
    entity: group,
    ask: 'PATCH /v2/groups/<dreamers>',
    read: 'GET /v2/groups/<dreamers>',
    told: 'UPDATE_GROUP',
  },
  {
    entity: group,
    ask: 'POST /v2/groups',
    read: 'GET /v2/groups/$',
    told: 'CREATE_GROUP',
    needs: { name: 'Robins' },
  },
]

describe.each(targets)('$ask', ({ entity, ask, read, told, make, needs = {} }) => {
  const isNew = ask.startsWith('POST')
  const writable = entity.entries.filter(([, field]) => !field.readonly)

  async function worldOf(): Promise<Fixture> {
    const world = await createFixture(place)
    await make?.(world)
    return world
  }

  /** For what is refused: that it changes nothing is part of every test. */
  let shared: Promise<Fixture> | undefined
  const unchanged = () => (shared ??= worldOf())

  /** Refused with this error, and nothing is written. */
  async function expectRefusal(world: Fixture, body: unknown, keys: string[] | null) {
    const before = await stateOf(place)
    const { status, json, text } = await world.ask(ask, body)
    const sent = JSON.stringify(body)?.slice(0, 200)
    expect({ status, code: json.code }, `${sent} gave ${text}`).toEqual({
      status: 400,
      code: keys ? 40001 : 0,
    })
    expect(Object.keys((json.errors as JsonObject) ?? {}).toSorted(), sent).toEqual(
      (keys ?? []).toSorted(),
    )
    expect(await stateOf(place)).toEqual(before)
    return json
  }

  test.each(writable)('%s takes what it may hold, gives it back and tells of it', async (key) => {
    const world = await worldOf()
    const field = entity.fields[key] as Field
    let stored: unknown = (await world.get(isNew ? 'GET /v2/systems/@me' : read))[key]
    for (const [sent, kept] of goodValuesOf(field)) {
      const { lastEvent } = await stateOf(place)
      const answer = await world.do(ask, { ...needs, [key]: sent })
      expect(answer[key]).toEqual(kept)
      const [event, ...more] = await eventsSince(world, lastEvent)
      const isChanged = isNew || JSON.stringify(kept) !== JSON.stringify(stored)
      expect(event?.[0]).toBe(isChanged ? told : undefined)
      const guild = ask.includes('/guilds/') ? { guild_id: '333' } : {}
      if (isChanged) expect(event?.[2]).toEqual({ ...needs, ...guild, [key]: kept })
      expect(more).toEqual([])
      const again = await world.get(read.replace('$', String(answer.id)))
      expect(again[key]).toEqual(kept)
      stored = kept
    }
  })

  test.each(writable)('%s refuses everything else', async (key) => {
    const world = await unchanged()
    const field = entity.fields[key] as Field
    for (const value of valuesOf(field).bad)
      await expectRefusal(world, { ...needs, [key]: value }, [key])
  })

  const lengthy = writable.filter(([, { kind }]) => kind === 'text' || kind === 'url')

  test.each(lengthy)('%s that is too long is told with both lengths', async (key) => {
    const { max = 0 } = entity.fields[key] as Field
    const sent = `https://example.com/${'x'.repeat(max)}`
    const json = await expectRefusal(await unchanged(), { ...needs, [key]: sent }, [key])
    const [problem] = (json.errors as Record<string, JsonObject[]>)[key] ?? []
    expect(problem).toEqual({
      message: expect.any(String),
      max_length: max,
      actual_length: sent.length,
    })
  })

  test('every problem is told at once', async () => {
    const body: JsonObject = {}
    for (const [key, field] of writable) body[key] = badValueOf(field)
    const levels = Object.fromEntries(entity.levels.map((level) => [level, 'hidden']))
    const keys = [...writable.map(([key]) => key), ...entity.levels]
    await expectRefusal(await unchanged(), { ...body, privacy: levels }, keys)
  })

  test('one problem is enough for nothing to be written', async () => {
    const world = await unchanged()
    const [[good], [bad, badField]] = [writable.at(-1), writable[0]] as [
      [string, Field],
      [string, Field],
    ]
    const [value] = goodValuesOf(entity.fields[good] as Field)[0] ?? []
    await expectRefusal(world, { ...needs, [good]: value, [bad]: badValueOf(badField) }, [bad])
  })

  test('keys that are unknown or only shown are passed over', async () => {
    const world = await worldOf()
    const [key, field] = writable[0] as [string, Field]
    const [sent, kept] = goodValuesOf(field)[0] as [unknown, unknown]
    const { system: _, ...before } = isNew ? {} : await world.get(read)
    const answer = await world.do(ask, { ...needs, ...onlyShown, [key]: sent })
    for (const shown of Object.keys(onlyShown))
      if (!isNew) expect(answer[shown]).toEqual(before[shown])
      else expect(answer[shown]).not.toEqual(onlyShown[shown as keyof typeof onlyShown])
    expect(answer[key]).toEqual(kept)
  })

  if (!isNew) {
    test('a change that says nothing valid is refused', async () => {
      const world = await worldOf()
      const nothing = [{}, onlyShown, { name_privacy: 'private' }] as JsonObject[]
      for (const body of nothing) await expectRefusal(world, body, null)
      await expectRefusal(world, '{"__proto__": {"name": "x", "display_name": "x"}}', null)
    })

    test('a change to what is so already tells nothing', async () => {
      const world = await worldOf()
      const same = await world.get(read)
      const body = Object.fromEntries(writable.map(([key]) => [key, same[key]]))
      const { lastEvent } = await stateOf(place)
      const { json } = await world.ask(ask, { ...body, privacy: same.privacy })
      const { system: _, ...rest } = same
      expect(json).toEqual(rest)
      expect(await eventsSince(world, lastEvent)).toEqual([])
    })

    test('a key that is left out keeps its value', async () => {
      const world = await worldOf()
      for (const [key, field] of writable) {
        const before = await world.get(read)
        const [sent] = goodValuesOf(field).at(-1) ?? []
        const { system: _, ...rest } = before
        const answer = await world.do(ask, { [key]: sent })
        expect({ ...answer, [key]: null }).toEqual({ ...rest, [key]: null })
      }
    })
  }

  test('a body that is no JSON object is refused', async () => {
    const world = await unchanged()
    for (const body of ['', '{', '{"name": }', "{'name': 'x'}", '[]', '[{}]', 'null', '5', '"x"'])
      await expectRefusal(world, body, null)
  })

  if (entity.levels.length > 0)
    test('each privacy level is set alone, and null makes it public', async () => {
      const world = await worldOf()
      for (const level of entity.levels)
        for (const [sent, kept] of [
          ['private', 'private'],
          [null, 'public'],
          ['private', 'private'],
          ['public', 'public'],
        ]) {
          const answer = await world.do(ask, { ...needs, privacy: { [level]: sent } })
          const levels = { ...defaultLevels(entity), [level]: kept }
          expect(answer.privacy).toEqual(levels)
          const again = await world.get(read.replace('$', String(answer.id)))
          expect(again.privacy).toEqual(levels)
        }
    })

  if (entity.levels.length > 0)
    test('a privacy level takes two words and null only', async () => {
      const world = await unchanged()
      for (const level of entity.levels)
        for (const value of ['', 'Private', 'PUBLIC', 'hidden', 1, true, [], {}])
          await expectRefusal(world, { ...needs, privacy: { [level]: value } }, [level])
      for (const privacy of ['private', 1, true, []])
        await expectRefusal(world, { ...needs, privacy }, ['privacy'])
    })

  if (entity.levels.length > 0)
    test('a privacy object without a known level says nothing', async () => {
      const world = await worldOf()
      for (const privacy of [null, {}, { shoe_privacy: 'private' }])
        if (isNew)
          expect((await world.do(ask, { ...needs, privacy })).privacy).toEqual(
            defaultLevels(entity),
          )
        else await expectRefusal(world, { privacy }, null)
    })
})

const onlyShown = {
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

/** A choice lists what it takes; every other kind has values of its own. */
function goodValuesOf(field: Field): [unknown, unknown][] {
  if (field.kind !== 'choice') return valuesOf(field).good
  return (field.choices ?? []).map((word) => [word, word])
}

function defaultLevels(entity: Entity): JsonObject {
  return Object.fromEntries(entity.levels.map((level) => [level, 'public']))
}
