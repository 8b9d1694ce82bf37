import { createPushSources } from '../../../src/app/pushSources'
import { operator } from '../../../src/model/core/privacy'
import type { Instant } from '../../../src/model/core/time'
import { acceptInvite, previewInvite } from '../../../src/service/friends/friendInvites'
import { notifyFriends } from '../../../src/service/friends/friendNotifications'
import { disableSystem, enableSystem } from '../../../src/service/systems/disableSystem'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { deleteSystem } from '../../../src/service/systems/systems'
import { readStream } from '../../events/readStream'
import { execute, insert, insertAll, rows, versionOf } from '../../tools/rawSql'
import { at, type Json } from '../../tools/scenarios'
import { beforeEach, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestResponse, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'

const START = at('2026-03-22T08:30:00Z')
const SECOND = 1_000_000
let now: Instant = START
const testApp = createTestApp({
  RATE_LIMIT: 'off',
  PUBLIC_URL: 'https://m.example/app',
  HOST: '127.0.0.1',
  PORT: '0',
  now: () => now,
  // Without the lease `dispatch`, so that fronts are compared only where a test does it.
  events: { tasks: ['maintenance'] },
})

const address = testApp.app.listen()

type Call = (request: string, body?: unknown) => Promise<TestResponse<Json>>

/** A system with functions that send requests as it. */
interface Caller {
  readonly system: TestSystem
  /** Sends a request and returns the response. */
  readonly send: Call
  /** Sends a request that must succeed, and returns its JSON. */
  readonly do: (request: string, body?: unknown) => Promise<Json & Json[]>
}

async function createCaller(name: string): Promise<Caller> {
  const system = await testApp.makeSystem(name)
  const send: Call = (request, body) => testApp.ask<Json>(request, { as: system, body })
  return {
    system,
    send,
    async do(request, body) {
      const { status, text, json } = await send(request, body)
      if (status >= 300) throw new Error(`${request}: ${status} ${text}`)
      return json as Json & Json[]
    },
  }
}

let owner: Caller
let guest: Caller
let friendship: string
let buckets: Json[]

const write = (sql: string) => testApp.deps.transact('new', (tx) => execute(tx, sql))

/** Returns the events of a system since the last call. */
async function eventsOf({ system }: Caller): Promise<unknown[]> {
  const found = await rows(
    testApp.deps.db,
    `select type, subject, data from events where system_id = ${system.id} order by id`,
  )
  await write(`delete from events where system_id = ${system.id}`)
  return found.map(({ type, subject, data }) => [type, subject, data && JSON.parse(String(data))])
}

async function addMember(caller: Caller, name: string, more: Json = {}): Promise<string> {
  const created = await caller.do('POST /ext/v1/members', { member: { name }, ...more })
  return String((created.member as Json).uuid)
}

async function switchTo(caller: Caller, ...members: string[]): Promise<void> {
  await caller.do('POST /v2/systems/@me/switches', { members })
}

const namesOf = (front: unknown) =>
  (front as { fronters: { member: Json }[] }).fronters.map(({ member }) => member.name)

beforeEach(async () => {
  now = START
  owner = await createCaller('Lantern Hill')
  guest = await createCaller('Harbour')
  const { code } = await owner.do('POST /ext/v1/friends/invites', {})
  const accepted = await guest.do('POST /ext/v1/friends', { code })
  friendship = String(accepted.id)
  buckets = await owner.do('GET /ext/v1/buckets')
  await notifyFriends(testApp.deps)
  await eventsOf(owner)
  await eventsOf(guest)
})

const friendsBucket = () => String(buckets[0]?.id)

const operatorOf = ({ system }: Caller) => ({ ...operator, system: system.id })

/** Changes what the owner shows to the guest. */
const sharing = (share: Json) => owner.do(`PATCH /ext/v1/friends/${friendship}`, { share })

describe('invitations', () => {
  test('creates the two default buckets once, and shows the code once', async () => {
    expect(buckets).toMatchObject([
      { name: 'Friends', position: 0, default_for: [], members: 0, friends: 1 },
      { name: 'Trusted friends', position: 1, default_for: [], members: 0, friends: 0 },
    ])
    const created = await owner.do('POST /ext/v1/friends/invites', { name: 'Sam' })
    expect(created).toMatchObject({
      name: 'Sam',
      share: {
        see_front: true,
        see_members: false,
        announce: true,
        buckets: [friendsBucket()],
      },
      expires: '2026-03-29T08:30:00Z',
      url: `https://m.example/app/#/friend/${created.code}`,
    })
    expect(String(created.code)).toMatch(/^[\w-]{43}$/)
    const { code, url: _, ...listed } = created
    expect(await owner.do('GET /ext/v1/friends/invites')).toEqual([listed] as never)
    expect(await owner.do('GET /ext/v1/buckets')).toHaveLength(2)
    const stored = JSON.stringify(await rows(testApp.deps.db, 'select * from friend_invites'))
    expect(stored).not.toContain(String(code))
    expect(testApp.logged()).not.toContain(String(code))
  })

  test('offer the bucket "Friends", and no other one', async () => {
    const other = await createCaller('Mill')
    await other.do('POST /ext/v1/buckets', { name: 'Family' })
    const offered = async () =>
      ((await other.do('POST /ext/v1/friends/invites', {})).share as Json).buckets
    expect(await offered()).toEqual([])
    const { id } = await other.do('POST /ext/v1/buckets', { name: 'Friends' })
    expect(await offered()).toEqual([id])
  })

  test('offer only buckets that still exist', async () => {
    const gone = await owner.do('POST /ext/v1/buckets', { name: 'Gone' })
    const share = { buckets: [gone.id, friendsBucket()] }
    const { code } = await owner.do('POST /ext/v1/friends/invites', { share })
    await owner.do(`DELETE /ext/v1/buckets/${gone.id}`)
    expect(await owner.do('GET /ext/v1/friends/invites')).toMatchObject([
      { share: { buckets: [friendsBucket()] } },
    ])
    const third = await createCaller('Third')
    const { id } = await third.do('POST /ext/v1/friends', { code })
    const friends = await owner.do('GET /ext/v1/friends')
    expect(friends.find((one) => one.id === id)).toMatchObject({
      share: { buckets: [friendsBucket()] },
    })
  })

  test('previews an invitation without using it', async () => {
    const { code } = await owner.do('POST /ext/v1/friends/invites', {
      share: { see_members: true },
    })
    const third = await createCaller('Third')
    for (const _ of [1, 2])
      expect(await third.do('POST /ext/v1/friends/invites/preview', { code })).toEqual({
        system: { name: 'Lantern Hill', avatar_url: null, color: null },
        share: { see_front: true, see_members: true, announce: true },
      } as never)
  })

  test('responds alike to wrong, used, withdrawn and expired codes', async () => {
    const third = await createCaller('Third')
    const used = await owner.do('POST /ext/v1/friends/invites', {})
    await third.do('POST /ext/v1/friends', { code: used.code })
    const withdrawn = await owner.do('POST /ext/v1/friends/invites', {})
    await owner.do(`DELETE /ext/v1/friends/invites/${withdrawn.id}`)
    const expired = await owner.do('POST /ext/v1/friends/invites', {})
    now += 7 * 24 * 3600 * SECOND
    const fourth = await createCaller('Fourth')
    for (const code of [used.code, withdrawn.code, expired.code, 'wrong'])
      expect(await fourth.send('POST /ext/v1/friends', { code })).toMatchObject({
        status: 404,
        json: { code: 29009, message: 'Invitation not found.' },
      })
    expect(await owner.send(`DELETE /ext/v1/friends/invites/${expired.id}`)).toMatchObject({
      status: 404,
    })
  })

  test('cannot be accepted when they expire while the request waits for the systems', async () => {
    const third = await createCaller('Third')
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    const { deps } = testApp
    const waiting: typeof deps = {
      ...deps,
      transact: (of, ...rest) => {
        now = START + 7 * 24 * 3600 * SECOND
        return deps.transact(of, ...rest)
      },
    }
    const viewer = { system: third.system.id, platform: null }
    expect(await previewInvite(waiting, viewer, String(code))).not.toBe(null)
    expect(await acceptInvite(waiting, viewer, String(code), { share: {} })).toBe(null)
    expect(await third.do('GET /ext/v1/friends')).toEqual([] as never)
  })

  test('names every problem of a body that accepts one', async () => {
    const third = await createCaller('Third')
    const body = { name: 5, notify_me: 'yes', share: { see_front: 1, buckets: 'all' } }
    const wrong = ['name', 'notify_me', 'share.see_front', 'share.buckets']
    for (const more of [{}, { code: 5 }]) {
      const { json } = await third.send('POST /ext/v1/friends', { ...body, ...more })
      expect(Object.keys(json.errors as Json)).toEqual(['code', ...wrong])
    }
  })

  test.each(['few', 'many'])('are gone with their system, which had %s rows', async (rowCount) => {
    const third = await createCaller('Third')
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    if (rowCount === 'many')
      await testApp.deps.transact('new', (tx) =>
        insertAll(
          tx,
          'events',
          Array.from({ length: 600 }, () => ({
            system_id: owner.system.id,
            type: 'PING',
            at: now,
          })),
        ),
      )
    await deleteSystem(testApp.deps, { system: owner.system.id, platform: null })
    for (const path of ['', '/invites/preview'])
      expect((await third.send(`POST /ext/v1/friends${path}`, { code })).json.code).toBe(29009)
    const left = `select 1 from friend_invites where system_id = ${owner.system.id}`
    expect(await rows(testApp.deps.db, left)).toEqual([])
  })

  test('refuses further wrong codes after five, and still accepts a right one', async () => {
    const third = await createCaller('Third')
    const statuses: number[] = []
    for (let tries = 0; tries < 7; tries++)
      statuses.push((await third.send('POST /ext/v1/friends', { code: 'wrong' })).status)
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429])
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    expect((await third.send('POST /ext/v1/friends/invites/preview', { code })).status).toBe(200)
    expect((await third.send('POST /ext/v1/friends', { code })).status).toBe(201)
  })

  test('counts wrong codes by the address that a trusted proxy names, for all systems', async () => {
    const proxied = createTestApp({ RATE_LIMIT: 'off', TRUST_PROXY: '1' })
    const statusFor = async (address: string | null) => {
      const as = await proxied.makeSystem()
      // The first address is a claim of the client.
      const headers = address ? { 'x-forwarded-for': `203.0.113.${as.id}, ${address}` } : {}
      const line = 'POST /ext/v1/friends/invites/preview'
      return (await proxied.ask(line, { as, headers, body: { code: 'wrong' } })).status
    }
    const statuses: number[] = []
    for (let tries = 0; tries < 6; tries++) statuses.push(await statusFor('198.51.100.7'))
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429])
    expect(await statusFor('198.51.100.8')).toBe(404)
    // Programs on this machine share one address.
    for (let tries = 0; tries < 7; tries++) expect(await statusFor(null)).toBe(404)
  })

  test('of a disabled system are not found, and work again afterwards', async () => {
    const third = await createCaller('Third')
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    await disableSystem(testApp.deps, operatorOf(owner))
    for (const path of ['friends/invites/preview', 'friends'])
      expect((await third.send(`POST /ext/v1/${path}`, { code })).json.code).toBe(29009)
    await enableSystem(testApp.deps, operatorOf(owner))
    expect((await third.send('POST /ext/v1/friends', { code })).status).toBe(201)
  })

  test('refuses the own code and a second friendship, and keeps the code', async () => {
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    expect(await owner.send('POST /ext/v1/friends', { code })).toMatchObject({
      status: 400,
      json: { message: '400: Bad Request (this is your own invitation)' },
    })
    expect(await guest.send('POST /ext/v1/friends', { code })).toMatchObject({
      status: 409,
      json: { message: '409: Conflict (already friends)' },
    })
    const third = await createCaller('Third')
    expect((await third.send('POST /ext/v1/friends', { code })).status).toBe(201)
  })

  test('gives the friendship to one of two systems that accept at once', async () => {
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    const others = await Promise.all(['A', 'B', 'C', 'D'].map(createCaller))
    const results = await Promise.all(
      others.map(({ send }) => send('POST /ext/v1/friends', { code })),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual([201, 404, 404, 404])
    expect(await owner.do('GET /ext/v1/friends')).toHaveLength(2)
  })

  test('refuses an eleventh open invitation', async () => {
    for (let count = 0; count < 10; count++) await owner.do('POST /ext/v1/friends/invites', {})
    expect(await owner.send('POST /ext/v1/friends/invites', {})).toMatchObject({
      status: 400,
      json: { code: 49001, message: 'Limit reached: open invitations (10).' },
    })
  })
})

describe('friends', () => {
  test('shows each side with what both share', async () => {
    const member = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, member)
    const [seen] = await guest.do('GET /ext/v1/friends')
    expect(seen).toMatchObject({
      id: friendship,
      name: null,
      system: { uuid: owner.system.uuid, name: 'Lantern Hill', avatar_url: null, color: null },
      since: '2026-03-22T08:30:00Z',
      share: { see_front: true, see_members: false, announce: true },
      theirs: { see_front: true, see_members: false, announce: true },
      notify_me: false,
      front: { fronters: [{ kind: 'member', since: '2026-03-22T08:30:00Z', status: null }] },
    })
    expect(Object.keys(seen?.theirs as Json)).not.toContain('buckets')
    expect(namesOf(seen?.front)).toEqual(['Wren'])
    const [own] = await owner.do('GET /ext/v1/friends')
    expect(own).toMatchObject({ id: friendship, system: { uuid: guest.system.uuid } })
  })

  test('changes the own side only, and tells the other side of its flags only', async () => {
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { name: 'Sam', notify_me: true })
    expect(await eventsOf(owner)).toEqual([
      ['UPDATE_FRIEND', friendship, { keys: ['name', 'notify_me'] }],
    ])
    expect(await eventsOf(guest)).toEqual([])
    const share = { see_front: false, buckets: [] }
    const changed = await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share })
    expect(changed).toMatchObject({ name: 'Sam', share: { see_front: false, buckets: [] } })
    expect(await eventsOf(owner)).toEqual([['UPDATE_FRIEND', friendship, { keys: ['share'] }]])
    expect(await eventsOf(guest)).toEqual([['UPDATE_FRIEND', friendship, { keys: ['theirs'] }]])
    const [seen] = await guest.do('GET /ext/v1/friends')
    expect(seen).toMatchObject({ name: null, theirs: { see_front: false }, front: null })
    expect((await guest.send(`GET /ext/v1/friends/${friendship}/front`)).json.code).toBe(39001)
  })

  test('refuses an unknown bucket and a body without a known key', async () => {
    const path = `PATCH /ext/v1/friends/${friendship}`
    const [foreign] = await guest.do('GET /ext/v1/buckets')
    for (const id of [foreign?.id, 'x'])
      expect((await owner.send(path, { share: { buckets: [id] } })).json.code).toBe(29007)
    expect((await owner.send(path, {})).status).toBe(400)
    expect((await owner.send(path, { share: { see_front: 1 } })).json.errors).toHaveProperty([
      'share.see_front',
    ])
  })

  test('ends for both sides at once', async () => {
    await guest.do(`DELETE /ext/v1/friends/${friendship}`)
    for (const one of [owner, guest]) {
      expect(await one.do('GET /ext/v1/friends')).toEqual([] as never)
      expect(await eventsOf(one)).toEqual([['DELETE_FRIEND', friendship, null]])
      for (const path of ['front', 'members', 'groups', 'fields', 'members/abcdef'])
        expect((await one.send(`GET /ext/v1/friends/${friendship}/${path}`)).json.code).toBe(29008)
    }
    expect((await guest.send(`DELETE /ext/v1/friends/${friendship}`)).status).toBe(404)
  })

  test('stop at 200 on either side', async () => {
    const third = await createCaller('Third')
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    const ids = Array.from({ length: 199 }, (_, at) => 1_000_000 + at)
    const first = owner.system.id
    await testApp.deps.transact('new', async (tx) => {
      const of = (id: number) => ({ id, uuid: `many-${id}`, hid: `m${id}` })
      await insertAll(tx, 'systems', ids.map(of))
      await insertAll(
        tx,
        'friendships',
        ids.map((id) => ({ id, uuid: `many-${id}`, created: 1 })),
      )
      await insertAll(
        tx,
        'friend_sides',
        ids.flatMap((id) => [
          { friendship_id: id, system_id: first, friend_system_id: id },
          { friendship_id: id, system_id: id, friend_system_id: first },
        ]),
      )
    })
    const reached = { status: 400, json: { code: 49001, message: 'Limit reached: friends (200).' } }
    expect(await third.send('POST /ext/v1/friends', { code })).toMatchObject(reached)
    const own = await third.do('POST /ext/v1/friends/invites', {})
    expect(await owner.send('POST /ext/v1/friends', { code: own.code })).toMatchObject(reached)
    await guest.do(`DELETE /ext/v1/friends/${friendship}`)
    expect((await third.send('POST /ext/v1/friends', { code })).status).toBe(201)
    await write('delete from systems where id >= 1000000')
    await write('delete from friendships where id >= 1000000')
  })

  test('leave no row when a member, group, field, and at last the system is deleted', async () => {
    const bucket = friendsBucket()
    const wren = await addMember(owner, 'Wren', { buckets: [bucket] })
    const group = await owner.do('POST /v2/groups', { name: 'Keepers' })
    await owner.do(`PATCH /ext/v1/groups/${group.id}`, { buckets: [bucket] })
    const field = await owner.do('POST /ext/v1/systems/@me/fields', {
      name: 'Role',
      type: 'text',
      buckets: [bucket],
    })
    await owner.do('POST /ext/v1/friends/invites', {})
    await switchTo(owner, wren)
    const ofOwner = `system_id = ${owner.system.id}`
    const inBucket = `bucket_id in (select id from buckets where uuid = '${bucket}')`
    const [{ id: number } = { id: 0 }] = await rows<{ id: number }>(
      testApp.deps.db,
      `select id from friendships where uuid = '${friendship}'`,
    )
    const conditions = {
      bucket_members: inBucket,
      bucket_groups: inBucket,
      bucket_fields: inBucket,
      bucket_friends: `friendship_id = ${number}`,
      friend_sides: `friendship_id = ${number}`,
      friendships: `id = ${number}`,
      buckets: ofOwner,
      friend_invites: ofOwner,
      friend_notify_due: ofOwner,
    }
    const left = async () => {
      await purgeDeleted(testApp.deps)
      const found: string[] = []
      for (const [table, where] of Object.entries(conditions))
        if (
          (await rows(testApp.deps.db, `select 1 as one from ${table} where ${where}`)).length > 0
        )
          found.push(table)
      return found
    }
    const all = Object.keys(conditions)
    expect(await left()).toEqual(all)
    await owner.do(`DELETE /v2/members/${wren}`)
    await owner.do(`DELETE /v2/groups/${group.id}`)
    await owner.do(`DELETE /ext/v1/fields/${field.id}`)
    expect(await left()).toEqual(all.slice(3))
    await deleteSystem(testApp.deps, { system: owner.system.id, platform: null })
    expect(await left()).toEqual([])
  })

  test('ends when one of the systems is deleted', async () => {
    await deleteSystem(testApp.deps, { system: owner.system.id, platform: null })
    expect(await guest.do('GET /ext/v1/friends')).toEqual([] as never)
    expect(await eventsOf(guest)).toEqual([['DELETE_FRIEND', friendship, null]])
  })

  test('of a disabled system stay listed, and show nothing', async () => {
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { see_members: true } })
    await guest.do(`PATCH /ext/v1/friends/${friendship}`, { name: 'Them' })
    await write(`update systems set disabled_at = 1 where id = ${owner.system.id}`)
    expect(await guest.do('GET /ext/v1/friends')).toMatchObject([
      { id: friendship, name: 'Them', system: null, front: null },
    ] as never)
    for (const path of ['front', 'members', 'groups', 'fields', 'members/abcdef'])
      expect((await guest.send(`GET /ext/v1/friends/${friendship}/${path}`)).json.code).toBe(39001)
  })
})

describe('what a friend sees', () => {
  test('has positions without gaps, which would tell of other groups and fields', async () => {
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { see_members: true } })
    const ids = { groups: [] as string[], fields: [] as string[] }
    for (const [at, name] of ['First', 'Second', 'Third', 'Fourth'].entries()) {
      const { uuid } = await owner.do('POST /v2/groups', { name })
      await owner.do(`PATCH /ext/v1/groups/${uuid}`, { position: at })
      ids.groups.push(String(uuid))
      const field = await owner.do('POST /ext/v1/systems/@me/fields', { name, type: 'text' })
      ids.fields.push(String(field.id))
    }
    const odd = (_: string, at: number) => at % 2 === 1
    const contents = { groups: ids.groups.filter(odd), fields: ids.fields.filter(odd) }
    await owner.do(`PUT /ext/v1/buckets/${friendsBucket()}/contents`, contents)
    const groups = await guest.do(`GET /ext/v1/friends/${friendship}/groups`)
    const fields = await guest.do(`GET /ext/v1/friends/${friendship}/fields`)
    expect(groups.map(({ group, position }) => [(group as Json).name, position])).toEqual([
      ['Second', 0],
      ['Fourth', 1],
    ])
    expect(fields.map(({ name, position }) => [name, position])).toEqual([
      ['Second', 0],
      ['Fourth', 1],
    ])
  })

  test('are shared members, groups and fields only', async () => {
    const bucket = friendsBucket()
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { see_members: true } })
    const field = await owner.do('POST /ext/v1/systems/@me/fields', {
      name: 'Role',
      type: 'text',
      buckets: [bucket],
    })
    const secret = await owner.do('POST /ext/v1/systems/@me/fields', {
      name: 'Secret',
      type: 'text',
    })
    const fields = { [String(field.id)]: 'Keeper', [String(secret.id)]: 'hidden' }
    const privacy = { visibility: 'private', description_privacy: 'private' }
    const wren = await addMember(owner, 'Wren', { fields, about: 'Keeps.', buckets: [bucket] })
    await owner.do(`PATCH /v2/members/${wren}`, { privacy })
    const ash = await addMember(owner, 'Ash')
    const group = await owner.do('POST /v2/groups', { name: 'Keepers' })
    await owner.do(`POST /v2/groups/${group.id}/members/add`, [wren, ash])
    await owner.do(`PATCH /ext/v1/groups/${group.id}`, { buckets: [bucket] })
    await owner.do('POST /v2/groups', { name: 'Others' })
    const at = `/ext/v1/friends/${friendship}`
    const members = await guest.do(`GET ${at}/members`)
    expect(members).toMatchObject([
      { member: { uuid: wren, privacy: null }, kind: 'member', about: 'Keeps.' },
    ] as never)
    const { about_excerpt, ...single } = members[0] as Json
    expect(about_excerpt).toBeNull()
    expect(Object.keys(single)).toEqual(['member', 'kind', 'about', 'fields'])
    expect(members[0]?.fields).toEqual({ [String(field.id)]: 'Keeper' })
    expect(await guest.do(`GET ${at}/members/${wren}`)).toEqual(single as never)
    for (const ref of [ash, 'zzzzzz', guest.system.uuid])
      expect((await guest.send(`GET ${at}/members/${ref}`)).json.code).toBe(20002)
    expect(await guest.do(`GET ${at}/groups`)).toMatchObject([
      { group: { name: 'Keepers' }, parent: null, members: [wren] },
    ] as never)
    const listed = await guest.do(`GET ${at}/fields`)
    expect(listed).toMatchObject([{ id: field.id, name: 'Role' }] as never)
    expect(JSON.stringify([members, listed])).not.toContain('buckets')
  })

  test('has the beginning of a long description, and of one member the whole', async () => {
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { see_members: true } })
    const about = 'lamp '.repeat(100)
    const wren = await addMember(owner, 'Wren', { about, buckets: [friendsBucket()] })
    const at = `/ext/v1/friends/${friendship}/members`
    const [listed] = await guest.do(`GET ${at}`)
    expect(listed).toMatchObject({ about: null, about_excerpt: about.slice(0, 300) })
    const one = await guest.do(`GET ${at}/${wren}`)
    expect(one).toMatchObject({ about })
    expect(one).not.toHaveProperty('about_excerpt')
  })

  test('is nothing of members unless they are shared', async () => {
    for (const path of ['members', 'groups', 'fields', 'members/abcdef'])
      expect((await guest.send(`GET /ext/v1/friends/${friendship}/${path}`)).json.code).toBe(39001)
  })

  test('does not change when only hidden fronters change', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const hidden = await addMember(owner, 'Hidden')
    await switchTo(owner, wren)
    const read = async () => {
      const { headers, text } = await guest.send(`GET /ext/v1/friends/${friendship}/front`)
      return { etag: headers.get('etag'), text }
    }
    const before = await read()
    expect(before.etag).not.toBeNull()
    now += SECOND
    await switchTo(owner, hidden, wren)
    expect(await read()).toEqual(before)
    now += SECOND
    await switchTo(owner, hidden)
    expect(await read()).toMatchObject({ text: '{"fronters":[]}' })
    now += SECOND
    await owner.do('POST /v2/systems/@me/switches', { members: [] })
    expect(await read()).toMatchObject({ text: '{"fronters":[]}' })
  })
})

describe('stints of shared fronters', () => {
  test.each([8, 9, 10, 48, 49, 50])('begin %i switches before the latest', async (count) => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    const hidden = await Promise.all(['Elm', 'Fir'].map((name) => addMember(owner, name)))
    const begin = now
    await switchTo(owner, ash)
    for (let past = 1; past < count; past++) {
      now += SECOND
      await switchTo(owner, hidden[past % 2] ?? '', ash)
    }
    now += SECOND
    await switchTo(owner, wren, ash)
    const { fronters } = await guest.do(`GET /ext/v1/friends/${friendship}/front`)
    const since = (fronters as Json[]).map((one) => at(String(one.since)))
    expect(since).toEqual([now, begin])
  })
})

describe('the stream of friends', () => {
  test('sends each front once when they exceed its buffer', async () => {
    const description = 'x'.repeat(1_000)
    for (let friends = 1; friends < 40; friends++) {
      const friend = await createCaller(`Friend ${friends}`)
      const { code } = await friend.do('POST /ext/v1/friends/invites', {})
      await guest.do('POST /ext/v1/friends', { code })
      const [bucket] = await friend.do('GET /ext/v1/buckets')
      const shared = { member: { name: 'Wren', description }, buckets: [bucket?.id] }
      const created = await friend.do('POST /ext/v1/members', shared)
      await switchTo(friend, String((created.member as Json).uuid))
    }
    const listed = await guest.do('GET /ext/v1/friends')
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    await until(() => messages.length >= 40)
    const byFriend = (one: Json, other: Json) =>
      String(one.friend) < String(other.friend) ? -1 : 1
    expect(messages.map(({ data }) => data as Json).toSorted(byFriend)).toEqual(
      listed.map(({ id, front }) => ({ friend: id, front })).toSorted(byFriend),
    )
    await leave()
  })

  test('sends shared changes only, and the end of a friendship', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const hidden = await addMember(owner, 'Hidden')
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    const next = async (count: number) => {
      await until(() => messages.length >= count)
      return messages.map(({ event, data }) => [event, data])
    }
    expect(await next(1)).toEqual([['front', { friend: friendship, front: { fronters: [] } }]])
    await switchTo(owner, hidden)
    await switchTo(owner, hidden, wren)
    expect((await next(2)).length).toBe(2)
    expect(namesOf(((messages[1]?.data ?? {}) as Json).front)).toEqual(['Wren'])
    now += SECOND
    await switchTo(owner, wren)
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { see_front: false } })
    expect((await next(3))[2]).toEqual(['front', { friend: friendship, front: null }])
    await switchTo(owner, hidden, wren)
    await owner.do(`DELETE /ext/v1/friends/${friendship}`)
    expect((await next(4))[3]).toEqual(['end', { friend: friendship }])
    expect(messages).toHaveLength(4)
    await leave()
  })

  test.each([
    [
      'the bucket of a fronter is emptied',
      'PUT /ext/v1/buckets/<bucket>/contents',
      { members: [] },
    ],
    ['the bucket of a fronter is deleted', 'DELETE /ext/v1/buckets/<bucket>', undefined],
    ['a fronter leaves its bucket', 'PATCH /ext/v1/members/<wren>', { buckets: [] }],
    ['the friend leaves the bucket', 'PATCH /ext/v1/friends/<friend>', { share: { buckets: [] } }],
    ['a fronter is deleted', 'DELETE /v2/members/<wren>', undefined],
  ])('sends a front without fronters when %s', async (_, line, body) => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    await until(() => messages.length === 1)
    const names: Record<string, string> = { wren, bucket: friendsBucket(), friend: friendship }
    await owner.do(
      line.replace(/<(\w+)>/, (_match, name: string) => names[name] ?? ''),
      body,
    )
    await until(() => messages.length === 2)
    expect(messages[1]?.data).toEqual({ friend: friendship, front: { fronters: [] } })
    await leave()
  })

  test('sends what changes of a shared fronter, and nothing of hidden ones', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const hidden = await addMember(owner, 'Hidden')
    await switchTo(owner, hidden, wren)
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    await until(() => messages.length === 1)
    const notes = '/ext/v1/systems/@me/front/notes'
    const status = (member: string, text: string) => ({ kind: 'status', member, text })
    const shown = async (count: number) => {
      await until(() => messages.length === count)
      const last = messages.at(-1)?.data as { front: { fronters: Json[] } } | undefined
      return last?.front.fronters.map(({ member, kind, status: text }) => [
        (member as Json).name,
        kind,
        text,
      ])
    }
    await owner.do(`PATCH /v2/members/${hidden}`, { name: 'Secret' })
    await owner.do(`POST ${notes}`, status(hidden, 'secret'))
    await owner.do(`PATCH /ext/v1/members/${wren}`, { archived: true, announce_front: false })
    const { id } = await owner.do(`POST ${notes}`, status(wren, 'at work'))
    expect(await shown(2)).toEqual([['Wren', 'member', 'at work']])
    await owner.do(`PATCH /ext/v1/front-notes/${id}`, { text: 'at home' })
    expect(await shown(3)).toEqual([['Wren', 'member', 'at home']])
    await owner.do(`DELETE /ext/v1/front-notes/${id}`)
    expect(await shown(4)).toEqual([['Wren', 'member', null]])
    await owner.do(`PATCH /ext/v1/members/${wren}`, { kind: 'custom_front' })
    expect(await shown(5)).toEqual([['Wren', 'custom_front', null]])
    await owner.do(`PATCH /v2/members/${wren}`, { name: 'Robin' })
    expect(await shown(6)).toEqual([['Robin', 'custom_front', null]])
    await leave()
  })

  test('sends the whole member when members are shown, and what names it when they no longer are', async () => {
    const birthday = '1990-12-31'
    const { member: created } = await owner.do('POST /ext/v1/members', {
      member: { name: 'Wren', birthday, color: '88c0a8', keep_proxy: true },
      buckets: [friendsBucket()],
    })
    await switchTo(owner, String((created as Json).uuid))
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    const shown = async (count: number) => {
      await until(() => messages.length === count)
      const last = messages.at(-1)?.data as { front: { fronters: { member: Json }[] } } | undefined
      return last?.front.fronters[0]?.member
    }
    const named = { name: 'Wren', color: '88c0a8', birthday: null, keep_proxy: null }
    expect(await shown(1)).toMatchObject(named)
    await sharing({ see_members: true })
    expect(await shown(2)).toMatchObject({ ...named, birthday, keep_proxy: true })
    await sharing({ see_members: false })
    expect(await shown(3)).toMatchObject(named)
    // A change of what the friend does not see sends nothing.
    await owner.do(`PATCH /v2/members/${(created as Json).uuid}`, { birthday: '1991-01-01' })
    await switchTo(owner)
    await until(() => messages.length === 4)
    expect(messages[3]?.data).toEqual({ friend: friendship, front: { fronters: [] } })
    await leave()
  })

  test('removes its listeners when it ends, early or late, and when a friendship ends', async () => {
    const { hub } = testApp.app.events
    const { listen } = hub
    let listeners = 0
    hub.listen = (...given) => {
      listeners++
      const stop = listen(...given)
      return () => {
        listeners--
        stop()
      }
    }
    const url = `${address}/ext/v1/friends/stream`
    const headers = { authorization: guest.system.token }
    for (let early = 0; early < 5; early++) {
      const { body } = await testApp.app.handle(new Request(url, { headers }), () => '127.0.0.1')
      await body?.cancel()
    }
    const open = () => readStream(url, { token: guest.system.token })
    const streams = await Promise.all([open(), open(), open()])
    await until(() => streams.every(({ messages }) => messages.length === 1))
    await until(() => listeners === 6)
    await owner.do(`DELETE /ext/v1/friends/${friendship}`)
    await until(() => listeners === 3)
    for (const { leave } of streams) await leave()
    await until(() => listeners === 0)
    hub.listen = listen
  })

  test('shows no front while the system is disabled', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.system.token })
    const fronts = () => messages.map(({ data }) => (data as Json).front)
    await until(() => messages.length >= 1)
    await disableSystem(testApp.deps, operatorOf(owner))
    await until(() => messages.length >= 2)
    await enableSystem(testApp.deps, operatorOf(owner))
    await until(() => messages.length >= 3)
    expect(fronts()[1]).toBe(null)
    expect([fronts()[0], fronts()[2]].map(namesOf)).toEqual([['Wren'], ['Wren']])
    await leave()
  })
})

describe('notifications', () => {
  beforeEach(async () => {
    await guest.do(`PATCH /ext/v1/friends/${friendship}`, { notify_me: true })
    await eventsOf(guest)
  })

  const pass = async (seconds: number) => {
    now += seconds * SECOND
    await notifyFriends(testApp.deps)
  }

  const fronts = async () =>
    (await eventsOf(guest)).filter((event) => (event as string[])[0] === 'FRIEND_FRONT')

  test('are recorded once, ten seconds after the last change', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(6)
    await switchTo(owner, ash)
    await pass(6)
    expect(await fronts()).toEqual([])
    await pass(4)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [ash] }]])
    await pass(20)
    expect(await fronts()).toEqual([])
  })

  test('are not delayed by switches of hidden members', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const hidden = await addMember(owner, 'Hidden')
    await switchTo(owner, wren)
    await pass(8)
    await switchTo(owner, wren, hidden)
    await pass(1)
    expect(await fronts()).toEqual([])
    await pass(2)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [wren] }]])
    await pass(20)
    expect(await fronts()).toEqual([])
  })

  test('have the fronters who are shared at their time', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash')
    await switchTo(owner, wren, ash)
    await pass(5)
    await owner.do(`PATCH /ext/v1/members/${ash}`, { buckets: [friendsBucket()] })
    await pass(6)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [wren, ash] }]])
    await pass(20)
    expect(await fronts()).toEqual([])
  })

  test('are not recorded for a change there and back, for an empty front, and for a deletion', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(11)
    expect(await fronts()).toHaveLength(1)
    await switchTo(owner, ash)
    await pass(1)
    await switchTo(owner, wren)
    await pass(11)
    await owner.do('POST /v2/systems/@me/switches', { members: [] })
    await pass(11)
    const [latest] = await owner.do('GET /v2/systems/@me/switches')
    await owner.do(`DELETE /v2/systems/@me/switches/${latest?.id}`)
    await pass(11)
    expect(await fronts()).toEqual([])
    await switchTo(owner, ash)
    await pass(11)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [ash] }]])
  })

  test('are not recorded for hidden members, and for members who are not announced', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const hidden = await addMember(owner, 'Hidden')
    const quiet = await addMember(owner, 'Quiet', {
      buckets: [friendsBucket()],
      announce_front: false,
    })
    await switchTo(owner, wren)
    await pass(11)
    expect(await fronts()).toHaveLength(1)
    await switchTo(owner, wren, hidden)
    await pass(11)
    await switchTo(owner, quiet, wren, hidden)
    await pass(11)
    await switchTo(owner, hidden)
    await pass(11)
    expect(await fronts()).toEqual([])
  })

  test('are not recorded when a hidden member joins after others were shared', async () => {
    const wren = await addMember(owner, 'Wren')
    const hidden = await addMember(owner, 'Hidden')
    await switchTo(owner, wren)
    await pass(11)
    await owner.do(`PATCH /ext/v1/members/${wren}`, { buckets: [friendsBucket()] })
    await pass(1)
    await switchTo(owner, wren, hidden)
    await pass(11)
    expect(await fronts()).toEqual([])
  })

  test.each(['before', 'after'])(
    'are not recorded when a hidden member joins within a second %s a change of sharing',
    async (order) => {
      const wren = await addMember(owner, 'Wren')
      const hidden = await addMember(owner, 'Hidden')
      await switchTo(owner, wren)
      await pass(11)
      const change = () =>
        owner.do(`PUT /ext/v1/buckets/${friendsBucket()}/contents`, { members: [wren] })
      if (order === 'after') await change()
      await switchTo(owner, wren, hidden)
      if (order === 'before') await change()
      await pass(11)
      expect(await fronts()).toEqual([])
      await switchTo(owner, hidden)
      await pass(11)
      await switchTo(owner, wren)
      await pass(11)
      expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [wren] }]])
    },
  )

  test('are not recorded for a return that is logged just before', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(11)
    await eventsOf(guest)
    await switchTo(owner, ash)
    now += 11 * SECOND
    const { transact } = testApp.deps
    let count = 0
    const switching: typeof transact = async (scope, run) => {
      // After the fronts were compared, and before the friend is notified.
      if (++count === 3) await switchTo(owner, wren)
      return transact(scope, run)
    }
    await notifyFriends({ ...testApp.deps, transact: switching })
    expect(count).toBe(3)
    await pass(11)
    expect(await fronts()).toEqual([])
  })

  test.each([
    ['the friend no longer announces', { share: { announce: false } }, {}],
    ['the front is no longer shared', { share: { see_front: false } }, {}],
    ['they are no longer wanted', {}, { notify_me: false }],
  ])('are not pushed when %s since they were queued', async (_, ofOwner, ofGuest) => {
    const { friendFront } = createPushSources(() => testApp.deps)
    const viewer = { system: guest.system.id, platform: null }
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    const shown = { name: 'Lantern Hill', names: ['Wren'] }
    expect(await friendFront(viewer, friendship)).toEqual(shown)
    for (const [caller, patch] of [
      [owner, ofOwner],
      [guest, ofGuest],
    ] as const)
      if (Object.keys(patch).length > 0)
        await caller.do(`PATCH /ext/v1/friends/${friendship}`, patch)
    expect(await friendFront(viewer, friendship)).toBe(null)
  })

  test.each([
    ['put in no bucket', { buckets: [] }],
    ['no longer announced', { announce_front: false }],
  ])('leave out a member who is %s during the pause, and from then on', async (_, patch) => {
    const { friendFront } = createPushSources(() => testApp.deps)
    const viewer = { system: guest.system.id, platform: null }
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren, ash)
    await pass(5)
    await owner.do(`PATCH /ext/v1/members/${ash}`, patch)
    await pass(6)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [wren] }]])
    await owner.do(`PATCH /ext/v1/members/${wren}`, patch)
    expect(await friendFront(viewer, friendship)).toMatchObject({ names: [] })
    await switchTo(owner, ash, wren)
    await pass(5)
    await pass(6)
    expect(await fronts()).toEqual([])
  })

  test('disappear from the events of both sides when the friendship ends', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(11)
    await owner.do(`DELETE /ext/v1/friends/${friendship}`)
    expect(await eventsOf(guest)).toEqual([['DELETE_FRIEND', friendship, null]])
  })

  test.each([
    ['the front is no longer shared', () => sharing({ see_front: false })],
    ['the friend is in no bucket any more', () => sharing({ buckets: [] })],
    ['the system is disabled', () => disableSystem(testApp.deps, operatorOf(owner))],
  ])('are not recorded when %s during the pause', async (_, hide) => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(5)
    await hide()
    await pass(30)
    expect(await fronts()).toEqual([])
  })

  test.each([
    ['a fronter was deleted', 'DELETE /v2/members/<ash>', undefined],
    ['a switch was deleted', 'DELETE /v2/systems/@me/switches/<latest>', undefined],
    ['a fronter left its buckets', 'PATCH /ext/v1/members/<ash>', { buckets: [] }],
    ['a fronter is no longer announced', 'PATCH /ext/v1/members/<ash>', { announce_front: false }],
    ['a bucket was emptied', 'PUT /ext/v1/buckets/<extra>/contents', { members: [] }],
    ['a bucket was deleted', 'DELETE /ext/v1/buckets/<extra>', undefined],
    [
      'the friend left a bucket',
      'PATCH /ext/v1/friends/<friend>',
      { share: { buckets: ['<friends>'] } },
    ],
    [
      'an import logged a switch',
      'POST /v2/systems/@me/import',
      {
        version: 2,
        members: [{ id: 'wrenab', uuid: '<wren>', name: 'Wren' }],
        groups: [],
        switches: [{ timestamp: '2026-03-22T08:30:11.5Z', members: ['wrenab'] }],
      },
    ],
  ])('are not recorded for a change there and back after %s', async (_, line, body) => {
    const { id: extra } = await owner.do('POST /ext/v1/buckets', { name: 'Extra' })
    const share = { buckets: [friendsBucket(), extra] }
    await sharing(share)
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [extra] })
    const robin = await addMember(owner, 'Robin', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(1)
    await switchTo(owner, wren, ash)
    await pass(11)
    expect(await fronts()).toHaveLength(1)
    const [latest] = await owner.do('GET /v2/systems/@me/switches')
    const names: Record<string, unknown> = {
      ...{ wren, ash, extra, friend: friendship, latest: latest?.id },
      friends: friendsBucket(),
    }
    const fill = (text: string) => text.replace(/<(\w+)>/g, (_match, name) => String(names[name]))
    await owner.do(fill(line), body && JSON.parse(fill(JSON.stringify(body))))
    await pass(5)
    await switchTo(owner, robin)
    await pass(1)
    const left = line.startsWith('DELETE /v2') || line.endsWith('import') ? [wren] : [wren, ash]
    // The front that the change has left.
    await switchTo(owner, ...left)
    await pass(30)
    expect(await fronts()).toEqual([])
  })

  test('are not recorded for a change there and back after becoming friends', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(1)
    guest = await createCaller('Third')
    const { code } = await owner.do('POST /ext/v1/friends/invites', {})
    await guest.do('POST /ext/v1/friends', { code, notify_me: true })
    await pass(1)
    await switchTo(owner, ash)
    await pass(1)
    await switchTo(owner, wren)
    await pass(30)
    expect(await fronts()).toEqual([])
  })

  test('are not recorded for switches of a front that is not shared', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await sharing({ see_front: false })
    await pass(1)
    await switchTo(owner, wren)
    await pass(30)
    expect(await fronts()).toEqual([])
    await sharing({ see_front: true })
    await pass(30)
    expect(await fronts()).toEqual([])
  })

  test('that wait to be pushed are deleted when the friendship ends', async () => {
    const [token] = await rows<{ id: number }>(
      testApp.deps.db,
      `select id from tokens where system_id = ${guest.system.id}`,
    )
    const { uuid } = guest.system
    await testApp.deps.transact('new', async (tx) => {
      const target = { uuid, endpoint: 'https://push.example', endpoint_hash: uuid, p256dh: 'B' }
      const owned = { system_id: guest.system.id, token_id: token?.id ?? 0 }
      const more = { auth: 'a', label: 'Phone', wants: '["friends"]' }
      await insert(tx, 'push_targets', { ...target, ...owned, ...more })
      for (const subject of [friendship, owner.system.uuid])
        await execute(
          tx,
          `insert into push_queue (target_id, kind, subject, due)
           select id, 'friends', :subject, :due from push_targets where uuid = :uuid`,
          { subject, due: now + 1000 * SECOND, uuid },
        )
    })
    await owner.do(`DELETE /ext/v1/friends/${friendship}`)
    const left = await rows(
      testApp.deps.db,
      `select subject from push_queue where target_id =
        (select id from push_targets where uuid = '${uuid}')`,
    )
    expect(left).toEqual([{ subject: owner.system.uuid }])
  })

  test('do not name members who are not announced when they are pushed', async () => {
    const { friendFront } = createPushSources(() => testApp.deps)
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()], announce_front: false })
    await switchTo(owner, ash, wren)
    const viewer = { system: guest.system.id, platform: null }
    expect(await friendFront(viewer, friendship)).toMatchObject({ names: ['Wren'] })
  })

  test('that were compared are not written again', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(1)
    const before = await versionOf(testApp.deps.db)
    await notifyFriends(testApp.deps)
    expect(await versionOf(testApp.deps.db)).toBe(before)
  })

  test('are not recorded for backfilled switches, without announce, and without notify_me', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    const ash = await addMember(owner, 'Ash', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    await pass(11)
    await eventsOf(guest)
    const timestamp = '2026-01-01T00:00:00Z'
    await owner.do('POST /v2/systems/@me/switches', { members: [ash], timestamp })
    await pass(11)
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { announce: false } })
    await switchTo(owner, ash)
    await pass(11)
    await owner.do(`PATCH /ext/v1/friends/${friendship}`, { share: { announce: true } })
    await guest.do(`PATCH /ext/v1/friends/${friendship}`, { notify_me: false })
    await switchTo(owner, wren)
    await pass(11)
    expect(await fronts()).toEqual([])
  })

  /** Notifies friends, and runs the work before the transaction with this number. */
  const notifyWith = async (number: number, work: () => Promise<unknown>) => {
    const { deps } = testApp
    let count = 0
    await notifyFriends({
      ...deps,
      transact: async (of, ...rest) => {
        if (++count === number) await work()
        return deps.transact(of, ...rest)
      },
    })
  }

  test('are recorded for a switch that is logged while an earlier change is processed', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await notifyWith(1, () => switchTo(owner, wren))
    await pass(11)
    expect(await fronts()).toEqual([['FRIEND_FRONT', friendship, { fronters: [wren] }]])
  })

  test('are not recorded for a member shared while an earlier change is processed', async () => {
    const wren = await addMember(owner, 'Wren')
    const hidden = await addMember(owner, 'Hidden')
    await switchTo(owner, wren)
    now += 11 * SECOND
    // The friend has been compared in the first transaction.
    await notifyWith(2, () =>
      owner.do(`PATCH /ext/v1/members/${wren}`, { buckets: [friendsBucket()] }),
    )
    await pass(1)
    await switchTo(owner, wren, hidden)
    await pass(11)
    expect(await fronts()).toEqual([])
  })

  test('are recorded once by two processes at the same time', async () => {
    const wren = await addMember(owner, 'Wren', { buckets: [friendsBucket()] })
    await switchTo(owner, wren)
    now += 11 * SECOND
    await Promise.all([1, 2, 3].map(() => notifyFriends(testApp.deps)))
    expect(await fronts()).toHaveLength(1)
  })
})

describe('default buckets', () => {
  test('contain new members, custom fronts, groups and fields of every API', async () => {
    const { id } = await owner.do('POST /ext/v1/buckets', {
      name: 'New',
      default_for: ['members', 'groups', 'fields'],
    })
    const fronts = await owner.do('POST /ext/v1/buckets', {
      name: 'Fronts',
      default_for: ['custom_fronts'],
    })
    const v2 = await owner.do('POST /v2/members', { name: 'Wren' })
    const v1 = await owner.do('POST /v1/m', { name: 'Ash' })
    await addMember(owner, 'Finch')
    await addMember(owner, 'Asleep', { kind: 'custom_front' })
    await addMember(owner, 'Bare', { buckets: [] })
    const group = await owner.do('POST /v2/groups', { name: 'Keepers' })
    const field = await owner.do('POST /ext/v1/systems/@me/fields', { name: 'Role', type: 'text' })
    expect(field.buckets).toEqual([id])
    const listed = await owner.do('GET /ext/v1/systems/@me/members')
    expect(listed.map(({ buckets: of }) => of)).toEqual([[id], [id], [id], [fronts.id], []])
    expect([v1.id, v2.id]).not.toContain(undefined)
    const [listedGroup] = await owner.do('GET /ext/v1/systems/@me/groups')
    expect(listedGroup).toMatchObject({ group: { id: group.id }, buckets: [id] })
    expect(await owner.do('GET /ext/v1/buckets')).toMatchObject([
      {},
      {},
      { id, members: 3, groups: 1, fields: 1, friends: 0 },
      { id: fronts.id, members: 1 },
    ] as never)
  })

  test('appear in one event of a new member, with the buckets that it has', async () => {
    const [id, other] = await Promise.all(
      ['members', 'custom_fronts'].map(async (kind) => {
        const body = { name: kind, default_for: [kind] }
        return (await owner.do('POST /ext/v1/buckets', body)).id
      }),
    )
    await eventsOf(owner)
    const bucketsIn = async () =>
      (await eventsOf(owner)).flatMap((event) => {
        const [, , data] = event as [string, string, Json]
        return data.buckets ? [data.buckets] : []
      })
    await addMember(owner, 'Wren')
    expect(await bucketsIn()).toEqual([[id]])
    await addMember(owner, 'Asleep', { kind: 'custom_front' })
    expect(await bucketsIn()).toEqual([[other]])
    await addMember(owner, 'Finch', { buckets: [friendsBucket()] })
    expect(await bucketsIn()).toEqual([[friendsBucket()]])
    await addMember(owner, 'Bare', { buckets: [] })
    expect(await bucketsIn()).toEqual([])
  })

  test('replaces and deletes contents, and hides buckets from other callers', async () => {
    const wren = await addMember(owner, 'Wren')
    const path = `/ext/v1/buckets/${friendsBucket()}`
    await eventsOf(owner)
    expect(await owner.do(`PUT ${path}/contents`, { members: [wren, wren] })).toMatchObject({
      members: 1,
    })
    expect(await eventsOf(owner)).toEqual([
      ['UPDATE_BUCKET', friendsBucket(), { keys: ['members'] }],
    ])
    expect(await guest.do(`GET /ext/v1/members/${wren}`)).not.toHaveProperty('buckets')
    expect(await owner.do(`GET /ext/v1/members/${wren}`)).toMatchObject({
      buckets: [friendsBucket()],
    })
    const foreign = await addMember(guest, 'Foreign')
    const problems: [Json, number][] = [
      [{ members: [foreign] }, 30008],
      [{ members: ['zzzzzz'] }, 20003],
      [{ groups: ['zzzzzz'] }, 20005],
      [{ fields: ['zzzzzz'] }, 29001],
    ]
    for (const [body, code] of problems)
      expect((await owner.send(`PUT ${path}/contents`, body)).json.code).toBe(code)
    await owner.do(`DELETE ${path}`)
    expect(await owner.do(`GET /ext/v1/members/${wren}`)).toMatchObject({ buckets: [] })
    expect((await owner.send(`DELETE ${path}`)).json.code).toBe(29007)
  })
})
