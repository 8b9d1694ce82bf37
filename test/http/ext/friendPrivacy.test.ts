import { join } from 'node:path'
import type { Entity } from '../../../src/model/core/entity'
import type { Field } from '../../../src/model/core/field'
import { fronter } from '../../../src/model/front/fronter'
import { group } from '../../../src/model/groups/group'
import { groupExt } from '../../../src/model/groups/groupExt'
import { customField } from '../../../src/model/members/customField'
import { member } from '../../../src/model/members/member'
import { memberExt } from '../../../src/model/members/memberExt'
import { system } from '../../../src/model/systems/system'
import { execute } from '../../tools/rawSql'
import type { Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

type Level = 'public' | 'private'

/** Callers that read the owner's data. */
const readers = [
  'owner',
  'friend in a bucket',
  'friend who sees no members',
  'friend in no bucket',
  'former friend',
  'other system',
  'anonymous caller',
] as const
type Reader = (typeof readers)[number]

const entities: Entity[] = [system, member, memberExt, group, groupExt, customField, fronter]

/** Field tables whose objects only their owner reads, or that a friend has of its own. */
const neverShared = [
  'autoproxy settings',
  'bucket',
  'extSettings',
  'friend',
  'frontNote',
  'guild',
  'invite',
  'member guild settings',
  'note',
  'poll',
  'post',
  'preferences',
  'pushTarget',
  'reminder',
  'room',
  'settings',
  'share',
  'system guild settings',
  'token',
  'vote',
]

/** Keys of objects for friends that are not in their field table. */
const keysBesideTable: Record<string, readonly string[]> = {
  system: ['id', 'uuid'],
  member: ['id', 'uuid', 'privacy'],
  memberExt: ['member', 'about_excerpt'],
  group: ['id', 'uuid', 'privacy'],
  groupExt: ['group'],
  customField: ['id'],
  fronter: ['member'],
}

/** Keys of a system that friends see. */
const shownOfSystem = ['name', 'description', 'pronouns', 'avatar_url', 'banner', 'color']

/** Keys of a fronter that a friend sees who sees no members. */
const shownInFront = ['name', 'display_name', 'pronouns', 'avatar_url', 'color']

/** Keys that objects for friends lack. */
const absentForFriends = [
  'archived',
  'archived_at',
  'archived_reason',
  'announce_front',
  'buckets',
  'webhook_url',
]

/** Keys that callers other than the owner get as null, and those that they do not get. */
const nullForOthers = [
  'archived',
  'archived_at',
  'archived_reason',
  'announce_front',
  'autoproxy_enabled',
]
const absentForOthers = ['buckets', 'webhook_url']

const STATUS = 'fronter-status'
const TIME = 1_600_000_000_000_000
const TIME_TEXT = '2020-09-13T12:26:40Z'

/** Value that differs from the default, as stored and as in responses. */
function sampleOf(entity: Entity, key: string, field: Field): { stored: unknown; json: unknown } {
  const same = (value: unknown) => ({ stored: value, json: value })
  const name = `${entity.name}-${key}`
  if (key === 'type') return same('text')
  if (key === 'position') return same(0)
  switch (field.kind) {
    case 'text':
      return same(key === 'emoji' ? '🔒' : name)
    case 'url':
      return same(`https://a.example/${name}.png`)
    case 'color':
      return same('abcdef')
    case 'date':
      return same('1990-12-31')
    case 'flag':
      return { stored: Number(!field.defaultValue), json: !field.defaultValue }
    case 'count':
      return same(7)
    case 'timestamp':
      return { stored: TIME, json: TIME_TEXT }
    case 'proxyTags':
      return { stored: '[{"prefix":"s:","suffix":null}]', json: [{ prefix: 's:', suffix: null }] }
    case 'choice':
      return same(field.choices?.find((one) => one !== field.defaultValue))
    default:
      if (derived.includes(key)) return same(field.defaultValue)
      throw new Error(`add a value of the kind ${field.kind} (${name}) to sampleOf`)
  }
}

/** Keys whose values are rows of other tables, or are set below. */
const derived = ['archived', 'fields', 'buckets', 'parent', 'members', 'options', 'webhook_url']

/** Stores a value in each column of a row, and the level in each privacy column. */
async function fill(entity: Entity, table: string, where: string, level: Level): Promise<void> {
  const values = Object.fromEntries([
    ...entity.entries
      .filter(([key]) => !derived.includes(key))
      .map(([key, field]) => [key, sampleOf(entity, key, field).stored]),
    ...entity.levels.map((name) => [name, level]),
    ...(entity === customField ? [['privacy', level]] : []),
  ])
  const changes = Object.keys(values).map((key) => `"${key}" = :${key}`)
  await testApp.deps.transact('new', (tx) =>
    execute(tx, `update ${table} set ${changes.join()} where ${where}`, values as never),
  )
}

interface Owner {
  readonly system: TestSystem
  readonly member: string
  readonly group: string
  readonly parent: string
  readonly field: string
  readonly bucket: string
  readonly friendships: Partial<Record<Reader, string>>
  readonly tokens: Partial<Record<Reader, TestSystem>>
}

const sent = async (as: TestSystem | null, request: string, body?: unknown) => {
  const { status, json, text } = await testApp.ask<Json & Json[]>(request, { as, body })
  if (status >= 300) throw new Error(`${request}: ${status} ${text}`)
  return json
}

/** Creates a system with a value in each field, and its readers. */
async function createOwner(level: Level): Promise<Owner> {
  const own = await testApp.makeSystem('Lantern Hill')
  const { id } = await sent(own, 'POST /ext/v1/buckets', { name: 'Close' })
  const bucket = String(id)
  const field = String(
    (await sent(own, 'POST /ext/v1/systems/@me/fields', { name: 'Role', type: 'text' })).id,
  )
  const created = await sent(own, 'POST /ext/v1/members', {
    member: { name: 'Wren' },
    fields: { [field]: 'Keeper' },
    about: 'x',
    archived: true,
  })
  const wren = String((created.member as Json).uuid)
  const parent = String((await sent(own, 'POST /v2/groups', { name: 'Parent' })).uuid)
  const keepers = String((await sent(own, 'POST /v2/groups', { name: 'Keepers' })).uuid)
  await sent(own, `POST /v2/groups/${keepers}/members/add`, [wren])
  await sent(own, `PATCH /ext/v1/groups/${keepers}`, { parent, emoji: 'x' })
  await sent(own, 'POST /v2/systems/@me/switches', { members: [wren], timestamp: TIME_TEXT })
  const status = { kind: 'status', member: wren, text: STATUS }
  await sent(own, 'POST /ext/v1/systems/@me/front/notes', status)
  await sent(own, 'PATCH /ext/v1/systems/@me/settings', { front_status_privacy: level })
  await sent(own, `PUT /ext/v1/buckets/${bucket}/contents`, {
    members: [wren],
    groups: [parent, keepers],
    fields: [field],
  })
  await fill(system, 'systems', `id = ${own.id}`, level)
  await fill(member, 'members', `uuid = '${wren}'`, level)
  const idOf = (table: string, uuid: string) => `(select id from ${table} where uuid = '${uuid}')`
  await fill(memberExt, 'member_ext', `member_id = ${idOf('members', wren)}`, level)
  for (const uuid of [parent, keepers]) await fill(group, 'groups', `uuid = '${uuid}'`, level)
  await fill(groupExt, 'group_ext', `group_id = ${idOf('groups', keepers)}`, level)
  await fill(customField, 'fields', `uuid = '${field}'`, level)
  const webhook = `https://a.example/system-webhook_url.png`
  await testApp.deps.transact('new', (tx) =>
    execute(tx, `update systems set webhook_url = '${webhook}' where id = ${own.id}`),
  )

  const tokens: Partial<Record<Reader, TestSystem>> = { owner: own }
  const friendships: Partial<Record<Reader, string>> = {}
  for (const reader of readers.slice(1, -1)) {
    const one = await testApp.makeSystem(reader)
    tokens[reader] = one
    if (reader === 'other system') continue
    const buckets = reader === 'friend in no bucket' ? [] : [bucket]
    const see_members = reader !== 'friend who sees no members'
    const share = { see_front: true, see_members, buckets }
    const { code } = await sent(own, 'POST /ext/v1/friends/invites', { share })
    friendships[reader] = String((await sent(one, 'POST /ext/v1/friends', { code })).id)
  }
  const former = `/ext/v1/friends/${friendships['former friend']}`
  await sent(own, `DELETE ${former}`)
  return { system: own, member: wren, group: keepers, parent, field, bucket, friendships, tokens }
}

type Objects = Partial<Record<string, Json>>

/** Finds the objects of the owner in responses: by the name of their field table. */
const objectsOf = (
  of: Owner,
  found: {
    system?: Json | null
    members: Json[]
    groups: Json[]
    fields: Json[]
    fronters: Json[]
  },
): Objects => {
  const isOf = (uuid: string, key: string) => (one: Json) => (one[key] as Json)?.uuid === uuid
  const wren = found.members.find(isOf(of.member, 'member'))
  const keepers = found.groups.find(isOf(of.group, 'group'))
  return {
    system: found.system ?? undefined,
    member: wren?.member as Json | undefined,
    memberExt: wren,
    group: keepers?.group as Json | undefined,
    groupExt: keepers,
    customField: found.fields.find(({ id }) => id === of.field),
    fronter: found.fronters.find(isOf(of.member, 'member')),
  } as Objects
}

/** Reads everything that a caller can get about the owner from v2 and the extension API. */
async function readPublic(of: Owner, as: TestSystem | null): Promise<Objects> {
  const ref = of.system.hid
  const list = async (path: string) => {
    const { status, json } = await testApp.ask<Json[]>(`GET ${path}`, { as })
    return status === 200 ? json : []
  }
  return objectsOf(of, {
    system: await sent(as, `GET /v2/systems/${ref}`),
    members: [await sent(as, `GET /ext/v1/members/${of.member}`)],
    groups: await list(`/ext/v1/systems/${ref}/groups`),
    fields: await list(`/ext/v1/systems/${ref}/fields`),
    fronters: await frontersOf(`/ext/v1/systems/${ref}/front`, as),
  })
}

/** Reads everything that a friend gets. */
async function readAsFriend(of: Owner, reader: Reader): Promise<Objects> {
  const as = of.tokens[reader] ?? null
  const path = `/ext/v1/friends/${of.friendships[reader]}`
  const [friend] = await sent(as, 'GET /ext/v1/friends')
  const list = async (name: string) => {
    const { status, json } = await testApp.ask<Json[]>(`GET ${path}/${name}`, { as })
    return status === 403 ? [] : json
  }
  return objectsOf(of, {
    system: friend?.system as Json,
    members: await list('members'),
    groups: await list('groups'),
    fields: await list('fields'),
    fronters: await frontersOf(`${path}/front`, as),
  })
}

async function frontersOf(path: string, as: TestSystem | null): Promise<Json[]> {
  const { status, json } = await testApp.ask<{ fronters: Json[] }>(`GET ${path}`, { as })
  return status === 200 ? json.fronters : []
}

/** Returns the value of a field for the owner. */
function ownValue(of: Owner, entity: Entity, key: string, field: Field, level: Level): unknown {
  if (key === 'privacy') return level
  if (key === 'archived') return true
  if (key === 'fields') return { [of.field]: 'Keeper' }
  if (key === 'buckets') return [of.bucket]
  if (key === 'parent') return of.parent
  if (key === 'members') return [of.member]
  if (key === 'webhook_url') return 'https://a.example/system-webhook_url.png'
  return sampleOf(entity, key, field).json
}

const isList = (field: Field) => Array.isArray(field.defaultValue)

/** Returns the value of a field for callers that are not friends. */
function publicValue(of: Owner, entity: Entity, key: string, field: Field, level: Level): unknown {
  if (absentForOthers.includes(key)) return undefined
  if (nullForOthers.includes(key)) return null
  if (level === 'public') return ownValue(of, entity, key, field, level)
  // Lists leave out private groups and fields.
  if ([group, groupExt, customField, fronter].includes(entity as never)) return undefined
  if (key === 'fields') return {}
  if (!field.guard) return ownValue(of, entity, key, field, level)
  if (key === 'name' && entity === member) return 'member-display_name'
  return isList(field) ? [] : null
}

/** Returns the value of a field for a friend whom the row is shared with. */
function friendValue(of: Owner, entity: Entity, key: string, field: Field, level: Level): unknown {
  if (absentForFriends.includes(key)) return undefined
  if (entity === system && !shownOfSystem.includes(key)) return undefined
  if (key === 'autoproxy_enabled') return null
  if (level === 'private' && field.guard === 'proxy_privacy') return []
  if (level === 'private' && field.guard === 'metadata_privacy') return null
  return ownValue(of, entity, key, field, level)
}

/** Returns the value of a fronter for a friend who sees no members. */
function frontValue(of: Owner, entity: Entity, key: string, field: Field, level: Level): unknown {
  const isShown = entity === fronter || shownInFront.includes(key)
  return isShown ? ownValue(of, entity, key, field, level) : isList(field) ? [] : null
}

type ValueFor = typeof publicValue

const nothing: ValueFor = () => undefined

/** Builds the table of every field with its value. */
const tableOf = (of: Owner, level: Level, valueFor: (entity: Entity) => ValueFor) =>
  entities.flatMap((entity) =>
    entity.entries.map(([key, field]) => [
      `${entity.name}.${key}`,
      valueFor(entity)(of, entity, key, field, level),
    ]),
  )

const foundIn = (objects: Objects) =>
  entities.flatMap((entity) =>
    entity.entries.map(([key]) => [`${entity.name}.${key}`, objects[entity.name]?.[key]]),
  )

test('every field table is in the table of what friends see, or is never shared', async () => {
  const root = join(import.meta.dir, '../../../src/model')
  const names: string[] = []
  for (const file of new Bun.Glob('**/*.ts').scanSync(root))
    for (const one of Object.values(await import(join(root, file))))
      if (isEntity(one)) names.push(one.name)
  expect([...new Set(names)].toSorted()).toEqual(
    [...entities.map(({ name }) => name), ...neverShared].toSorted(),
  )
})

const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'entries' in value && 'levels' in value

describe.each(['public', 'private'] as const)('fields whose level is %s', (level) => {
  let created: Promise<Owner> | undefined
  const owner = () => {
    created ??= createOwner(level)
    return created
  }

  test(`fields whose level is ${level} have all values for the owner`, async () => {
    const of = await owner()
    const found = await readPublic(of, of.system)
    expect(foundIn(found)).toEqual(tableOf(of, level, () => ownValue))
  })

  test.each(readers.slice(1))(
    `fields whose level is ${level} have the public values (%s)`,
    async (reader) => {
      const of = await owner()
      const found = await readPublic(of, of.tokens[reader] ?? null)
      expect(foundIn(found)).toEqual(tableOf(of, level, () => publicValue))
    },
  )

  test(`fields whose level is ${level} have shared values for a friend in a bucket`, async () => {
    const of = await owner()
    const found = await readAsFriend(of, 'friend in a bucket')
    expect(foundIn(found)).toEqual(tableOf(of, level, () => friendValue))
    for (const one of [found.system, found.member, found.group])
      expect(one?.privacy ?? null).toBeNull()
    for (const { name, entries } of entities) {
      const known = [...entries.map(([key]) => key), ...(keysBesideTable[name] ?? [])]
      const more = Object.keys(found[name] ?? {}).filter((key) => !known.includes(key))
      expect([name, more]).toEqual([name, []])
    }
  })

  test(`fields whose level is ${level} are absent for a friend in no bucket, but for the profile`, async () => {
    const of = await owner()
    const found = await readAsFriend(of, 'friend in no bucket')
    const wanted = tableOf(of, level, (entity) => (entity === system ? friendValue : nothing))
    expect(foundIn(found)).toEqual(wanted)
  })

  test(`fields whose level is ${level} name fronters for a friend who sees no members`, async () => {
    const of = await owner()
    const reader = 'friend who sees no members'
    const as = of.tokens[reader] ?? null
    const found = await readAsFriend(of, reader)
    const profile = (entity: Entity) =>
      entity === system ? friendValue : entity === fronter ? frontValue : nothing
    expect(foundIn(found)).toEqual(tableOf(of, level, profile))
    const path = `/ext/v1/friends/${of.friendships[reader]}`
    const fronts = [
      (await sent(as, `GET ${path}/front`)) as Json,
      (await sent(as, 'GET /ext/v1/friends'))[0]?.front as Json,
      (await sent(as, `PATCH ${path}`, { name: 'Sam' })).front as Json,
    ]
    for (const { fronters } of fronts as { fronters: Json[] }[]) {
      const shown = fronters[0]?.member as Json
      expect([fronters.length, shown.id, shown.uuid]).toEqual([
        1,
        expect.any(String),
        of.member,
      ] as never)
      expect(member.entries.map(([key]) => [key, shown[key]])).toEqual(
        member.entries.map(([key, field]) => [key, frontValue(of, member, key, field, level)]),
      )
      expect(Object.keys(shown).toSorted()).toEqual(
        [...member.entries.map(([key]) => key), 'id', 'uuid', 'privacy'].toSorted(),
      )
      expect(shown.privacy).toBeNull()
    }
  })

  test.each(['former friend', 'other system', 'anonymous caller'] as const)(
    `fields whose level is ${level} are not read through a friendship (%s)`,
    async (reader) => {
      const of = await owner()
      const as = of.tokens[reader] ?? null
      const code = reader === 'anonymous caller' ? 401 : 404
      for (const id of Object.values(of.friendships))
        for (const path of ['front', 'members', `members/${of.member}`, 'groups', 'fields']) {
          const { status, text } = await testApp.ask(`GET /ext/v1/friends/${id}/${path}`, { as })
          expect([path, status, text.includes('member-name')]).toEqual([path, code, false])
        }
      const list = await testApp.ask<Json>('GET /ext/v1/friends', { as })
      expect(as ? list.json : list.status).toEqual((as ? [] : 401) as never)
    },
  )
})
