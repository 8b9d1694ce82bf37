import { purgeDeleted } from '../../../src/service/systems/purge'
import { execute, rows } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { archiveRows } from './archiveRows'

const testApp = createTestApp({ RATE_LIMIT: 'off', HOST: '127.0.0.1', PORT: '0' })
const { deps } = testApp
const address = testApp.app.listen()

/** Inserts rows that are numbered from 1, with SQL for their columns. */
async function insertNumbered(
  { owner }: Fixture,
  table: string,
  size: number,
  columns: Record<string, string>,
): Promise<void> {
  const all: Record<string, string> = {
    uuid: `'${crypto.randomUUID().slice(0, 24)}' || cast(100000000000 + i as text)`,
    system_id: String(owner.id),
    ...columns,
  }
  await deps.transact({ system: owner.id }, (tx) =>
    execute(
      tx,
      `insert into ${table} (${Object.keys(all).join()})
       with recursive numbers(i) as (
         select 1 union all select i + 1 from numbers where i < ${size})
       select ${Object.values(all).join()} from numbers`,
    ),
  )
}

const send = async (fixture: Fixture, line: string, body?: unknown) => {
  const [method = '', path = ''] = fixture.fill(line).split(' ')
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: fixture.owner.token },
    ...(body !== undefined && { body: JSON.stringify(fixture.fill(body)) }),
  })
  expect(response.status, line).toBeLessThan(300)
  return response.text()
}

/** Sends a read and a write during the work, and returns the order in which all three ended. */
async function orderDuring(fixture: Fixture, work: Promise<unknown>): Promise<string> {
  const answered: string[] = []
  const end = work.then(() => answered.push('work'))
  await send(fixture, 'GET /v2/members/<wren>')
  answered.push('read')
  await send(fixture, 'POST /ext/v1/systems/@me/front/notes', { kind: 'comment', text: 'Rain.' })
  answered.push('write')
  await end
  return answered.join()
}

/** Expects that a read and a write are answered before the work ends, with a new system each time. */
async function expectAnswered(work: (fixture: Fixture) => Promise<string>): Promise<void> {
  // A busy database server may delay the others until the work ends.
  const orders: string[] = []
  while (orders.length < 5 && orders.at(-1) !== EXPECTED)
    orders.push(await work(await createFixture(testApp)))
  expect(orders).toContain(EXPECTED)
}

const EXPECTED = 'read,write,work'

describe('other requests are answered', () => {
  test('while 6,000 notes are searched, and the right ones are found', () =>
    expectAnswered(async (fixture) => {
      // Every 2,000th note has the word, in a text as long as a page.
      await insertNumbered(fixture, 'notes', 6_000, {
        title: `cast(i as text)`,
        text: `case when i % 2000 = 7 then 'Im MÄRZ. ' else '' end || '${'Quiet morning. '.repeat(100)}'`,
        date: 'i',
        created: 'i',
      })
      const search = send(
        fixture,
        `GET /ext/v1/systems/@me/notes?search=${encodeURIComponent('märz')}`,
      )
      const order = await orderDuring(fixture, search)
      const found: Json[] = JSON.parse(await search)
      expect(found.map(({ title }) => title)).toEqual(['4007', '2007', '7'])
      return order
    }))

  test('while a room with 6,000 posts is deleted', () =>
    expectAnswered(async (fixture) => {
      const { id } = await fixture.do('POST /ext/v1/systems/@me/rooms', { name: 'General' })
      fixture.remember('room', id)
      await insertNumbered(fixture, 'posts', 6_000, {
        room_id: `(select id from rooms where uuid = '${id}')`,
        text: `'hello'`,
        written: 'i',
      })
      await setUsage(fixture, { posts: 6_000, text_bytes: 5 * 6_000 + 'General'.length })
      await send(fixture, 'DELETE /ext/v1/rooms/<room>')
      expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/posts')).toEqual([])
      const order = await orderDuring(fixture, purgeDeleted(deps))
      const left = `select id from posts where system_id = :id
        union all select id from rooms where system_id = :id`
      expect(await rows(deps.db, left, { id: fixture.owner.id })).toEqual([])
      return order
    }))

  test('while the notes of a deleted member get its name', () =>
    expectAnswered(async (fixture) => {
      await insertNumbered(fixture, 'notes', 3_000, {
        member_id: String(fixture.finch.id),
        text: `'hello'`,
        date: 'i',
        created: 'i',
      })
      await send(fixture, 'DELETE /v2/members/<finch>')
      const check = async () => {
        const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/notes?limit=1000')
        expect(listed).toHaveLength(1_000)
        for (const note of listed)
          expect(note).toMatchObject({ member: null, author_name: 'Finch' })
      }
      await check()
      const order = await orderDuring(fixture, purgeDeleted(deps))
      await check()
      return order
    }))
})

describe('other requests are answered while a long file', () => {
  const boardMessages = Array.from({ length: 1_500 }, (_, at) => ({
    _id: `b${at}`,
    message: `Milk ${at}`,
    writtenAt: 1_700_000_000_000 + at,
  }))
  const posts = { added: 1_500, left_out: 0 }

  test('is imported', () =>
    expectAnswered(async (fixture) => {
      const file = { frontStatuses: [], boardMessages }
      const work = send(fixture, 'POST /v2/systems/@me/import', file)
      const order = await orderDuring(fixture, work)
      expect(JSON.parse(await work).ext).toMatchObject({ posts })
      return order
    }))

  test('is converted', () =>
    expectAnswered(async (fixture) => {
      await archiveRows(testApp, fixture.owner, 'boardMessages', boardMessages)
      const work = send(fixture, 'POST /ext/v1/systems/@me/archive/convert')
      const order = await orderDuring(fixture, work)
      expect(JSON.parse(await work).ext).toMatchObject({ posts })
      expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/archive')).toEqual([])
      return order
    }))
})

async function setUsage({ owner }: Fixture, usage: Record<string, number>): Promise<void> {
  const set = Object.keys(usage).map((key) => `${key} = :${key}`)
  const update = `update ext_usage set ${set.join()} where system_id = :id`
  await deps.transact({ system: owner.id }, (tx) => execute(tx, update, { ...usage, id: owner.id }))
}
