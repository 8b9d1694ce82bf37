import { describe, expect, test } from 'bun:test'
import { purgeDeleted } from '../../src/service/deletion'
import { deleteSystem } from '../operatorActions'
import { insertAll, rows } from '../rawSql'
import { createTestApp, type TestSystem } from '../testApp'

const place = createTestApp()
const { deps } = place

/** More than are deleted at once. */
const MANY = 1200

interface Speaking extends TestSystem {
  readonly member: string
}

/** Two systems whose messages came in turns, as in one guild. */
async function speakInTurns(): Promise<[Speaking, Speaking]> {
  const both: Speaking[] = []
  for (const name of ['Lantern', 'Harbour']) {
    const as = await place.makeSystem(name)
    const { json } = await place.ask('POST /v2/members', { as, body: { name: 'Wren' } })
    both.push({ ...as, member: String(json.uuid) })
  }
  const ids = await Promise.all(both.map(({ member }) => idOf(member)))
  const messages = Array.from({ length: 2 * MANY }, (_, at) => ({
    ...{ id: `${both[at % 2]?.id}${at}`, original: `8${at}`, sender: '1', channel: '2' },
    ...{ system_id: both[at % 2]?.id ?? 0, member_id: ids[at % 2] ?? 0, timestamp: at },
  }))
  await deps.transact('new', (tx) => insertAll(tx, 'messages', messages))
  return both as [Speaking, Speaking]
}

async function idOf(uuid: string): Promise<number> {
  const [row] = await rows<{ id: number }>(deps.db, 'select id from members where uuid = :uuid', {
    uuid,
  })
  return row?.id ?? 0
}

/** How many messages it has, and how many of them still know who spoke. */
async function messagesOf({ id }: TestSystem): Promise<[all: number, ofSomebody: number]> {
  const found = await rows<{ member_id: number | null }>(
    deps.db,
    'select member_id from messages where system_id = :id',
    { id },
  )
  return [found.length, found.filter(({ member_id }) => member_id !== null).length]
}

describe('what is removed in slices', () => {
  test('of a system leaves the messages of others alone', async () => {
    const [one, other] = await speakInTurns()
    await deleteSystem(deps, one.id)
    await purgeDeleted(deps)
    expect(await messagesOf(one)).toEqual([0, 0])
    expect(await messagesOf(other)).toEqual([MANY, MANY])
  })

  test('of a member leaves the messages of others with whoever spoke', async () => {
    const [one, other] = await speakInTurns()
    const { status } = await place.ask(`DELETE /v2/members/${one.member}`, { as: one })
    expect(status).toBe(204)
    await purgeDeleted(deps)
    expect(await messagesOf(one)).toEqual([MANY, 0])
    expect(await messagesOf(other)).toEqual([MANY, MANY])
  })
})
