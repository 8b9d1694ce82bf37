import { renderedTables } from '../../../src/db/renderedJson'
import { createBot } from '../../tools/operatorActions'
import { execute, rows } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

// On both engines: `test/contract/renderedJson.test.ts` changes a SQLite file directly.

const { ask, deps, makeSystem } = createTestApp()

test('answers the same bytes while the JSON of all or some rows is not cached', async () => {
  const [me, other] = [await makeSystem('Lantern'), await makeSystem('Stranger')]
  const create = async (line: string, body: object) =>
    (await ask<{ id: string }>(line, { as: me, body })).json.id
  const wren = await create('POST /v2/members', { name: 'Wren "W" \\ \u2028 🦊', description: '?' })
  const ash = await create('POST /v2/members', {
    name: 'Ash',
    privacy: { description_privacy: 'private', name_privacy: 'private' },
  })
  const group = await create('POST /v2/groups', { name: 'Keepers' })
  await ask(`POST /v2/groups/${group}/members/add`, { as: me, body: [wren, ash] })
  const front = await create('POST /v2/systems/@me/switches', { members: [ash, wren] })
  const headers = { authorization: `Bot ${await createBot(deps, 'cache')}` }
  const sender = '700000000000000001'
  await ask(`PUT /bot/systems/${me.hid}/accounts/${sender}`, { headers })
  const message = { id: '9', original: '8', sender, channel: '5', member: wren }
  await ask('POST /bot/messages', { headers, body: message })

  const paths = [
    `/v2/systems/${me.hid}`,
    `/v2/systems/${me.hid}/members`,
    `/v2/systems/${me.hid}/groups`,
    `/v2/systems/${me.hid}/groups?with_members=true`,
    `/v2/systems/${me.hid}/fronters`,
    `/v2/systems/${me.hid}/switches/${front}`,
    `/v2/members/${wren}`,
    `/v2/members/${ash}`,
    `/v2/members/${wren}/groups`,
    `/v2/groups/${group}`,
    `/v2/groups/${group}/members`,
    '/v2/messages/9',
  ]
  const responses = async (whose: string) => {
    const found: string[] = []
    for (const path of paths)
      for (const as of [me, other, null]) {
        await deps.transact('new', async (tx) => {
          for (const table of renderedTables)
            await execute(tx, `delete from rendered_${table} where ${whose}`)
        })
        const { status, text } = await ask(`GET ${path}`, { as })
        expect(status, path).toBe(200)
        found.push(text)
      }
    return found
  }
  const cached = await responses('false')
  expect(await responses('true')).toEqual(cached)
  expect(await responses('id = (select min(id) from members)')).toEqual(cached)
})

test('keeps the JSON of members cached when their privacy is changed in bulk', async () => {
  const me = await makeSystem('Lantern')
  for (const name of ['Wren', 'Ash']) await ask('POST /v2/members', { as: me, body: { name } })
  const body = { visibility: 'private' }
  await ask('POST /private/bulk_privacy/member', { as: me, body })
  const cached = await rows(
    deps.db,
    `select r.id from rendered_members r join members m on m.id = r.id where m.system_id = ${me.id}`,
  )
  expect(cached).toHaveLength(2)
})
