import { describe, expect, test } from 'bun:test'
import { inspect } from '../../src/db/sqlite/doctor'
import { eventsOfSystemAfter, latestEventId } from '../../src/events/outbox'
import { serializeEvent } from '../../src/events/serialize'
import type { JsonObject } from '../../src/model/entity'
import { renderRowJson } from '../../src/serializers/v2'
import { createBot } from '../operatorActions'
import { pluralkitObjections } from '../service/pluralkitRules'
import {
  exportText,
  importInto,
  pluralkit,
  withRawDatabaseAsync,
} from '../service/transfer/importFixture'
import { createTestApp, type TestSystem } from '../testApp'
import { type Added, added, LEVEL, TOLD_TIME } from './tables'

/**
 * Run by `newField.test.ts` in a copy of the house, where every table has one more level and one
 * more field of every kind. Every answer is held against that copy's own documentation.
 */

const place = createTestApp()
const { deps, ask } = place

const sent: JsonObject = mapAdded(({ sent }) => sent)
const hidden: JsonObject = { ...mapAdded(({ hidden }) => hidden), [TOLD_TIME]: null }
const told = { [TOLD_TIME]: '2025-06-07T08:09:10.5Z' }
const GUILD = '200000000000000001'

interface Scene {
  me: TestSystem
  stranger: TestSystem
  wren: string
  keepers: string
}

async function makeScene(): Promise<Scene> {
  const [me, stranger] = [await place.makeSystem('Lantern Hill'), await place.makeSystem()]
  const make = async (line: string, name: string) =>
    String((await ask(line, { as: me, body: { name } })).json.id)
  const wren = await make('POST /v2/members', 'Wren')
  const keepers = await make('POST /v2/groups', 'Keepers')
  return { me, stranger, wren, keepers }
}

/** Where each table is read and written, and what its change is told as. */
const nouns: [noun: string, path: (scene: Scene) => string, event: string][] = [
  ['a system', () => '/v2/systems/@me', 'UPDATE_SYSTEM'],
  ['a member', ({ wren }) => `/v2/members/${wren}`, 'UPDATE_MEMBER'],
  ['a group', ({ keepers }) => `/v2/groups/${keepers}`, 'UPDATE_GROUP'],
  ['settings', () => '/v2/systems/@me/settings', 'UPDATE_SETTINGS'],
  ['a system’s guild', () => `/v2/systems/@me/guilds/${GUILD}`, 'UPDATE_SYSTEM_GUILD'],
  ['a member’s guild', ({ wren }) => `/v2/members/${wren}/guilds/${GUILD}`, 'UPDATE_MEMBER_GUILD'],
  ['autoproxy', () => `/v2/systems/@me/autoproxy?guild_id=${GUILD}`, 'UPDATE_AUTOPROXY'],
]

/** Those that have levels. */
const guarded = nouns.slice(0, 3)

/** Guild settings are made by whoever proxies in that guild. */
const bot = `Bot ${await createBot(deps, 'bot')}`

async function openGuilds({ me, wren }: Scene): Promise<void> {
  const headers = { authorization: bot, 'x-system': me.hid }
  const body = { display_name: 'Here' }
  for (const path of [
    `/bot/systems/${me.hid}/guilds/${GUILD}`,
    `/bot/members/${wren}/guilds/${GUILD}`,
  ])
    expect((await ask(`PATCH ${path}`, { headers, body })).status).toBe(200)
}

describe('version 2', () => {
  test.each(nouns)('takes and shows what %s gained', async (_, pathOf) => {
    const scene = await makeScene()
    await openGuilds(scene)
    const path = pathOf(scene)
    const { status, json } = await ask(`PATCH ${path}`, { as: scene.me, body: sent })
    expect([status, json]).toMatchObject([200, sent])
    expect((await ask(`GET ${path}`, { as: scene.me })).json).toMatchObject(sent)
  })

  test.each(guarded)('takes the level that %s gained, and hides behind it', async (_, pathOf) => {
    const scene = await makeScene()
    const body = { ...sent, privacy: { [LEVEL]: 'private' } }
    const { json } = await ask(`PATCH ${pathOf(scene)}`, { as: scene.me, body })
    expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
    const path = pathOf(scene).replace('@me', scene.me.hid)
    for (const as of [scene.stranger, null])
      expect((await ask(`GET ${path}`, { as })).json).toMatchObject(hidden)
  })

  test('changes the new level of all members at once', async () => {
    const { me, wren } = await makeScene()
    await ask('POST /private/bulk_privacy/member', { as: me, body: { [LEVEL]: 'private' } })
    const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
    expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
  })

  test('takes and shows what a guild gained', async () => {
    const headers = { authorization: bot }
    const { json } = await ask(`PATCH /bot/guilds/${GUILD}`, { headers, body: sent })
    expect(json).toMatchObject(sent)
    expect((await ask(`GET /bot/guilds/${GUILD}`, { headers })).json).toMatchObject(sent)
  })
})

describe('version 1', () => {
  const olds: [string, (scene: Scene) => [read: string, write: string]][] = [
    ['a system', ({ me }) => [`/v1/s/${me.hid}`, '/v1/s']],
    ['a member', ({ wren }) => [`/v1/m/${wren}`, `/v1/m/${wren}`]],
  ]

  test.each(olds)('neither takes nor shows what %s gained', async (_, pathsOf) => {
    const scene = await makeScene()
    const [read, write] = pathsOf(scene)
    const { json: before } = await ask(`GET ${read}`, { as: scene.me })
    const body = { color: '88c0a8', ...sent, [LEVEL]: 'private' }
    const { status, json } = await ask(`PATCH ${write}`, { as: scene.me, body })
    expect([status, json]).toEqual([200, { ...before, color: '88c0a8' }])
    for (const as of [scene.me, scene.stranger]) {
      const { json: seen } = await ask(`GET ${read}`, { as })
      expect(Object.keys(seen)).toEqual(Object.keys(before))
    }
  })

  test('makes what a member gained private, too, where all of it is to be', async () => {
    const { me, wren } = await makeScene()
    await ask(`PATCH /v1/m/${wren}`, { as: me, body: { privacy: 'private' } })
    const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
    expect(json.privacy).toMatchObject({ [LEVEL]: 'private' })
  })
})

describe('an event', () => {
  test.each(nouns)('tells what %s gained as every wire spells it', async (_, pathOf, event) => {
    const scene = await makeScene()
    await openGuilds(scene)
    const before = await latestEventId(deps.db)
    const hasLevels = guarded.some(([, path]) => path === pathOf)
    const body = { ...sent, ...(hasLevels && { privacy: { [LEVEL]: 'private' } }) }
    await ask(`PATCH ${pathOf(scene)}`, { as: scene.me, body })
    const [stored] = await eventsOfSystemAfter(deps.db, scene.me.id, before, 1)
    if (!stored) throw new Error('nothing is told')
    const { type, data } = serializeEvent(stored, scene.me.uuid)
    expect(type).toBe(event)
    expect(data).toMatchObject(body)
  })

  test('tells what a new member was given', async () => {
    const { me } = await makeScene()
    const before = await latestEventId(deps.db)
    const body = { name: 'Ash', ...sent, privacy: { [LEVEL]: 'private' } }
    await ask('POST /v2/members', { as: me, body })
    const [stored] = await eventsOfSystemAfter(deps.db, me.id, before, 1)
    expect(stored && serializeEvent(stored, me.uuid).data).toEqual(body)
  })
})

describe('a file', () => {
  const rich = { ...sent, ...told, privacy: { [LEVEL]: 'private' } }
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

  test('brings it, takes it away again, and brings it elsewhere', async () => {
    const [one, other] = [await place.makeSystem(), await place.makeSystem()]
    expect((await importInto(place, one, file)).repairs).toEqual([])
    const text = await exportText(deps, one.id)
    expect(partsOf(text)).toMatchObject([rich, plain, rich, rich, plain, plain, plain])
    await importInto(place, other, Buffer.from(text))
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

  test('is still one that PluralKit takes', async () => {
    const me = await place.makeSystem()
    await importInto(place, me, file)
    expect(pluralkitObjections(await exportText(deps, me.id))).toEqual([])
  })

  test('of values that cannot be kept says of each what became of it', async () => {
    const me = await place.makeSystem()
    const wrong = { ...mapAdded(() => ({})), [TOLD_TIME]: {} }
    const members = [{ name: 'Wren', ...wrong }]
    const { repairs } = await importInto(place, me, pluralkit({ members }))
    expect(repairs.map(({ field }) => field).toSorted()).toEqual(Object.keys(wrong).toSorted())
  })
})

test('doctor finds nothing wrong with it', async () => {
  const { me, wren } = await makeScene()
  const body = { ...sent, privacy: { [LEVEL]: 'private' } }
  await ask(`PATCH /v2/members/${wren}`, { as: me, body })
  const path = place.config.DATABASE_URL.replace('file:', '')
  expect(await withRawDatabaseAsync(path, (database) => inspect(database, renderRowJson))).toEqual(
    [],
  )
})

/** The system, its settings, a member, a group and what they have of a guild. */
function partsOf(text: string): JsonObject[] {
  const { config, members, groups, multitude, ...system } = JSON.parse(text)
  const { system_guilds, member_guilds, autoproxy } = multitude
  const lists = [members, groups, system_guilds, member_guilds, autoproxy]
  return [system, config, ...lists.map(([first]) => first)]
}

function mapAdded(value: (one: Added) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(added).map(([key, one]) => [key, value(one)]))
}
