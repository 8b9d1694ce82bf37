import { linkCodes } from '../../../src/db/tables'
import { MINUTE, parseInstant, SECOND } from '../../../src/model/core/time'
import { drizzleOn } from '../../tools/drizzle'
import { readAllRows, rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { type Adapter, createAdapter } from './adapter'

let at = 1_700_000_000 * SECOND
const testApp = createTestApp({ now: () => at++ })
const discord = await createAdapter(testApp, 'discord')
const matrix = await createAdapter(testApp, 'matrix')

const CREATE_CODE = 'POST /v2/systems/@me/link-code'

interface Code {
  code: string
  expires: string
}

let accounts = 0
const nextAccount = () => `@somebody${++accounts}:example.org`

const createCode = async (as: TestSystem) =>
  (await testApp.ask<Code>(CREATE_CODE, { as })).json.code
const link = (account_id: string, code: string, bot: Adapter = matrix) =>
  bot.ask('POST /bot/link', { account_id, code })
const statusAndCode = async (request: ReturnType<typeof link>) => {
  const { status, json } = await request
  return [status, json.code]
}
const fail = async (account: string, times: number) => {
  for (let left = times; left > 0; left--)
    expect(await statusAndCode(link(account, 'WRONG'))).toEqual([404, 20001])
}

describe('link codes', () => {
  test('a link code links an account of another platform to its system', async () => {
    const as = await testApp.makeSystem()
    const account = nextAccount()
    const { status, json } = await testApp.ask<Code>(CREATE_CODE, { as })
    expect(status).toBe(201)
    expect(json).toEqual({
      code: expect.stringMatching(/^[34679ACDEFHJKMNPQRTVWXY]{8}$/),
      expires: expect.any(String),
    })
    const linked = await link(account, json.code)
    expect([linked.status, linked.json]).toEqual([200, { account_id: account, system: as.hid }])
    expect((await testApp.ask(`GET /v2/systems/matrix:${account}`)).json.id).toBe(as.hid)
  })

  test('a bot creates a link code for a system, also at the root path', async () => {
    const created = await discord.makeSystem()
    for (const line of [CREATE_CODE, 'POST /systems/@me/link-code']) {
      const { code } = await discord.do<Code>(line, undefined, created.behalf)
      expect((await link(nextAccount(), code)).json).toHaveProperty('system', created.system)
    }
    expect(await discord.refusal(CREATE_CODE)).toEqual([400, 0])
    expect((await testApp.ask(CREATE_CODE)).status).toBe(401)
  })

  test('a link code expires at the time in its response', async () => {
    const as = await testApp.makeSystem()
    const { json } = await testApp.ask<Code>(CREATE_CODE, { as })
    const ends = at + 10 * MINUTE
    expect(parseInstant(json.expires)).toBeWithin(ends - SECOND, ends + 1)
    const expired = await createCode(as)
    at += 10 * MINUTE - SECOND
    expect((await link(nextAccount(), json.code)).status).toBe(200)
    at += SECOND
    expect(await statusAndCode(link(nextAccount(), expired))).toEqual([404, 20001])
  })

  test('a link code works once', async () => {
    const as = await testApp.makeSystem()
    const account = nextAccount()
    const code = await createCode(as)
    expect((await link(account, code)).status).toBe(200)
    expect(await statusAndCode(link(account, code))).toEqual([404, 20001])
    expect(await statusAndCode(link(nextAccount(), code))).toEqual([404, 20001])
  })

  test('a link code works once when many requests use it at the same time', async () => {
    const code = await createCode(await testApp.makeSystem())
    const responses = await Promise.all(Array.from({ length: 20 }, () => link(nextAccount(), code)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 404),
    ])
  })

  test('a fourth link code deletes the oldest of its system', async () => {
    const [as, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const theirs = await createCode(other)
    const codes: string[] = []
    for (let n = 0; n < 5; n++) codes.push(await createCode(as))
    const statuses = []
    for (const code of codes) statuses.push((await link(nextAccount(), code)).status)
    expect(statuses).toEqual([404, 404, 200, 200, 200])
    expect((await link(nextAccount(), theirs)).status).toBe(200)
  })

  test('a link code is accepted in lower case, with dashes and with spaces', async () => {
    const as = await testApp.makeSystem()
    const forms = [
      (code: string) => code.toLowerCase(),
      (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`,
      (code: string) => ` ${code.slice(0, 4)} ${code.slice(4)}\n`,
    ]
    for (const form of forms)
      expect((await link(nextAccount(), form(await createCode(as)))).status).toBe(200)
  })

  test('a link code is deleted with its system', async () => {
    const created = await discord.makeSystem()
    const { code } = await discord.do<Code>(CREATE_CODE, undefined, created.behalf)
    await discord.do(`DELETE /bot/systems/${created.system}`)
    expect(await statusAndCode(link(nextAccount(), code))).toEqual([404, 20001])
  })

  test('a link code is neither stored nor exported nor logged', async () => {
    const as = await testApp.makeSystem()
    const account = nextAccount()
    const codes = [await createCode(as), await createCode(as)]
    await link(account, codes[0] ?? '')
    const file = (await testApp.ask('GET /v2/systems/@me/export', { as })).text
    const stored = JSON.stringify(await readAllRows(testApp.deps.db))
    expect(stored).toContain(account)
    for (const code of codes)
      for (const text of [stored, file, testApp.logged()]) expect(text).not.toContain(code)
  })

  test('expired link codes are deleted', async () => {
    const as = await testApp.makeSystem()
    await createCode(await testApp.makeSystem())
    at += 11 * MINUTE
    await createCode(as)
    const stored = await drizzleOn(testApp.deps.db).select().from(linkCodes).all()
    expect(stored.map(({ system_id }) => system_id)).toEqual([as.id])
  })
})

describe('linking with a code', () => {
  test('linking an account of another system is a conflict and does not use the code', async () => {
    const [as, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const account = nextAccount()
    await link(account, await createCode(other))
    const code = await createCode(as)
    expect(await statusAndCode(link(account, code))).toEqual([409, 0])
    expect((await testApp.ask(`GET /v2/systems/matrix:${account}`)).json.id).toBe(other.hid)
    expect((await link(nextAccount(), code)).status).toBe(200)
  })

  test('linking an account that is linked already succeeds', async () => {
    const as = await testApp.makeSystem()
    const account = nextAccount()
    for (const _ of ['once', 'again'])
      expect((await link(account, await createCode(as))).status).toBe(200)
  })

  test('linking with a code records an event', async () => {
    const created = await discord.makeSystem()
    const account = nextAccount()
    const { code } = await discord.do<Code>(CREATE_CODE, undefined, created.behalf)
    await link(account, code)
    const [event] = await rows(
      testApp.deps.db,
      "select subject from events where type = 'LINK_ACCOUNT' order by id desc limit 1",
    )
    expect(event).toEqual({ subject: `matrix:${account}` })
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['account_id', 'code']],
    ['an empty code', { account_id: 'a', code: '' }, ['code']],
    ['a number for a code', { account_id: 'a', code: 5 }, ['code']],
    ['too long a code', { account_id: 'a', code: 'x'.repeat(101) }, ['code']],
    ['an invalid account', { account_id: 'a b', code: 'x' }, ['account_id']],
  ])('refuses a link request with %s', async (_, body, problems) => {
    const { status, json } = await matrix.ask('POST /bot/link', body)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object)).toEqual(problems)
  })

  test('five wrong link codes in a minute block their account only', async () => {
    const as = await testApp.makeSystem()
    const account = nextAccount()
    await fail(account, 4)
    at += 50 * SECOND
    await fail(account, 1)
    const code = await createCode(as)
    const refused = await link(account, code)
    expect([refused.status, refused.json.code]).toEqual([429, 0])
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(refused.json.retry_after).toBeWithin(9000, 10_001)
    // The same ID on another platform is another account.
    expect(await statusAndCode(link('1', 'WRONG', discord))).toEqual([404, 20001])
    await fail(nextAccount(), 1)
    at += 10 * SECOND
    expect((await link(account, code)).status).toBe(200)
  })

  test('concurrent wrong link codes block their account', async () => {
    const account = nextAccount()
    const responses = await Promise.all(Array.from({ length: 20 }, () => link(account, 'WRONG')))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  })

  test('wrong link codes are deleted after a minute', async () => {
    await fail(nextAccount(), 3)
    at += MINUTE + SECOND
    await fail(nextAccount(), 1)
    expect(await rows(testApp.deps.db, 'select id from link_failures')).toHaveLength(1)
  })
})
