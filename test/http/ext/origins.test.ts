import { insertAll } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const { ask, deps, makeSystem } = createTestApp({ RATE_LIMIT: 'off' })

const LIST = '/ext/v1/systems/@me/origins?app=simplyplural&collection=members'
const targetOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`

/** Records where three members came from, and rows that the list leaves out. */
async function addOrigins({ id: system_id }: TestSystem) {
  const row = (source_id: string, at: number, collection = 'members', app = 'simplyplural') => ({
    ...{ system_id, app, collection, source_id },
    target: targetOf(at),
  })
  await deps.transact({ system: system_id }, (tx) =>
    insertAll(tx, 'origins', [
      row('c', 3),
      row('a', 1),
      row('b', 2),
      row('a', 4, 'notes'),
      row('d', 5, 'members', 'multitude'),
    ]),
  )
}

describe('the origins of imported rows', () => {
  test('are listed in pages, in the order of their IDs', async () => {
    const as = await makeSystem()
    await addOrigins(as)
    const first = await ask(`GET ${LIST}&limit=2`, { as })
    expect(first).toMatchObject({
      status: 200,
      json: {
        rows: [
          { id: 'a', target: targetOf(1) },
          { id: 'b', target: targetOf(2) },
        ],
        next: 'b',
      },
    })
    const last = await ask(`GET ${LIST}&limit=2&after=${first.json.next}`, { as })
    expect(last.json).toEqual({ rows: [{ id: 'c', target: targetOf(3) }], next: null })
  })

  test('of another system are not listed', async () => {
    await addOrigins(await makeSystem())
    const as = await makeSystem()
    expect((await ask(`GET ${LIST}`, { as })).json).toEqual({ rows: [], next: null })
  })

  test.each([
    ['without a collection', '/ext/v1/systems/@me/origins?app=simplyplural'],
    ['without an app', '/ext/v1/systems/@me/origins?collection=members'],
    ['with a limit of zero', `${LIST}&limit=0`],
  ])('are not listed %s', async (_, path) => {
    const as = await makeSystem()
    expect((await ask(`GET ${path}`, { as })).status).toBe(400)
  })
})
