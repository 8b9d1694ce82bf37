import { hashSecret } from '../../../src/store/access/secrets'
import { insertAll } from '../../tools/rawSql'
import { rounds } from '../../tools/rounds'
import type { Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createRandom } from './random'

/**
 * Random systems that are friends of each other. What they read of each other is compared with a
 * model that knows the rows, and nothing of the field tables and of the statements of the server.
 */

const testApp = createTestApp({ RATE_LIMIT: 'off' })

/** Each of a circle of systems is a friend of the others: 10 pairs. */
const SYSTEMS = 5
const CIRCLES = 20
/** 400 pairs. */
const TESTS = rounds(2)

type Level = 'public' | 'private'
type Random = ReturnType<typeof createRandom>

interface Shareable {
  readonly id: number
  readonly uuid: string
  readonly buckets: readonly number[]
}

interface ModelMember extends Shareable {
  readonly hid: string
  readonly row: Json
  readonly kind: string
  readonly about: string | null
  /** Values by the UUID of the field. */
  readonly values: Readonly<Record<string, string>>
}

interface ModelGroup extends Shareable {
  readonly hid: string
  readonly row: Json
  readonly parent: ModelGroup | null
  readonly emoji: string | null
  readonly position: number
  readonly members: readonly ModelMember[]
}

interface ModelField extends Shareable {
  readonly name: string
  readonly privacy: Level
  readonly position: number
}

interface ModelSwitch {
  readonly id: number
  readonly at: number
  readonly members: readonly ModelMember[]
}

interface ModelSystem {
  readonly id: number
  readonly uuid: string
  readonly hid: string
  readonly token: string
  readonly isDisabled: boolean
  readonly row: Json
  readonly buckets: readonly { id: number; uuid: string; position: number }[]
  readonly members: readonly ModelMember[]
  readonly groups: readonly ModelGroup[]
  readonly fields: readonly ModelField[]
  readonly switches: readonly ModelSwitch[]
  readonly statuses: readonly { member: ModelMember; at: number; text: string }[]
}

/** Side of a system: what it shows to another one, and how it calls it. */
interface ModelSide {
  readonly friendship: number
  readonly uuid: string
  readonly from: ModelSystem
  readonly to: ModelSystem
  readonly name: string | null
  readonly notify_me: boolean
  readonly see_front: boolean
  readonly see_members: boolean
  readonly announce: boolean
  readonly buckets: readonly number[]
}

let lastId = 0
const nextId = () => ++lastId
const uuidOf = (id: number) => `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}`

function hidOf(id: number): string {
  let rest = id
  let hid = ''
  for (let at = 0; at < 6; at++) {
    hid += String.fromCharCode(97 + (rest % 26))
    rest = Math.floor(rest / 26)
  }
  return hid
}

const SECOND = 1_000_000
const START = Date.UTC(2026, 0, 1) * 1000
const textOf = (at: number) => new Date(at / 1000).toISOString().replace('.000Z', 'Z')

const systemLevels = [
  'name_privacy',
  'description_privacy',
  'avatar_privacy',
  'banner_privacy',
  'pronoun_privacy',
  'member_list_privacy',
  'group_list_privacy',
  'front_privacy',
  'front_history_privacy',
]
const memberLevels = [
  'visibility',
  'name_privacy',
  'description_privacy',
  'birthday_privacy',
  'pronoun_privacy',
  'avatar_privacy',
  'banner_privacy',
  'metadata_privacy',
  'proxy_privacy',
]
const groupLevels = [
  'name_privacy',
  'description_privacy',
  'banner_privacy',
  'icon_privacy',
  'list_privacy',
  'metadata_privacy',
  'visibility',
]

function generatorOf(random: Random) {
  const isTrue = () => random.below(2) === 0
  const some = <T>(items: readonly T[]) => items.filter(isTrue)
  const maybe = <T>(value: T) => (isTrue() ? value : null)
  const text = (word: string) => maybe(`${word} ${random.below(1_000_000)}`)
  const url = () => maybe(`https://a.example/${random.below(1_000_000)}.png`)
  const levels = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, isTrue() ? 'public' : 'private']))
  const time = () => START - random.below(1000) * SECOND

  function createSystem(): ModelSystem {
    const id = nextId()
    const ids = Array.from({ length: random.below(4) }, nextId)
    const buckets = ids.map((one) => ({ id: one, uuid: uuidOf(one), position: random.below(3) }))
    const shareable = () => {
      const own = nextId()
      return { id: own, uuid: uuidOf(own), hid: hidOf(own), buckets: some(ids) }
    }
    const fields = Array.from({ length: random.below(3) }, (_, position): ModelField => {
      const privacy = isTrue() ? 'public' : 'private'
      return { ...shareable(), name: `Field ${random.below(1000)}`, privacy, position }
    })
    const members = Array.from({ length: 1 + random.below(4) }, (): ModelMember => {
      const values = some(fields).map(({ uuid }) => [uuid, `value ${random.below(1_000_000)}`])
      return {
        ...shareable(),
        kind: random.below(4) === 0 ? 'custom_front' : 'member',
        about: text('about'),
        values: Object.fromEntries(values),
        row: {
          name: `Member ${random.below(1_000_000)}`,
          display_name: text('display'),
          color: maybe('88c0a8'),
          birthday: maybe('1990-12-31'),
          pronouns: text('pronouns'),
          avatar_url: url(),
          webhook_avatar_url: url(),
          banner: url(),
          description: text('description'),
          created: time(),
          proxy_tags: isTrue() ? '[]' : '[{"prefix":"secret:","suffix":null}]',
          keep_proxy: random.below(2),
          tts: random.below(2),
          autoproxy_enabled: random.below(2),
          message_count: random.below(9),
          last_message_timestamp: maybe(time()),
          ...levels(memberLevels),
        },
      }
    })
    const groups: ModelGroup[] = []
    for (let count = random.below(4); count > 0; count--)
      groups.push({
        ...shareable(),
        parent: groups[random.below(groups.length + 1)] ?? null,
        emoji: maybe('🌱'),
        position: random.below(3),
        members: some(members),
        row: {
          name: `Group ${random.below(1_000_000)}`,
          display_name: text('display'),
          description: text('description'),
          created: time(),
          icon: url(),
          banner: url(),
          color: maybe('335577'),
          ...levels(groupLevels),
        },
      })
    const switches = Array.from({ length: random.below(4) }, (_, at): ModelSwitch => {
      const fronters = random.shuffle(some(members))
      return { id: nextId(), at: START + at * 60 * SECOND, members: fronters }
    })
    const statuses = some(members).map((member) => ({
      member,
      at: START + random.below(4) * 60 * SECOND,
      text: `status ${random.below(1_000_000)}`,
    }))
    return {
      id,
      uuid: uuidOf(id),
      hid: hidOf(id),
      token: `token ${id} ${'x'.repeat(50)}`.replaceAll(' ', '-'),
      isDisabled: random.below(10) === 0,
      row: {
        name: text('System'),
        description: text('description'),
        tag: text('tag'),
        pronouns: text('pronouns'),
        avatar_url: url(),
        banner: url(),
        color: maybe('f2b632'),
        created: time(),
        ...levels(systemLevels),
      },
      buckets,
      members,
      groups,
      fields,
      switches,
      statuses,
    }
  }

  function createSides(a: ModelSystem, b: ModelSystem): ModelSide[] {
    const friendship = nextId()
    const side = (from: ModelSystem, to: ModelSystem): ModelSide => ({
      friendship,
      uuid: uuidOf(friendship),
      from,
      to,
      name: text('friend'),
      notify_me: isTrue(),
      see_front: random.below(4) > 0,
      see_members: random.below(4) > 0,
      announce: isTrue(),
      buckets: some(from.buckets.map(({ id }) => id)),
    })
    return [side(a, b), side(b, a)]
  }
  return { createSystem, createSides }
}

interface Circle {
  readonly systems: readonly ModelSystem[]
  readonly sides: readonly ModelSide[]
}

function createCircle(random: Random): Circle {
  const { createSystem, createSides } = generatorOf(random)
  const systems = Array.from({ length: SYSTEMS }, createSystem)
  const sides = systems.flatMap((a, at) => systems.slice(at + 1).flatMap((b) => createSides(a, b)))
  return { systems, sides }
}

/** Stores the rows of all circles, a few statements for each table. */
async function store(circles: readonly Circle[]): Promise<void> {
  const systems = circles.flatMap((one) => one.systems)
  const sides = circles.flatMap((one) => one.sides)
  const ofAll = <T>(rowsOf: (one: ModelSystem) => readonly T[]) => systems.flatMap(rowsOf)
  const inBuckets = (list: 'members' | 'groups' | 'fields', key: string) =>
    ofAll((one) =>
      one[list].flatMap(({ id, buckets }) =>
        buckets.map((bucket_id) => ({ bucket_id, [key]: id })),
      ),
    )
  const tables: Record<string, readonly object[]> = {
    systems: systems.map(({ id, uuid, hid, row, isDisabled }) => ({
      ...{ id, uuid, hid, disabled_at: isDisabled ? 1 : null },
      ...row,
    })),
    settings: systems.map(({ id }) => ({ system_id: id })),
    tokens: systems.map(({ id, token }) => ({
      ...{ system_id: id, name: 'test', hash: hashSecret(token), created: 1 },
      last_used: testApp.deps.now(),
    })),
    members: ofAll(({ id: system_id, members }) =>
      members.map(({ id, uuid, hid, row }) => ({ id, uuid, hid, system_id, ...row })),
    ),
    member_ext: ofAll(({ members }) =>
      members.map(({ id, kind, about }) => ({ member_id: id, kind, about })),
    ),
    groups: ofAll(({ id: system_id, groups }) =>
      groups.map(({ id, uuid, hid, row }) => ({ id, uuid, hid, system_id, ...row })),
    ),
    group_ext: ofAll(({ groups }) =>
      groups.map(({ id, parent, emoji, position }) => ({
        ...{ group_id: id, parent_id: parent?.id ?? null, emoji, position },
      })),
    ),
    group_members: ofAll(({ groups }) =>
      groups.flatMap(({ id, members }) =>
        members.map((one) => ({ group_id: id, member_id: one.id })),
      ),
    ),
    fields: ofAll(({ id: system_id, fields }) =>
      fields.map(({ id, uuid, name, privacy, position }) => ({
        ...{ id, uuid, system_id, name, type: 'text', privacy, position, created: START },
      })),
    ),
    field_values: ofAll(({ fields, members }) =>
      members.flatMap(({ id, values }) =>
        fields.flatMap(({ id: field_id, uuid }) =>
          values[uuid] ? [{ member_id: id, field_id, value: JSON.stringify(values[uuid]) }] : [],
        ),
      ),
    ),
    buckets: ofAll(({ id: system_id, buckets }) =>
      buckets.map((one) => ({ ...one, system_id, name: `Bucket ${one.id}` })),
    ),
    bucket_members: inBuckets('members', 'member_id'),
    bucket_groups: inBuckets('groups', 'group_id'),
    bucket_fields: inBuckets('fields', 'field_id'),
    switches: ofAll(({ id: system_id, switches }) =>
      switches.map(({ id, at }) => ({ id, uuid: uuidOf(id), system_id, timestamp: at })),
    ),
    switch_members: ofAll(({ switches }) =>
      switches.flatMap(({ id, members }) =>
        members.map((one, position) => ({ switch_id: id, position, member_id: one.id })),
      ),
    ),
    front_notes: ofAll(({ id: system_id, statuses }) =>
      statuses.map(({ member, at, text }) => ({
        ...{ uuid: uuidOf(nextId()), system_id, kind: 'status', at, text, created: at },
        member_id: member.id,
      })),
    ),
    friendships: sides
      .filter(({ from, to }) => from.id < to.id)
      .map(({ friendship, uuid }) => ({ id: friendship, uuid, created: START })),
    friend_sides: sides.map((side) => ({
      friendship_id: side.friendship,
      system_id: side.from.id,
      friend_system_id: side.to.id,
      name: side.name,
      notify_me: Number(side.notify_me),
      see_front: Number(side.see_front),
      see_members: Number(side.see_members),
      announce: Number(side.announce),
    })),
    bucket_friends: sides.flatMap(({ friendship, buckets }) =>
      buckets.map((bucket_id) => ({ bucket_id, friendship_id: friendship })),
    ),
  }
  // One transaction for each table, because a server ends long ones.
  for (const [table, all] of Object.entries(tables))
    if (all.length > 0)
      await testApp.deps.transact('new', (tx) => insertAll(tx, table, all as never))
}

/** Rows of the system that a side shows: those in a bucket that the friend is in. */
const sharedOf =
  ({ buckets }: ModelSide) =>
  (one: Shareable) =>
    one.buckets.some((id) => buckets.includes(id))

const isPublic = (row: Json, level: string) => row[level] === 'public'

const timeOrNull = (at: unknown) => (at === null ? null : textOf(Number(at)))

const memberJson = ({ uuid, hid, row }: ModelMember): Json => ({
  id: hid,
  uuid,
  name: row.name,
  display_name: row.display_name,
  color: row.color,
  birthday: row.birthday,
  pronouns: row.pronouns,
  avatar_url: row.avatar_url,
  webhook_avatar_url: row.webhook_avatar_url,
  banner: row.banner,
  description: row.description,
  created: isPublic(row, 'metadata_privacy') ? timeOrNull(row.created) : null,
  proxy_tags: isPublic(row, 'proxy_privacy') ? JSON.parse(String(row.proxy_tags)) : [],
  keep_proxy: row.keep_proxy === 1,
  tts: row.tts === 1,
  autoproxy_enabled: null,
  message_count: isPublic(row, 'metadata_privacy') ? row.message_count : null,
  last_message_timestamp: isPublic(row, 'metadata_privacy')
    ? timeOrNull(row.last_message_timestamp)
    : null,
  privacy: null,
})

/** A fronter of a side that shows no members. */
const fronterJson = ({ uuid, hid, row }: ModelMember): Json => ({
  id: hid,
  uuid,
  name: row.name,
  display_name: row.display_name,
  color: row.color,
  birthday: null,
  pronouns: row.pronouns,
  avatar_url: row.avatar_url,
  webhook_avatar_url: null,
  banner: null,
  description: null,
  created: null,
  proxy_tags: [],
  keep_proxy: null,
  tts: null,
  autoproxy_enabled: null,
  message_count: null,
  last_message_timestamp: null,
  privacy: null,
})

const groupJson = ({ uuid, hid, row }: ModelGroup): Json => ({
  id: hid,
  uuid,
  name: row.name,
  display_name: row.display_name,
  description: row.description,
  created: isPublic(row, 'metadata_privacy') ? timeOrNull(row.created) : null,
  icon: row.icon,
  banner: row.banner,
  color: row.color,
  privacy: null,
})

const NOT_SHARED = { code: 39001 }
const isHidden = (side: ModelSide, flag: 'see_front' | 'see_members') =>
  side.from.isDisabled || !side[flag]

function expectedMembers(side: ModelSide): Json[] {
  const fields = side.from.fields.filter(sharedOf(side)).map(({ uuid }) => uuid)
  return side.from.members.filter(sharedOf(side)).map((one) => ({
    member: memberJson(one),
    kind: one.kind,
    about: one.about,
    fields: Object.fromEntries(
      Object.entries(one.values).filter(([uuid]) => fields.includes(uuid)),
    ),
  }))
}

/** Positions are numbers among what is shared, so that gaps do not tell of anything else. */
function expectedGroups(side: ModelSide): Json[] {
  const shared = side.from.groups.filter(sharedOf(side))
  const below = (parent: ModelGroup | null): { one: ModelGroup; position: number }[] =>
    shared
      .filter((one) => (one.parent && shared.includes(one.parent) ? one.parent : null) === parent)
      .toSorted((a, b) => a.position - b.position || a.id - b.id)
      .flatMap((one, position) => [{ one, position }, ...below(one)])
  return below(null).map(({ one, position }) => ({
    group: groupJson(one),
    parent: one.parent && shared.includes(one.parent) ? one.parent.uuid : null,
    emoji: one.emoji,
    position,
    members: one.members.filter(sharedOf(side)).map(({ uuid }) => uuid),
  }))
}

function expectedFields(side: ModelSide): Json[] {
  return side.from.fields.filter(sharedOf(side)).map(({ uuid, name, privacy }, position) => ({
    ...{ id: uuid, name, type: 'text', options: null, privacy, position },
    created: textOf(START),
  }))
}

function expectedFront(side: ModelSide): Json {
  const { switches, statuses } = side.from
  const fronters = switches.at(-1)?.members.filter(sharedOf(side)) ?? []
  return {
    fronters: fronters.map((one) => {
      const lastAway = switches.findLastIndex(({ members }) => !members.includes(one))
      const since = switches[lastAway + 1]?.at ?? 0
      const status = statuses.find(({ member, at }) => member === one && at >= since)
      return {
        member: side.see_members ? memberJson(one) : fronterJson(one),
        kind: one.kind,
        since: textOf(since),
        status: status?.text ?? null,
      }
    }),
  }
}

/** Returns the friend of a system: the side that shows, and the own one. */
function expectedFriend(side: ModelSide, own: ModelSide): Json {
  const { name, description, pronouns, avatar_url, banner, color } = side.from.row
  const of = { id: side.from.hid, uuid: side.from.uuid, name, description, pronouns }
  const inOrder = own.from.buckets
    .filter(({ id }) => own.buckets.includes(id))
    .toSorted((a, b) => a.position - b.position || a.id - b.id)
  const flags = ({ see_front, see_members, announce }: ModelSide) => ({
    see_front,
    see_members,
    announce,
  })
  return {
    id: own.uuid,
    name: own.name,
    system: side.from.isDisabled ? null : { ...of, avatar_url, banner, color },
    since: textOf(START),
    share: { ...flags(own), buckets: inOrder.map(({ uuid }) => uuid) },
    theirs: flags(side),
    notify_me: own.notify_me,
    front: isHidden(side, 'see_front') ? null : expectedFront(side),
  }
}

/** Guards of v2, by key. */
const guards: Record<string, string> = {
  name: 'name_privacy',
  display_name: 'name_privacy',
  description: 'description_privacy',
  birthday: 'birthday_privacy',
  pronouns: 'pronoun_privacy',
  avatar_url: 'avatar_privacy',
  webhook_avatar_url: 'avatar_privacy',
  icon: 'icon_privacy',
  banner: 'banner_privacy',
  created: 'metadata_privacy',
  message_count: 'metadata_privacy',
  last_message_timestamp: 'metadata_privacy',
  proxy_tags: 'proxy_privacy',
}

/** Returns the public view of a row: what its privacy levels show to every caller. */
function publicJson(identity: { hid: string; uuid: string }, row: Json): Json {
  const json: Json = { id: identity.hid, uuid: identity.uuid, privacy: null }
  for (const [key, value] of Object.entries(row)) {
    if (key.endsWith('_privacy') || key === 'visibility') continue
    const level = row[guards[key] ?? ''] ?? 'public'
    if (key === 'proxy_tags') json[key] = level === 'public' ? JSON.parse(String(value)) : []
    else if (key === 'keep_proxy' || key === 'tts') json[key] = value === 1
    else if (level === 'private' || key === 'autoproxy_enabled') json[key] = null
    else if (value !== null && (key === 'created' || key === 'last_message_timestamp'))
      json[key] = textOf(Number(value))
    else json[key] = value
  }
  if (row.name_privacy === 'private' && 'display_name' in row)
    json.name = row.display_name ?? row.name
  return json
}

const isListed = ({ row }: { row: Json }) => row.visibility === 'public'

/** Reads a path as a system. Errors are reduced to their code. */
async function read(as: ModelSystem, path: string): Promise<unknown> {
  const request = new Request(`http://localhost${path}`, { headers: { authorization: as.token } })
  const response = await testApp.app.handle(request, () => '127.0.0.1')
  const json = await response.json()
  return response.status < 400 ? json : { code: (json as Json).code }
}

/** Compares everything that a system reads of its friends. */
async function compareFriends(random: Random, reader: ModelSystem, { sides }: Circle) {
  const own = sides.filter(({ from }) => from === reader)
  const shown = own.map(({ to }) => sides.find((one) => one.from === to && one.to === reader))
  const pairs = own.flatMap((one, at) => (shown[at] ? [{ own: one, side: shown[at] }] : []))
  expect(await read(reader, '/ext/v1/friends')).toEqual(
    pairs
      .toSorted((a, b) => a.own.friendship - b.own.friendship)
      .map(({ own: mine, side }) => expectedFriend(side, mine)),
  )
  for (const { side } of pairs) {
    const path = `/ext/v1/friends/${side.uuid}`
    const isClosed = isHidden(side, 'see_members')
    const members = expectedMembers(side)
    const of = side.from.members[random.below(side.from.members.length)] as ModelMember
    const one = members.find(({ member }) => (member as Json).uuid === of.uuid)
    const ref = random.below(2) === 0 ? of.uuid : of.hid
    expect({
      front: await read(reader, `${path}/front`),
      members: await read(reader, `${path}/members`),
      member: await read(reader, `${path}/members/${ref}`),
      groups: await read(reader, `${path}/groups`),
      fields: await read(reader, `${path}/fields`),
    }).toEqual({
      front: isHidden(side, 'see_front') ? NOT_SHARED : expectedFront(side),
      members: isClosed ? NOT_SHARED : members.map((each) => ({ ...each, about_excerpt: null })),
      member: isClosed ? NOT_SHARED : (one ?? { code: 20002 }),
      groups: isClosed ? NOT_SHARED : expectedGroups(side),
      fields: isClosed ? NOT_SHARED : expectedFields(side),
    })
  }
}

/** Compares what v2 shows of a system to a friend with its public view. */
async function comparePublicView(reader: ModelSystem, of: ModelSystem) {
  const path = `/v2/systems/${of.hid}`
  const { created, ...row } = of.row
  const listOf = (rows: readonly (ModelMember | ModelGroup)[]) =>
    rows.filter(isListed).map((one) => publicJson(one, one.row))
  expect({
    system: await read(reader, path),
    members: await read(reader, `${path}/members`),
    groups: await read(reader, `${path}/groups`),
  }).toEqual({
    system: { ...publicJson(of, row), created: textOf(Number(created)) },
    members: isPublic(of.row, 'member_list_privacy') ? listOf(of.members) : { code: 30001 },
    groups: isPublic(of.row, 'group_list_privacy') ? listOf(of.groups) : { code: 30002 },
  })
}

describe('random pairs of friends', () => {
  test.each(Array.from({ length: TESTS }, (_, at) => at + 1))(
    'read what the model of their buckets and flags shows, and the public view in v2 (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const circles = Array.from({ length: CIRCLES }, () => createCircle(random))
      await store(circles)
      for (const circle of circles)
        for (const [at, reader] of circle.systems.entries()) {
          if (reader.isDisabled) continue
          await compareFriends(random, reader, circle)
          const next = circle.systems[(at + 1) % SYSTEMS]
          if (next && !next.isDisabled) await comparePublicView(reader, next)
        }
    },
  )
})
