import { hiddenIdentity } from '../../src/db/visible'
import type { Deps } from '../../src/service/core/deps'
import { purgeDeleted } from '../../src/service/systems/purge'
import { removeAbandoned } from '../../src/service/systems/staging'
import { deleteSystem } from '../tools/operatorActions'
import { insert, insertAll, rows } from '../tools/rawSql'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'

const testApp = createTestApp()
const { deps } = testApp

/** More rows than are deleted in one transaction. */
const MANY = 1200

interface SystemWithMember extends TestSystem {
  readonly member: string
}

/** Creates two systems whose messages alternate, as in one guild. */
async function createAlternatingMessages(): Promise<[SystemWithMember, SystemWithMember]> {
  const both: SystemWithMember[] = []
  for (const name of ['Lantern', 'Harbour']) {
    const as = await testApp.makeSystem(name)
    const { json } = await testApp.ask('POST /v2/members', { as, body: { name: 'Wren' } })
    both.push({ ...as, member: String(json.uuid) })
  }
  const ids = await Promise.all(both.map(({ member }) => idOf(member)))
  const messages = Array.from({ length: 2 * MANY }, (_, at) => ({
    ...{ id: `${both[at % 2]?.id}${at}`, original: `8${at}`, sender: '1', channel: '2' },
    ...{ system_id: both[at % 2]?.id ?? 0, member_id: ids[at % 2] ?? 0, timestamp: at },
  }))
  await deps.transact('new', (tx) => insertAll(tx, 'messages', messages))
  return both as [SystemWithMember, SystemWithMember]
}

async function idOf(uuid: string): Promise<number> {
  const [row] = await rows<{ id: number }>(deps.db, 'select id from members where uuid = :uuid', {
    uuid,
  })
  return row?.id ?? 0
}

/** Counts the messages of a system, and those of them that have a member. */
async function messagesOf({ id }: TestSystem): Promise<[all: number, withMember: number]> {
  const found = await rows<{ member_id: number | null }>(
    deps.db,
    'select member_id from messages where system_id = :id',
    { id },
  )
  return [found.length, found.filter(({ member_id }) => member_id !== null).length]
}

describe('purging in batches', () => {
  test('deletes the messages of a deleted system and keeps those of other systems', async () => {
    const [one, other] = await createAlternatingMessages()
    await deleteSystem(deps, one.id)
    await purgeDeleted(deps)
    expect(await messagesOf(one)).toEqual([0, 0])
    expect(await messagesOf(other)).toEqual([MANY, MANY])
  })

  test('removes a deleted member from its messages and keeps the members of other messages', async () => {
    const [one, other] = await createAlternatingMessages()
    const { status } = await testApp.ask(`DELETE /v2/members/${one.member}`, { as: one })
    expect(status).toBe(204)
    await purgeDeleted(deps)
    expect(await messagesOf(one)).toEqual([MANY, 0])
    expect(await messagesOf(other)).toEqual([MANY, MANY])
  })
})

describe('polls with many votes', () => {
  const POLLS = 5

  /** Creates polls with votes of former members. */
  async function createVotes({ id }: TestSystem, import_id: number | null): Promise<void> {
    const polls = Array.from({ length: POLLS }, () => ({
      uuid: crypto.randomUUID(),
      system_id: id,
      import_id,
      name: 'Tea?',
    }))
    await deps.transact('new', async (tx) => {
      await insertAll(tx, 'polls', polls)
      const created = await rows<{ poll_id: number }>(
        tx,
        'select id as poll_id from polls where system_id = :id',
        { id },
      )
      const votes = created.flatMap(({ poll_id }) =>
        Array.from({ length: MANY }, () => ({ poll_id, option_id: 'yes', author_name: 'Wren' })),
      )
      await insertAll(tx, 'poll_votes', votes)
    })
  }

  /** Returns functions that count the votes that are left after each transaction. */
  function watchVotes() {
    const left: number[] = []
    const watched: Deps = {
      ...deps,
      async transact(...given) {
        const result = await deps.transact(...given)
        left.push((await rows(deps.db, 'select 1 as one from poll_votes')).length)
        return result
      },
    }
    const steps = () => left.map((count, at) => (left[at - 1] ?? POLLS * MANY) - count)
    return { watched, left, steps }
  }

  test('are deleted with their system in batches of votes', async () => {
    const system = await testApp.makeSystem('Harbour')
    await createVotes(system, null)
    const { watched, left, steps } = watchVotes()
    await deleteSystem(watched, system.id)
    expect(left).toEqual([POLLS * MANY])
    await purgeDeleted(watched)
    expect(left.at(-1)).toBe(0)
    expect(Math.max(...steps())).toBeLessThanOrEqual(1_000)
  })

  test('are deleted with their import in batches of votes', async () => {
    const system = await testApp.makeSystem('Harbour')
    const { hid, uuid } = hiddenIdentity()
    const import_id = await deps.transact('new', async (tx) => {
      await insert(tx, 'systems', { hid, uuid })
      const [staging] = await rows<{ id: number }>(
        tx,
        'select id from systems where uuid = :uuid',
        { uuid },
      )
      const pending = { system_id: system.id, staging_system_id: staging?.id ?? 0, expires_at: 0 }
      await insert(tx, 'pending_imports', pending)
      const [row] = await rows<{ id: number }>(tx, 'select id from pending_imports')
      return row?.id ?? 0
    })
    await createVotes(system, import_id)
    const { watched, left, steps } = watchVotes()
    await removeAbandoned(watched)
    expect(left.at(-1)).toBe(0)
    expect(Math.max(...steps())).toBeLessThanOrEqual(1_000)
    expect(await rows(deps.db, 'select 1 as one from polls')).toEqual([])
  })
})
