import { createInstants } from '../../../src/app/app'
import { MINUTE } from '../../../src/model/core/time'
import { systemClock } from '../../../src/runtime/timers/clock'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { type BotFixture, createBotFixtures, type Json, type Step } from './botFixture'
import { recordMessageStep, settings, system } from './proxyScenarios'

const realClock = createInstants(systemClock)
let ahead = 0
const testApp = createTestApp({ now: () => realClock() + ahead })
const createBotFixture = createBotFixtures(testApp)

const PRIVATE = { description: 'secret-hill', privacy: { description_privacy: 'private' } }

interface Scenario {
  given?: Step[]
  /** Account that asks; the fixture's account by default. */
  account?: string | null
  path?: string
  expected: Json
}

const own = { own: true, system: { description: 'secret-hill' } }
const foreign = { own: false, system: { description: null } }

const lookups: Record<string, Scenario> = {
  'shows private data to the sender of a message': { expected: own },
  'finds a message by its original': { path: '/bot/messages/<said>', expected: own },
  'shows private data to another account of the system': {
    given: [['PUT /bot/systems/<system>/accounts/7<account>']],
    account: '7<account>',
    expected: own,
  },
  'shows what a stranger sees to an account of another system': {
    given: [['POST /bot/systems', { account_id: '8<account>' }]],
    account: '8<account>',
    expected: foreign,
  },
  'shows what a stranger sees to an account without a system': { account: '9', expected: foreign },
  'shows what a stranger sees without an account': { account: null, expected: foreign },
  'lets a sender that was unlinked change the message, without private data': {
    given: [['DELETE /bot/accounts/<account>']],
    expected: { own: true, system: { description: null } },
  },
  'lets the system change a message whose member was deleted': {
    given: [['DELETE /v2/members/<wren>']],
    expected: { own: true, system: null, member: null },
  },
  'does not take an account without a system for the owner of a message without a member': {
    given: [['DELETE /v2/members/<wren>']],
    account: '9',
    expected: { own: false, system: null, member: null },
  },
  'tells that pings are allowed': { account: '9', expected: { pings_enabled: true } },
  'tells that pings are not allowed': {
    given: [settings({ pings_enabled: false })],
    account: '9',
    expected: { pings_enabled: false },
  },
}

describe('look-up of a message for an account', () => {
  for (const [title, { given, account = '<account>', path, expected }] of Object.entries(lookups))
    test(title, async () => {
      const fixture = await createBotFixture()
      await fixture.doAll([system(PRIVATE), recordMessageStep('wren'), ...(given ?? [])])
      const query = account === null ? '' : `?account_id=${account}`
      const found = await fixture.do(`GET ${path ?? '/bot/messages/<sent>'}${query}`)
      const ids = { id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' }
      expect(found).toMatchObject(fixture.fill({ ...ids, guild: '<guild>', ...expected }))
    })

  test('does not find a message that is not recorded, or of a system that was deleted', async () => {
    const fixture = await createBotFixture()
    expect((await fixture.ask('GET /bot/messages/<sent>')).json.code).toBe(20006)
    await fixture.doAll([recordMessageStep('wren'), ['DELETE /bot/systems/<system>']])
    expect((await fixture.ask('GET /bot/messages/<sent>?account_id=<account>')).json.code).toBe(
      20006,
    )
  })

  test.each(['GET /bot/messages/x', 'GET /bot/messages/1?account_id=x'])(
    'refuses %s, whose ID is invalid',
    async (line) => {
      const fixture = await createBotFixture()
      const { status, json } = await fixture.ask(line)
      expect([status, json.code]).toEqual([400, 0])
    },
  )
})

describe('last message of an account', () => {
  const LAST = 'GET /bot/accounts/<account>/last-message?channel_id=<channel>'
  const record = (fixture: BotFixture, change: Json) =>
    fixture.do('POST /bot/messages', { ...(recordMessageStep('wren')[1] as Json), ...change })
  const codeOf = async (fixture: BotFixture, line = LAST) => (await fixture.ask(line)).json.code

  test('is the newest of its messages in the channel', async () => {
    const fixture = await createBotFixture()
    await fixture.do('PUT /bot/systems/<system>/accounts/7<account>')
    await record(fixture, { id: '1<sent>' })
    await record(fixture, { id: '2<sent>', member: '<finch>' })
    await record(fixture, { id: '3<sent>', channel: '5' })
    await record(fixture, { id: '4<sent>', sender: '7<account>' })
    const found = await fixture.do(LAST)
    expect(found).toMatchObject(
      fixture.fill({ id: '2<sent>', member: { id: '<finch>' }, own: true, pings_enabled: true }),
    )
    await fixture.do('DELETE /bot/messages/2<sent>')
    expect(await fixture.do(LAST)).toMatchObject(fixture.fill({ id: '1<sent>' }))
  })

  test('is found for ten minutes', async () => {
    const fixture = await createBotFixture()
    await record(fixture, {})
    try {
      ahead = 10 * MINUTE - 1_000_000
      expect(await fixture.do(LAST)).toMatchObject(fixture.fill({ id: '<sent>' }))
      ahead = 10 * MINUTE
      expect(await codeOf(fixture)).toBe(20006)
    } finally {
      ahead = 0
    }
  })

  test('is not found before the first message, in another channel, or after unlinking', async () => {
    const fixture = await createBotFixture()
    expect(await codeOf(fixture)).toBe(20006)
    await record(fixture, {})
    expect(await codeOf(fixture, LAST.replace('<channel>', '5'))).toBe(20006)
    expect(await codeOf(fixture, LAST.replace('<account>', '5'))).toBe(20006)
    await fixture.do('DELETE /bot/accounts/<account>')
    expect(await codeOf(fixture)).toBe(20006)
  })

  test.each(['', '?channel_id=x', '?channel_id='])('needs a channel, not %p', async (query) => {
    const fixture = await createBotFixture()
    const line = `GET /bot/accounts/<account>/last-message${query}`
    expect((await fixture.ask(line)).status).toBe(400)
  })
})
