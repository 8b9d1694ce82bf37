import { createFixture, type Fixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

/** Lists that are ordered by their owner. */
const lists = [
  { list: 'systems/@me/fields', noun: 'field', event: 'UPDATE_FIELD', rest: { type: 'text' } },
  { list: 'systems/@me/rooms', noun: 'room', event: 'UPDATE_ROOM', rest: {} },
  { list: 'buckets', noun: 'privacy bucket', event: 'UPDATE_BUCKET', rest: {} },
] as const

type List = (typeof lists)[number]

/** Orders that do not name every object of the system once. */
const badOrders: [string, string[]][] = [
  ['none of them', []],
  ['one missing', ['<b>', '<a>']],
  ['one repeated', ['<c>', '<b>', '<a>', '<a>']],
  ['one repeated in place of another', ['<c>', '<b>', '<b>']],
  ['one of another system', ['<c>', '<b>', '<foreign>']],
  ['one of another system besides', ['<c>', '<b>', '<a>', '<foreign>']],
  ['an unknown one', ['<c>', '<b>', '<a>', '00000000-0000-4000-8000-000000000000']],
  ['a text that is no ID', ['<c>', '<b>', 'a']],
]

/** Creates `<a>`, `<b>` and `<c>`, and `<foreign>` of another system. */
async function withThree(fixture: Fixture, { list, rest }: List): Promise<void> {
  const add = async (name: string, as?: 'other') => {
    const created = await fixture.do(`POST /ext/v1/${list}`, { name, ...rest }, as)
    fixture.remember(name, created.id)
  }
  for (const name of ['a', 'b', 'c']) await add(name)
  await add('foreign', 'other')
}

async function namesIn(fixture: Fixture, { list }: List): Promise<unknown[]> {
  return (await fixture.get<Json[]>(`GET /ext/v1/${list}`)).map(({ name }) => name)
}

describe.each(lists)('the order of $list', (list) => {
  runScenarios(
    testApp,
    Object.fromEntries([
      ...badOrders.map(([what, body]) => [
        `an order of ${list.list} with ${what} changes nothing`,
        {
          given: (fixture: Fixture) => withThree(fixture, list),
          ask: `PUT /ext/v1/${list.list}/order`,
          body,
          status: 400,
          message: `400: Bad Request (every ${list.noun} must be named once)`,
          after: async (fixture: Fixture) =>
            expect(await namesIn(fixture, list)).toEqual(['a', 'b', 'c']),
        },
      ]),
      [
        `an order of ${list.list} moves them, with an event for each that moved`,
        {
          given: (fixture: Fixture) => withThree(fixture, list),
          ask: `PUT /ext/v1/${list.list}/order`,
          body: ['<c>', '<b>', '<a>'],
          events: [
            [list.event, '<c>', { keys: ['position'] }],
            [list.event, '<a>', { keys: ['position'] }],
          ],
          after: async (fixture: Fixture) =>
            expect(await namesIn(fixture, list)).toEqual(['c', 'b', 'a']),
        },
      ],
    ]),
  )

  test(`a new one is the last of ${list.list}`, async () => {
    const fixture = await createFixture(testApp)
    await withThree(fixture, list)
    await fixture.do(`PUT /ext/v1/${list.list}/order`, ['<c>', '<a>', '<b>'])
    await fixture.do(`DELETE /ext/v1/${list.list.replace('systems/@me/', '')}/<a>`)
    await fixture.do(`POST /ext/v1/${list.list}`, { name: 'd', ...list.rest })
    expect(await namesIn(fixture, list)).toEqual(['c', 'b', 'd'])
  })
})
