import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query, type Statement, type Values } from '../../../src/db/query'
import { members, systems } from '../../../src/db/tables'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { deps, ask, makeSystem } = createTestApp()

describe('query', () => {
  const difference = query(
    (_, { from, less }: Placeholders<'from' | 'less'>, { number }) =>
      sql<{
        result: number
      }>`select ${number(from)} - ${number(less)} + ${from} - ${from} as result`,
  )

  test('binds values by name, in any order and more than once', async () => {
    expect(await difference(deps.db).get({ less: 2, from: 9 })).toEqual({ result: 7 })
    expect(await difference(deps.db).all({ from: 2, less: 9 })).toEqual([{ result: -7 }])
  })

  test('ignores values that the statement does not name', async () => {
    const values = { from: 1, less: 1, more: 'x' }
    expect(await difference(deps.db).get(values)).toEqual({ result: 0 })
  })

  test('throws for a missing value and accepts null', async () => {
    const given: Values<string> = { from: 1 }
    const loose: Statement<string, { result: number }> = difference(deps.db)
    expect(() => loose.get(given)).toThrow('no value for less')
    expect(await loose.get({ ...given, less: null })).toEqual({ result: null } as never)
  })

  test('quotes constants', async () => {
    const text = `it's "?1" $1 :from`
    const quoted = query(() => sql<{ text: string }>`select ${text} as text`)
    expect(await quoted(deps.db).get({})).toEqual({ text })
  })

  test('decodes flags and JSON of selected columns, and no others', async () => {
    const me = await makeSystem('Lantern')
    const proxy_tags = [{ prefix: 'w:', suffix: null }]
    const body = { name: 'Wren', proxy_tags, keep_proxy: true }
    const { id: hid } = (await ask<{ id: string }>('POST /v2/members', { as: me, body })).json
    const { keep_proxy, tts, name } = members
    const columns = { name, proxy_tags: members.proxy_tags, keep_proxy, tts }
    const byHid = query((db, values: Placeholders<'hid'>) =>
      db.select(columns).from(members).where(eq(members.hid, values.hid)),
    )
    const found = { name: 'Wren', proxy_tags, keep_proxy: true, tts: false }
    expect(await byHid(deps.db).get({ hid })).toEqual(found)
    expect(await byHid(deps.db).all({ hid })).toEqual([found])
    const asStored = query(
      (_, values: Placeholders<'hid'>) =>
        sql<object>`select ${keep_proxy}, ${tts} from ${members} where ${members.hid} = ${values.hid}`,
    )
    expect(await asStored(deps.db).get({ hid })).toEqual({ keep_proxy: 1, tts: 0 })
  })

  test('returns null if there is no row', async () => {
    const byName = query((db, { name }: Placeholders<'name'>) =>
      db.select().from(systems).where(eq(systems.name, name)),
    )
    expect(await byName(deps.db).get({ name: 'No such system' })).toBeNull()
    expect(await byName(deps.db).all({ name: 'No such system' })).toEqual([])
  })

  test('refuses a selected key that is not the name of its column', () => {
    const unnamed = query((db) => db.select({ short: systems.hid }).from(systems))
    expect(() => unnamed(deps.db)).toThrow('the selected key short needs an alias')
  })
})
