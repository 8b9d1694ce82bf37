import { describe, expect, test } from 'bun:test'
import { linkCodes } from '../../../src/db/tables'
import { MINUTE, parseInstant, SECOND } from '../../../src/model/time'
import { everyRow, rows } from '../../rawSql'
import { createTestApp, type TestSystem } from '../../testApp'
import { type Adapter, makeAdapter } from './adapter'

let at = 1_700_000_000 * SECOND
const here = createTestApp({ now: () => at++ })
const discord = await makeAdapter(here, 'discord')
const matrix = await makeAdapter(here, 'matrix')

const MAKING = 'POST /v2/systems/@me/link-code'

interface Code {
  code: string
  expires: string
}

let accounts = 0
const draw = () => `@somebody${++accounts}:example.org`

const makeCode = async (as: TestSystem) => (await here.ask<Code>(MAKING, { as })).json.code
const link = (account_id: string, code: string, bot: Adapter = matrix) =>
  bot.ask('POST /bot/link', { account_id, code })
const stands = async (asking: ReturnType<typeof link>) => {
  const { status, json } = await asking
  return [status, json.code]
}
const fail = async (account: string, times: number) => {
  for (let left = times; left > 0; left--)
    expect(await stands(link(account, 'WRONG'))).toEqual([404, 20001])
}

describe('a code', () => {
  test('links an account of another platform to the system that made it', async () => {
    const as = await here.makeSystem()
    const account = draw()
    const { status, json } = await here.ask<Code>(MAKING, { as })
    expect(status).toBe(201)
    expect(json).toEqual({
      code: expect.stringMatching(/^[34679ACDEFHJKMNPQRTVWXY]{8}$/),
      expires: expect.any(String),
    })
    const linked = await link(account, json.code)
    expect([linked.status, linked.json]).toEqual([200, { account_id: account, system: as.hid }])
    expect((await here.ask(`GET /v2/systems/matrix:${account}`)).json.id).toBe(as.hid)
  })

  test('is made by a bot on behalf of a system too, at the root as well', async () => {
    const made = await discord.makeSystem()
    for (const line of [MAKING, 'POST /systems/@me/link-code']) {
      const { code } = await discord.do<Code>(line, undefined, made.behalf)
      expect((await link(draw(), code)).json).toHaveProperty('system', made.system)
    }
    expect(await discord.refusal(MAKING)).toEqual([400, 0])
    expect((await here.ask(MAKING)).status).toBe(401)
  })

  test('is told with when it ends, and ends then', async () => {
    const as = await here.makeSystem()
    const { json } = await here.ask<Code>(MAKING, { as })
    const ends = at + 10 * MINUTE
    expect(parseInstant(json.expires)).toBeWithin(ends - SECOND, ends + 1)
    const late = await makeCode(as)
    at += 10 * MINUTE - SECOND
    expect((await link(draw(), json.code)).status).toBe(200)
    at += SECOND
    expect(await stands(link(draw(), late))).toEqual([404, 20001])
  })

  test('is used once', async () => {
    const as = await here.makeSystem()
    const account = draw()
    const code = await makeCode(as)
    expect((await link(account, code)).status).toBe(200)
    expect(await stands(link(account, code))).toEqual([404, 20001])
    expect(await stands(link(draw(), code))).toEqual([404, 20001])
  })

  test('is used once, also when many use it at the same time', async () => {
    const code = await makeCode(await here.makeSystem())
    const answers = await Promise.all(Array.from({ length: 20 }, () => link(draw(), code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 404),
    ])
  })

  test('is one of three: of more the oldest goes', async () => {
    const [as, other] = [await here.makeSystem(), await here.makeSystem()]
    const theirs = await makeCode(other)
    const codes: string[] = []
    for (let made = 0; made < 5; made++) codes.push(await makeCode(as))
    const statuses = []
    for (const code of codes) statuses.push((await link(draw(), code)).status)
    expect(statuses).toEqual([404, 404, 200, 200, 200])
    expect((await link(draw(), theirs)).status).toBe(200)
  })

  test('may be written in any way that people write', async () => {
    const as = await here.makeSystem()
    const forms = [
      (code: string) => code.toLowerCase(),
      (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`,
      (code: string) => ` ${code.slice(0, 4)} ${code.slice(4)}\n`,
    ]
    for (const form of forms)
      expect((await link(draw(), form(await makeCode(as)))).status).toBe(200)
  })

  test('goes with its system', async () => {
    const made = await discord.makeSystem()
    const { code } = await discord.do<Code>(MAKING, undefined, made.behalf)
    await discord.do(`DELETE /bot/systems/${made.system}`)
    expect(await stands(link(draw(), code))).toEqual([404, 20001])
  })

  test('stands nowhere but in its answer', async () => {
    const as = await here.makeSystem()
    const account = draw()
    const codes = [await makeCode(as), await makeCode(as)]
    await link(account, codes[0] ?? '')
    const file = (await here.ask('GET /v2/systems/@me/export', { as })).text
    const kept = JSON.stringify(await everyRow(here.deps.db))
    expect(kept).toContain(account)
    for (const code of codes)
      for (const place of [kept, file, here.logged()]) expect(place).not.toContain(code)
  })

  test('that is old is cleared away', async () => {
    const as = await here.makeSystem()
    await makeCode(await here.makeSystem())
    at += 11 * MINUTE
    await makeCode(as)
    const left = await here.deps.db.select().from(linkCodes).all()
    expect(left.map(({ system_id }) => system_id)).toEqual([as.id])
  })
})

describe('linking by a code', () => {
  test('takes nothing from another system, and leaves the code', async () => {
    const [as, other] = [await here.makeSystem(), await here.makeSystem()]
    const account = draw()
    await link(account, await makeCode(other))
    const code = await makeCode(as)
    expect(await stands(link(account, code))).toEqual([409, 0])
    expect((await here.ask(`GET /v2/systems/matrix:${account}`)).json.id).toBe(other.hid)
    expect((await link(draw(), code)).status).toBe(200)
  })

  test('an account that is linked already changes nothing', async () => {
    const as = await here.makeSystem()
    const account = draw()
    for (const _ of ['once', 'again'])
      expect((await link(account, await makeCode(as))).status).toBe(200)
  })

  test('tells the system', async () => {
    const made = await discord.makeSystem()
    const account = draw()
    const { code } = await discord.do<Code>(MAKING, undefined, made.behalf)
    await link(account, code)
    const [told] = await rows(
      here.deps.db,
      "select subject from events where type = 'LINK_ACCOUNT' order by id desc limit 1",
    )
    expect(told).toEqual({ subject: `matrix:${account}` })
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['account_id', 'code']],
    ['an empty code', { account_id: 'a', code: '' }, ['code']],
    ['a number for a code', { account_id: 'a', code: 5 }, ['code']],
    ['too long a code', { account_id: 'a', code: 'x'.repeat(101) }, ['code']],
    ['no account', { account_id: 'a b', code: 'x' }, ['account_id']],
  ])('needs more than %s', async (_, body, problems) => {
    const { status, json } = await matrix.ask('POST /bot/link', body)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object)).toEqual(problems)
  })

  test('with five wrong codes in a minute an account has to wait, and no other', async () => {
    const as = await here.makeSystem()
    const account = draw()
    await fail(account, 4)
    at += 50 * SECOND
    await fail(account, 1)
    const code = await makeCode(as)
    const refused = await link(account, code)
    expect([refused.status, refused.json.code]).toEqual([429, 0])
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(refused.json.retry_after).toBeWithin(9000, 10_001)
    // Of another platform is another account.
    expect(await stands(link('1', 'WRONG', discord))).toEqual([404, 20001])
    await fail(draw(), 1)
    at += 10 * SECOND
    expect((await link(account, code)).status).toBe(200)
  })

  test('has to wait also for wrong codes that come at the same time', async () => {
    const account = draw()
    const answers = await Promise.all(Array.from({ length: 20 }, () => link(account, 'WRONG')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  })

  test('forgets wrong codes after their minute', async () => {
    await fail(draw(), 3)
    at += MINUTE + SECOND
    await fail(draw(), 1)
    expect(await rows(here.deps.db, 'select id from link_failures')).toHaveLength(1)
  })
})
