import { purgeDeleted } from '../../src/service/deletion'
import { deleteSystem } from '../operatorActions'
import { insertAll, rows } from '../rawSql'
import { describe, expect, test } from '../test'
import { createTestApp, type TestSystem } from '../testApp'

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
