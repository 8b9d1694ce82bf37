import { eq } from 'drizzle-orm'
import { deletedSwitches, extUsage, frontNotes } from '../../src/db/tables'
import { DAY } from '../../src/model/core/time'
import { pruneDeletedSwitches } from '../../src/service/front/deletedSwitchCleanup'
import { deleteAllSwitches } from '../../src/service/front/switches'
import { purgeDeleted } from '../../src/service/systems/purge'
import { deleteSystem } from '../../src/service/systems/systems'
import { drizzleOn } from '../tools/drizzle'
import { execute, insertAll } from '../tools/rawSql'
import { createFixture, type Fixture, type Json } from '../tools/scenarios'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { deps } = testApp
const NOTES = '/ext/v1/systems/@me/front/notes'

/** Adds statuses about Finch, and comments by Finch about no member, as the service would. */
async function fill({ owner, finch }: Fixture, size: number): Promise<void> {
  await deps.transact({ system: owner.id }, async (tx) => {
    const notes = Array.from({ length: size }, (_, index) => {
      const at = finch.id * 1_000_000 + index
      const row = { system_id: owner.id, at, text: 'hello', created: 1 }
      return [
        { uuid: crypto.randomUUID(), ...row, member_id: finch.id, by_member: null, kind: 'status' },
        {
          uuid: crypto.randomUUID(),
          ...row,
          member_id: null,
          by_member: finch.id,
          kind: 'comment',
        },
      ]
    })
    await insertAll(tx, 'front_notes', notes.flat())
    const count =
      'insert into ext_usage (system_id, front_notes, text_bytes) values (:system, :rows, :bytes)'
    await execute(tx, count, { system: owner.id, rows: 2 * size, bytes: 10 * size })
  })
}

const usageOf = async ({ owner }: Fixture) => {
  const [row] = await drizzleOn(deps.db)
    .select({ rows: extUsage.front_notes, bytes: extUsage.text_bytes })
    .from(extUsage)
    .where(eq(extUsage.system_id, owner.id))
    .all()
  return row
}

const storedOf = async ({ owner }: Fixture) =>
  (
    await drizzleOn(deps.db)
      .select({ id: frontNotes.id })
      .from(frontNotes)
      .where(eq(frontNotes.system_id, owner.id))
      .all()
  ).length

/** Deletes hidden rows twice at the same time, as two nodes may do. */
const purgeTwice = () => Promise.all([purgeDeleted(deps), purgeDeleted(deps)])

/** Few rows are deleted at once, many are hidden and deleted in batches. */
describe.each([3, 700])('deletion with %i statuses and comments', (size) => {
  test(`deletes ${size} statuses of a member, and keeps its name in comments`, async () => {
    const fixture = await createFixture(testApp)
    await fill(fixture, size)
    await fixture.do('DELETE /v2/members/<finch>')
    const check = async () => {
      const listed = await fixture.get<Json[]>(`GET ${NOTES}?limit=1000`)
      expect(listed).toHaveLength(size)
      for (const row of listed)
        expect(row).toMatchObject({ kind: 'comment', by: null, author_name: 'Finch' })
    }
    await check()
    await purgeTwice()
    await check()
    expect(await storedOf(fixture)).toBe(size)
    expect(await usageOf(fixture)).toEqual({ rows: size, bytes: 5 * size })
  })

  test(`deletes ${size} statuses with the history, and keeps comments`, async () => {
    const fixture = await createFixture(testApp)
    await fill(fixture, size)
    await deleteAllSwitches(deps, { system: fixture.owner.id, platform: null })
    const put = `PUT /ext/v1/systems/@me/switches/${crypto.randomUUID()}`
    await fixture.do(put, { members: [{ id: '<finch>', status: 'new' }] })
    const check = async () => {
      const listed = await fixture.get<Json[]>(`GET ${NOTES}?kind=status`)
      expect(listed.map(({ text }) => text)).toEqual(['new'])
      expect(await fixture.get<Json[]>(`GET ${NOTES}?kind=comment&limit=1000`)).toHaveLength(size)
    }
    await check()
    await purgeTwice()
    await check()
    expect(await storedOf(fixture)).toBe(size + 1)
    expect(await usageOf(fixture)).toEqual({ rows: size + 1, bytes: 5 * size + 3 })
  })

  test(`deletes a system with ${size} statuses`, async () => {
    const fixture = await createFixture(testApp)
    await fill(fixture, size)
    await fixture.do('DELETE /v2/systems/@me/switches/<latest>')
    await deleteSystem(deps, { system: fixture.owner.id, platform: null })
    await purgeTwice()
    expect(await storedOf(fixture)).toBe(0)
    expect(await usageOf(fixture)).toBeUndefined()
  })
})

test('records of deleted switches are removed after 30 days and above 10,000', async () => {
  const { owner, other } = await createFixture(testApp)
  const now = deps.now()
  const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  await deps.transact('new', async (tx) => {
    const many = Array.from({ length: 10_600 }, (_, number) => ({
      system_id: owner.id,
      uuid: uuidOf(number),
      at: now - DAY + number,
    }))
    await insertAll(tx, 'deleted_switches', [
      ...many,
      { system_id: other.id, uuid: uuidOf(1), at: now - 31 * DAY },
      { system_id: other.id, uuid: uuidOf(2), at: now - 29 * DAY },
    ])
  })
  await pruneDeletedSwitches(deps)
  const left = await drizzleOn(deps.db).select().from(deletedSwitches).all()
  const of = (system: number) =>
    left
      .filter(({ system_id }) => system_id === system)
      .map(({ uuid }) => uuid)
      .toSorted()
  expect(of(other.id)).toEqual([uuidOf(2)])
  expect(of(owner.id)).toHaveLength(10_000)
  expect(of(owner.id)[0]).toBe(uuidOf(600))
})
