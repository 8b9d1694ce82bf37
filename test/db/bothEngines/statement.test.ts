import { describe, expect, test } from 'bun:test'
import { type Statement, statement, type Values } from '../../../src/db/statement'
import { createTestApp } from '../../testApp'

const { deps } = createTestApp()

describe('a statement', () => {
  const difference = statement<'from' | 'less', { result: number }>(
    'select :from - :less + :from - :from as result',
  )

  test('takes its values by their names, in any order and as often as it names them', async () => {
    expect(await difference(deps.db).get({ less: 2, from: 9 })).toEqual({ result: 7 })
    expect(await difference(deps.db).all({ from: 2, less: 9 })).toEqual([{ result: -7 }])
  })

  test('does not look at values that it does not name', async () => {
    const values = { from: 1, less: 1, more: 'x' }
    expect(await difference(deps.db).get(values)).toEqual({ result: 0 })
  })

  test('tells a missing value from null', async () => {
    const given: Values<string> = { from: 1 }
    const loose: Statement<string, { result: number }> = difference(deps.db)
    expect(() => loose.get(given)).toThrow('no value for :less')
    expect(await loose.get({ ...given, less: null })).toEqual({ result: null } as never)
  })

  test('needs no values where it names none', async () => {
    const one = statement<never, { one: number }>('select 1 as one')
    expect(await one(deps.db).get({})).toEqual({ one: 1 })
  })
})
