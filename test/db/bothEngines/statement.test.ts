import { type Statement, statement, type Values } from '../../../src/db/statement'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'

const { deps } = createTestApp()

describe('statement', () => {
  const difference = statement<'from' | 'less', { result: number }>(
    'select :from - :less + :from - :from as result',
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
    expect(() => loose.get(given)).toThrow('no value for :less')
    expect(await loose.get({ ...given, less: null })).toEqual({ result: null } as never)
  })

  test('finds no placeholders inside quotation marks', async () => {
    const quoted = statement<'to', { 'is:it': string }>(
      `select 'from:less, it''s :from' || :to as "is:it"`,
    )
    expect(await quoted(deps.db).get({ to: '!' })).toEqual({
      'is:it': "from:less, it's :from!",
    })
  })

  test('runs a statement without values', async () => {
    const one = statement<never, { one: number }>('select 1 as one')
    expect(await one(deps.db).get({})).toEqual({ one: 1 })
  })
})
