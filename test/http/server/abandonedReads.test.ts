import { countRows, execute, insertAll } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { until } from '../../tools/until'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { handle } = testApp.app
const fixture = await createFixture(testApp)
// A search looks at the signal at each note; without notes it would only do so if it had to wait.
await fixture.do('POST /ext/v1/systems/@me/notes', { text: 'Rain on the hill' })

const send = (path: string, signal: AbortSignal, method = 'GET') =>
  handle(
    new Request(`http://x${fixture.fill(path)}`, {
      method,
      signal,
      headers: { authorization: fixture.owner.token },
    }),
    '127.0.0.1',
  )

const TABLE = 'rendered_members'

describe('a read whose client has left', () => {
  test.each([
    '/v2/systems/@me/export',
    '/v2/systems/@me/fronting/totals',
    '/ext/v1/systems/@me/groups',
    '/ext/v1/systems/@me/notes?search=rain',
  ])('ends with status 499: %s', async (path) => {
    expect((await send(path, new AbortController().signal)).status).toBe(200)
    expect((await send(path, AbortSignal.abort())).status).toBe(499)
  })

  test('is not begun after it has waited for its turn, as a write is', async () => {
    const LIST = '/v2/groups/<circle>/members'
    const { other, circle } = fixture
    await testApp.deps.transact('new', async (tx) => {
      await insertAll(
        tx,
        'members',
        Array.from({ length: 300 }, (_, at) => ({
          uuid: crypto.randomUUID(),
          hid: `x${at.toString(36).padStart(5, 'y')}`,
          system_id: other.id,
          name: 'Wren',
          description: '★'.repeat(1000),
        })),
      )
      await execute(
        tx,
        `insert into group_members (group_id, member_id)
         select :group, id from members where name = 'Wren' and system_id = :system`,
        { group: circle.id, system: other.id },
      )
    })
    await send(LIST, new AbortController().signal)
    await until(async () => Number((await countRows(testApp.deps.db, [TABLE]))[TABLE]) > 300)
    // The first requests take the whole turn, so that later ones wait.
    const client = new AbortController()
    const reads = Array.from({ length: 400 }, () => send(LIST, client.signal))
    const write = send('/v2/groups/<dreamers>', client.signal, 'DELETE')
    client.abort()
    const statuses = (await Promise.all(reads)).map(({ status }) => status)
    expect(statuses).toContain(499)
    expect((await write).status).toBe(204)
  })
})
