import { inspect } from '../../src/doctor/sqliteDoctor'
import { eventsOfSystemAfter, latestEventId } from '../../src/events/outbox'
import { serializeEvent } from '../../src/events/serialize'
import type { JsonObject } from '../../src/model/core/entity'
import { renderRowJson } from '../../src/serializers/v2'
import { findPluralkitProblems } from '../service/pluralkitRules'
import {
  exportText,
  importInto,
  pluralkit,
  withRawDatabaseAsync,
} from '../service/transfer/importFixture'
import { createBot } from '../tools/operatorActions'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { type AddedField, addedFields, LEVEL, READONLY_TIME } from './tables'

/**
 * Run by `newField.ts` in a copy of the repository, where every table has an additional level
 * and an additional field of every kind. Every response is compared with that copy's API document.
 */

const testApp = createTestApp()
const { deps, ask } = testApp

const sent: JsonObject = mapAdded(({ sent }) => sent)
const hidden: JsonObject = { ...mapAdded(({ hidden }) => hidden), [READONLY_TIME]: null }
const readonlyTime = { [READONLY_TIME]: '2025-06-07T08:09:10.5Z' }
const GUILD = '200000000000000001'

interface Scene {
  me: TestSystem
  stranger: TestSystem
  wren: string
  keepers: string
}

async function createScene(): Promise<Scene> {
  const [me, stranger] = [await testApp.makeSystem('Lantern Hill'), await testApp.makeSystem()]
  const make = async (line: string, name: string) =>
    String((await ask(line, { as: me, body: { name } })).json.id)
  const wren = await make('POST /v2/members', 'Wren')
  const keepers = await make('POST /v2/groups', 'Keepers')
  return { me, stranger, wren, keepers }
}

/** Path of each entity, and the event of its change. */
const entities: [entity: string, path: (scene: Scene) => string, event: string][] = [
  ['a system', () => '/v2/systems/@me', 'UPDATE_SYSTEM'],
  ['a member', ({ wren }) => `/v2/members/${wren}`, 'UPDATE_MEMBER'],
  ['a group', ({ keepers }) => `/v2/groups/${keepers}`, 'UPDATE_GROUP'],
  ['settings', () => '/v2/systems/@me/settings', 'UPDATE_SETTINGS'],
  ['a system’s guild', () => `/v2/systems/@me/guilds/${GUILD}`, 'UPDATE_SYSTEM_GUILD'],
  ['a member’s guild', ({ wren }) => `/v2/members/${wren}/guilds/${GUILD}`, 'UPDATE_MEMBER_GUILD'],
  ['autoproxy', () => `/v2/systems/@me/autoproxy?guild_id=${GUILD}`, 'UPDATE_AUTOPROXY'],
]

/** Entities with privacy levels. */
const guardedEntities = entities.slice(0, 3)

/** Only a bot can create guild settings. */
const bot = `Bot ${await createBot(deps, 'bot')}`

async function createGuildSettings({ me, wren }: Scene): Promise<void> {
  const headers = { authorization: bot, 'x-system': me.hid }
  const body = { display_name: 'Here' }
  for (const path of [
    `/bot/systems/${me.hid}/guilds/${GUILD}`,
    `/bot/members/${wren}/guilds/${GUILD}`,
  ])
    expect((await ask(`PATCH ${path}`, { headers, body })).status).toBe(200)
}

describe('version 2', () => {
  test.each(entities)('version 2 stores and returns the added fields of %s', async (_, pathOf) => {
    const scene = await createScene()
    await createGuildSettings(scene)
    const path = pathOf(scene)
    const { status, json } = await ask(`PATCH ${path}`, { as: scene.me, body: sent })
    expect([status, json]).toMatchObject([200, sent])
    expect((await ask(`GET ${path}`, { as: scene.me })).json).toMatchObject(sent)
  })

  test.each(guardedEntities)(
    'version 2 hides the added fields of %s behind the added level',
    async (_, pathOf) => {
      const scene = await createScene()
      const body = { ...sent, privacy: { [LEVEL]: 'private' } }
      const { json } = await ask(`PATCH ${pathOf(scene)}`, { as: scene.me, body })
      expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
      const path = pathOf(scene).replace('@me', scene.me.hid)
      for (const as of [scene.stranger, null])
        expect((await ask(`GET ${path}`, { as })).json).toMatchObject(hidden)
    },
  )

  test('a bulk privacy request changes the added level of all members', async () => {
    const { me, wren } = await createScene()
    await ask('POST /private/bulk_privacy/member', { as: me, body: { [LEVEL]: 'private' } })
    const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
    expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
  })

  test('the bot API stores and returns the added fields of a guild', async () => {
    const headers = { authorization: bot }
    const { json } = await ask(`PATCH /bot/guilds/${GUILD}`, { headers, body: sent })
    expect(json).toMatchObject(sent)
    expect((await ask(`GET /bot/guilds/${GUILD}`, { headers })).json).toMatchObject(sent)
  })
})

describe('version 1', () => {
  const v1Entities: [string, (scene: Scene) => [read: string, write: string]][] = [
    ['a system', ({ me }) => [`/v1/s/${me.hid}`, '/v1/s']],
    ['a member', ({ wren }) => [`/v1/m/${wren}`, `/v1/m/${wren}`]],
  ]

  test.each(v1Entities)(
    'version 1 ignores and omits the added fields of %s',
    async (_, pathsOf) => {
      const scene = await createScene()
      const [read, write] = pathsOf(scene)
      const { json: before } = await ask(`GET ${read}`, { as: scene.me })
      const body = { color: '88c0a8', ...sent, [LEVEL]: 'private' }
      const { status, json } = await ask(`PATCH ${write}`, { as: scene.me, body })
      expect([status, json]).toEqual([200, { ...before, color: '88c0a8' }])
      for (const as of [scene.me, scene.stranger]) {
        const { json: response } = await ask(`GET ${read}`, { as })
        expect(Object.keys(response)).toEqual(Object.keys(before))
      }
    },
  )

  test('version 1 sets the added level when it makes a member private', async () => {
    const { me, wren } = await createScene()
    await ask(`PATCH /v1/m/${wren}`, { as: me, body: { privacy: 'private' } })
    const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
    expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
  })
})

describe('events', () => {
  test.each(entities)(
    'an event has the added fields of %s as the API serializes them',
    async (_, pathOf, event) => {
      const scene = await createScene()
      await createGuildSettings(scene)
      const before = await latestEventId(deps.db)
      const hasLevels = guardedEntities.some(([, path]) => path === pathOf)
      const body = { ...sent, ...(hasLevels && { privacy: { [LEVEL]: 'private' } }) }
      await ask(`PATCH ${pathOf(scene)}`, { as: scene.me, body })
      const [stored] = await eventsOfSystemAfter(deps.db, scene.me.id, before, 1)
      if (!stored) throw new Error('no event recorded')
      const { type, data } = serializeEvent(stored, scene.me.uuid)
      expect(type).toBe(event)
      expect(data).toMatchObject(body)
    },
  )

  test('the event of a new member has its added fields', async () => {
    const { me } = await createScene()
    const before = await latestEventId(deps.db)
    const body = { name: 'Ash', ...sent, privacy: { [LEVEL]: 'private' } }
    await ask('POST /v2/members', { as: me, body })
    const [stored] = await eventsOfSystemAfter(deps.db, me.id, before, 1)
    expect(stored && serializeEvent(stored, me.uuid).data).toEqual(body)
  })
})

describe('import and export', () => {
  const rich = { ...sent, ...readonlyTime, privacy: { [LEVEL]: 'private' } }
  const { privacy: _, ...plain } = rich
  const file = pluralkit({
    ...rich,
    name: 'Lantern Hill',
    config: plain,
    members: [{ id: 'teaaa', name: 'Wren', ...rich }],
    groups: [{ id: 'teaab', name: 'Keepers', members: ['teaaa'], ...rich }],
    multitude: {
      system_guilds: [{ guild_id: GUILD, ...plain }],
      member_guilds: [{ guild_id: GUILD, member: 'teaaa', ...plain }],
      autoproxy: [{ guild_id: GUILD, autoproxy_mode: 'off', ...plain }],
    },
  })

  test('added fields survive an import, an export and another import', async () => {
    const [one, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    expect((await importInto(testApp, one, file)).repairs).toEqual([])
    const text = await exportText(deps, one.id)
    expect(partsOf(text)).toMatchObject([rich, plain, rich, rich, plain, plain, plain])
    await importInto(testApp, other, Buffer.from(text))
    expect(partsOf(await exportText(deps, other.id))).toMatchObject([
      rich,
      plain,
      rich,
      rich,
      plain,
      plain,
      plain,
    ])
    for (const path of ['/v2/systems/@me', '/v2/systems/@me/settings'])
      expect((await ask(`GET ${path}`, { as: other })).json).toMatchObject(plain)
  })

  test('PluralKit accepts an export with added fields', async () => {
    const me = await testApp.makeSystem()
    await importInto(testApp, me, file)
    expect(findPluralkitProblems(await exportText(deps, me.id))).toEqual([])
  })

  test('an import reports a repair for each invalid value of an added field', async () => {
    const me = await testApp.makeSystem()
    const wrong = { ...mapAdded(() => ({})), [READONLY_TIME]: {} }
    const members = [{ name: 'Wren', ...wrong }]
    const { repairs } = await importInto(testApp, me, pluralkit({ members }))
    expect(repairs.map(({ field }) => field).toSorted()).toEqual(Object.keys(wrong).toSorted())
  })
})

test('doctor finds no problem in a database with added fields', async () => {
  const { me, wren } = await createScene()
  const body = { ...sent, privacy: { [LEVEL]: 'private' } }
  await ask(`PATCH /v2/members/${wren}`, { as: me, body })
  const path = testApp.config.DATABASE_URL.replace('file:', '')
  expect(await withRawDatabaseAsync(path, (database) => inspect(database, renderRowJson))).toEqual(
    [],
  )
})

/** Lists the system, its settings, the first member and group, and their guild settings. */
function partsOf(text: string): JsonObject[] {
  const { config, members, groups, multitude, ...system } = JSON.parse(text)
  const { system_guilds, member_guilds, autoproxy } = multitude
  const lists = [members, groups, system_guilds, member_guilds, autoproxy]
  return [system, config, ...lists.map(([first]) => first)]
}

function mapAdded(value: (field: AddedField) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(addedFields).map(([key, field]) => [key, value(field)]))
}
