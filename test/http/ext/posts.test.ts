import { count, eq, sql } from 'drizzle-orm'
import { extUsage, posts, rooms } from '../../../src/db/tables'
import { countUnread } from '../../../src/service/journal/posts'
import { purgeDeleted } from '../../../src/service/systems/purge'
import { anyTime, anyUuid } from '../../tools/anyUuid'
import { drizzleOn } from '../../tools/drizzle'
import { outcomeOf } from '../../tools/outcomeOf'
import { insertAll } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const missing = '00000000-0000-4000-8000-000000000000'

const newRoom = { id: anyUuid, about: null, category: null, position: 0, last_written: null }

const newPost = {
  id: anyUuid,
  room: null,
  for: null,
  by: null,
  author_name: null,
  title: null,
  written: anyTime,
  edited: null,
  reply_to: null,
  read: false,
}

async function createRoom(fixture: Fixture, name = 'General'): Promise<void> {
  fixture.remember('room', (await fixture.do('POST /ext/v1/systems/@me/rooms', { name })).id)
}

/** Creates a room, a post in it and one on Finch's board by Wren. */
async function withPosts(fixture: Fixture): Promise<void> {
  await createRoom(fixture)
  const create = (body: Json, as: 'owner' | 'other' = 'owner') =>
    fixture.do('POST /ext/v1/systems/@me/posts', body, as)
  fixture.remember('inRoom', (await create({ room: '<room>', text: 'Hello room' })).id)
  const body = { for: '<finch>', by: '<wren>', title: 'Groceries', text: 'Milk, please.' }
  fixture.remember('onBoard', (await create(body)).id)
  fixture.remember('foreign', (await create({ text: 'Secret' }, 'other')).id)
}

describe('rooms', () => {
  runScenarios(testApp, {
    'a room needs a name': {
      ask: 'POST /ext/v1/systems/@me/rooms',
      body: { about: 'x'.repeat(2001) },
      status: 400,
      code: 40001,
      problems: ['name', 'about'],
    },
    'a new room is the last one': {
      given: createRoom,
      ask: 'POST /ext/v1/systems/@me/rooms',
      body: { name: 'Business', category: 'Work' },
      status: 201,
      json: { ...newRoom, name: 'Business', category: 'Work', position: 1 },
      events: [['CREATE_ROOM', anyUuid, { keys: ['name', 'category'] }]],
    },
    'rooms are listed by position, with their newest post': {
      given: async (fixture) => {
        await withPosts(fixture)
        await fixture.do('POST /ext/v1/systems/@me/rooms', { name: 'First', position: 0 })
        await fixture.do('PATCH /ext/v1/rooms/<room>', { position: 5 })
      },
      ask: 'GET /ext/v1/systems/@me/rooms',
      json: [
        { ...newRoom, name: 'First' },
        { ...newRoom, name: 'General', position: 5, last_written: anyTime },
      ],
    },
    'a deleted room takes its posts with it': {
      given: withPosts,
      ask: 'DELETE /ext/v1/rooms/<room>',
      status: 204,
      events: [['DELETE_ROOM', '<room>', null]],
      after: async (fixture) => {
        const left = await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts')
        expect(left.map(({ id }) => id)).toEqual([fixture.fill('<onBoard>')])
        expect(await fixture.ask('DELETE /ext/v1/rooms/<room>')).toMatchObject({ status: 404 })
      },
    },
    'a room of another system is not found': {
      given: createRoom,
      as: 'other',
      ask: 'PATCH /ext/v1/rooms/<room>',
      body: { name: 'Mine' },
      status: 404,
      code: 29004,
    },
  })

  test('a room with many posts disappears at once, and its rows in batches', async () => {
    const fixture = await createFixture(testApp)
    await withPosts(fixture)
    const { db } = testApp.deps
    const [room] = await drizzleOn(db)
      .select()
      .from(rooms)
      .where(eq(rooms.uuid, fixture.fill('<room>')))
    const values = Array.from({ length: 1_500 }, (_, at) => ({
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      room_id: room?.id ?? 0,
      text: 'x'.repeat(10),
      written: at,
    }))
    await testApp.deps.transact({ system: fixture.owner.id }, async (tx) => {
      await insertAll(tx, 'posts', values)
      await drizzleOn(tx)
        .update(extUsage)
        .set({ posts: sql`posts + 1500`, text_bytes: sql`text_bytes + 15000` })
    })
    await fixture.do('DELETE /ext/v1/rooms/<room>')
    expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/rooms')).toEqual([])
    const left = await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts?limit=1000')
    expect(left.map(({ id }) => id)).toEqual([fixture.fill('<onBoard>')])
    await purgeDeleted(testApp.deps)
    const [stored] = await drizzleOn(db)
      .select({ size: count() })
      .from(posts)
      .where(eq(posts.system_id, fixture.owner.id))
    expect(stored?.size).toBe(1)
    const [usage] = await drizzleOn(db)
      .select()
      .from(extUsage)
      .where(eq(extUsage.system_id, fixture.owner.id))
    expect(usage).toMatchObject({ posts: 1, text_bytes: 'GroceriesMilk, please.'.length })
  })
})

describe('writing posts', () => {
  runScenarios(testApp, {
    'a post on the system board needs only a text': {
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { text: 'Milk, please.' },
      status: 201,
      json: { ...newPost, text: 'Milk, please.' },
      events: [['CREATE_POST', anyUuid, { room: null, for: null, by: null, keys: ['text'] }]],
    },
    'a post in a room is neither read nor unread': {
      given: createRoom,
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { room: '<room>', by: '<wren>', text: 'Hello', written: '2026-01-01T10:05:00Z' },
      status: 201,
      json: {
        ...newPost,
        room: '<room>',
        by: '<wren.uuid>',
        text: 'Hello',
        written: '2026-01-01T10:05:00Z',
        read: null,
      },
      events: [
        [
          'CREATE_POST',
          anyUuid,
          {
            room: '<room>',
            for: null,
            by: '<wren.uuid>',
            keys: ['room', 'by', 'text', 'written'],
          },
        ],
      ],
    },
    'a post cannot be in a room and on a board': {
      given: createRoom,
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { room: '<room>', for: '<wren>', text: 'Hello' },
      status: 400,
      code: 40001,
      problems: ['for'],
    },
    'a post needs a text': {
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { title: 'Groceries' },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a post in an unknown room is refused': {
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { room: missing, text: 'Hello' },
      status: 404,
      code: 29004,
    },
    'a post for a member of another system is refused': {
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { for: '<stray>', text: 'Hello' },
      status: 403,
      code: 30008,
    },
    'a reply names a post of the same board': {
      given: withPosts,
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { for: '<finch>', text: 'Done.', reply_to: '<onBoard>' },
      status: 201,
      has: { reply_to: '<onBoard>' },
      events: [
        [
          'CREATE_POST',
          anyUuid,
          { room: null, for: '<finch.uuid>', by: null, keys: ['for', 'text', 'reply_to'] },
        ],
      ],
      after: async (fixture) => {
        await fixture.do('DELETE /ext/v1/posts/<onBoard>')
        const [reply] = await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts?for=<finch>')
        expect(reply?.reply_to).toBe(fixture.fill('<onBoard>'))
      },
    },
    'a reply to a post of another place is refused': {
      given: withPosts,
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { for: '<finch>', text: 'Done.', reply_to: '<inRoom>' },
      status: 400,
      code: 40001,
      problems: ['reply_to'],
    },
    'a reply to a post of another system is refused': {
      given: withPosts,
      ask: 'POST /ext/v1/systems/@me/posts',
      body: { text: 'Done.', reply_to: '<foreign>' },
      status: 404,
      code: 29003,
    },
    'a change of the text sets edited': {
      given: withPosts,
      ask: 'PATCH /ext/v1/posts/<onBoard>',
      body: { text: 'Oat milk, please.' },
      has: { text: 'Oat milk, please.', edited: anyTime, read: false },
      events: [
        [
          'UPDATE_POST',
          '<onBoard>',
          { room: null, for: '<finch.uuid>', by: '<wren.uuid>', keys: ['text'] },
        ],
      ],
    },
    'a patch moves no post to another board': {
      given: withPosts,
      ask: 'PATCH /ext/v1/posts/<onBoard>',
      body: { for: '<wren>' },
      status: 400,
    },
    'a post of another system is not found': {
      given: withPosts,
      ask: 'PATCH /ext/v1/posts/<foreign>',
      body: { text: 'Mine' },
      status: 404,
      code: 29003,
    },
  })
})

describe('reading posts', () => {
  const unread = (fixture: Fixture) => fixture.get<Json>('GET /ext/v1/systems/@me/posts/unread')

  runScenarios(testApp, {
    'posts of a room': {
      given: withPosts,
      ask: 'GET /ext/v1/systems/@me/posts?room=<room>',
      has: [{ id: '<inRoom>' }],
    },
    'posts of a board': {
      given: withPosts,
      ask: 'GET /ext/v1/systems/@me/posts?for=<finch>',
      has: [{ id: '<onBoard>' }],
    },
    'posts of the system board': {
      given: withPosts,
      ask: 'GET /ext/v1/systems/@me/posts?for=@system',
      json: [],
    },
    'unread posts': {
      given: withPosts,
      ask: 'GET /ext/v1/systems/@me/posts?unread=true',
      has: [{ id: '<onBoard>' }],
    },
    'two filters are refused': {
      given: withPosts,
      ask: 'GET /ext/v1/systems/@me/posts?unread=true&room=<room>',
      status: 400,
    },
    'an unknown room is not found': {
      ask: `GET /ext/v1/systems/@me/posts?room=${missing}`,
      status: 404,
      code: 29004,
    },
    'unread posts are counted by board': {
      given: withPosts,
      as: 'other',
      ask: 'GET /ext/v1/systems/@me/posts/unread',
      json: { '@system': 1 },
    },
    'a board is marked as read': {
      given: withPosts,
      ask: 'POST /ext/v1/systems/@me/posts/read',
      body: { for: '<finch>' },
      status: 204,
      events: [
        ['UPDATE_POST', null, { room: null, for: '<finch.uuid>', by: null, keys: ['read'] }],
      ],
      after: async (fixture) => expect(await unread(fixture)).toEqual({}),
    },
    'posts are marked as read by their IDs, and those of other systems are not': {
      given: withPosts,
      ask: 'POST /ext/v1/systems/@me/posts/read',
      body: { ids: ['<onBoard>', '<inRoom>', '<foreign>'] },
      status: 204,
      events: [
        ['UPDATE_POST', null, { room: null, for: '<finch.uuid>', by: null, keys: ['read'] }],
      ],
      after: async (fixture) => {
        expect(await unread(fixture)).toEqual({})
        expect(await fixture.get('GET /ext/v1/systems/@me/posts/unread', 'other')).toEqual({
          '@system': 1,
        })
      },
    },
    'nothing to mark records no event': {
      ask: 'POST /ext/v1/systems/@me/posts/read',
      body: { for: '@system' },
      status: 204,
      events: [],
    },
    'marking needs a board or IDs': {
      ask: 'POST /ext/v1/systems/@me/posts/read',
      body: {},
      status: 400,
      code: 40001,
      problems: ['ids'],
    },
  })

  test('numbers of unread posts follow reading, marking as unread and deletion', async () => {
    const fixture = await createFixture(testApp)
    await createRoom(fixture)
    const { wren, finch } = fixture
    const add = async (name: string, body: Json) =>
      fixture.remember(
        name,
        (await fixture.do('POST /ext/v1/systems/@me/posts', { text: 'x', ...body })).id,
      )
    for (const name of ['w1', 'w2', 'w3']) await add(name, { for: '<wren>' })
    for (const name of ['f1', 'f2']) await add(name, { for: '<finch>' })
    await add('system', {})
    await add('inRoom', { room: '<room>' })
    const read = (body: Json) => fixture.do('POST /ext/v1/systems/@me/posts/read', body)
    expect(await unread(fixture)).toEqual({ [wren.uuid]: 3, [finch.uuid]: 2, '@system': 1 })
    await read({ ids: ['<w1>', '<f1>', '<f1>', '<inRoom>', missing] })
    expect(await unread(fixture)).toEqual({ [wren.uuid]: 2, [finch.uuid]: 1, '@system': 1 })
    await read({ for: '<wren>' })
    expect(await unread(fixture)).toEqual({ [finch.uuid]: 1, '@system': 1 })
    await read({ for: '@system' })
    expect(await unread(fixture)).toEqual({ [finch.uuid]: 1 })
    await fixture.do('PATCH /ext/v1/posts/<w2>', { read: false })
    expect(await unread(fixture)).toEqual({ [wren.uuid]: 1, [finch.uuid]: 1 })
    await fixture.do('DELETE /ext/v1/posts/<w2>')
    await fixture.do('PATCH /ext/v1/posts/<f2>', { read: true })
    expect(await unread(fixture)).toEqual({})
  })

  test('many unread posts are counted while others are answered, until the caller leaves', async () => {
    const fixture = await createFixture(testApp)
    const { owner, wren, finch } = fixture
    const values = Array.from({ length: 12_001 }, (_, index) => ({
      uuid: crypto.randomUUID(),
      system_id: owner.id,
      for_member: [wren.id, finch.id, null][index % 3] ?? null,
      text: 'x',
      written: Math.min(index, 4_000),
    }))
    await testApp.deps.transact({ system: owner.id }, async (tx) => {
      await insertAll(tx, 'posts', values)
    })
    expect(await unread(fixture)).toEqual({
      [wren.uuid]: 4_001,
      [finch.uuid]: 4_000,
      '@system': 4_000,
    })
    const viewer = { system: owner.id, platform: null }
    const order: string[] = []
    setImmediate(() => order.push('another request'))
    await countUnread(testApp.deps, viewer, new AbortController().signal)
    expect([...order, 'the count']).toEqual(['another request', 'the count'])
    const caller = new AbortController()
    setImmediate(() => caller.abort(new Error('left')))
    const count = outcomeOf(countUnread(testApp.deps, viewer, caller.signal))
    expect(await count).toThrow('left')
  })

  test('a reply stays when the post that it replies to is deleted, and takes no new reply', async () => {
    const fixture = await createFixture(testApp)
    await withPosts(fixture)
    const reply = { room: '<room>', text: 'Hello', reply_to: '<inRoom>' }
    fixture.remember('reply', (await fixture.do('POST /ext/v1/systems/@me/posts', reply)).id)
    await fixture.do('DELETE /ext/v1/posts/<inRoom>')
    const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts?room=<room>')
    expect(listed).toMatchObject([{ text: 'Hello', reply_to: fixture.fill('<inRoom>') }])
    const late = await fixture.ask('POST /ext/v1/systems/@me/posts', reply)
    expect(late).toMatchObject({ status: 404, json: { code: 29003 } })
    const changed = await fixture.do('PATCH /ext/v1/posts/<reply>', { text: 'Hi' })
    expect(changed.reply_to).toBe(fixture.fill('<inRoom>'))
  })

  test('texts of a deleted member stay with its name, and its board becomes that of the system', async () => {
    const fixture = await createFixture(testApp)
    await withPosts(fixture)
    const note = await fixture.do('POST /ext/v1/systems/@me/notes', { member: '<wren>', text: 'x' })
    await fixture.do('DELETE /v2/members/<wren>')
    await fixture.do('DELETE /v2/members/<finch>')
    const [post] = await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts?for=@system')
    expect(post).toMatchObject({ for: null, by: null, author_name: 'Wren' })
    expect(await unread(fixture)).toEqual({ '@system': 1 })
    expect(await fixture.get(`GET /ext/v1/notes/${note.id}`)).toMatchObject({
      member: null,
      author_name: 'Wren',
    })
  })

  test('the same holds at once for a member with many texts', async () => {
    const fixture = await createFixture(testApp)
    await withPosts(fixture)
    const values = Array.from({ length: 800 }, (_, at) => ({
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      by_member: fixture.wren.id,
      for_member: fixture.finch.id,
      text: 'x',
      written: at,
    }))
    await testApp.deps.transact({ system: fixture.owner.id }, async (tx) => {
      await insertAll(tx, 'posts', values)
    })
    await fixture.do('DELETE /v2/members/<wren>')
    await fixture.do('DELETE /v2/members/<finch>')
    const check = async () => {
      const listed = await fixture.get<Json[]>(
        'GET /ext/v1/systems/@me/posts?for=@system&limit=1000',
      )
      expect(listed).toHaveLength(801)
      for (const post of listed)
        expect(post).toMatchObject({ for: null, by: null, author_name: 'Wren' })
      expect(await unread(fixture)).toEqual({ '@system': 801 })
    }
    await check()
    // Two nodes may clean up at the same time.
    await Promise.all([purgeDeleted(testApp.deps), purgeDeleted(testApp.deps)])
    await check()
  })
})
