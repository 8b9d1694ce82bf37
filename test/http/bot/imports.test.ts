import { operator } from '../../../src/model/core/privacy'
import { createInvite } from '../../../src/service/access/invites'
import { countSystems, createBot, createSystem } from '../../tools/operatorActions'
import { rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'

const open = createTestApp()
const closed = createTestApp({ REGISTRATION: 'closed' })
const byInvite = createTestApp({ REGISTRATION: 'invite' })
const full = createTestApp({ SYSTEM_LIMIT: '1' })

const FILE = {
  version: 2,
  id: 'abcdef',
  uuid: '00000000-0000-4000-8000-000000000001',
  name: 'Lantern Hill',
  tag: null,
  members: [{ id: 'wrenab', name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: null }] }],
  groups: [],
  switches: [],
}

/** A file of another system, whose IDs are in no other file. */
const anotherFile = (id: string) => ({ ...FILE, id, uuid: crypto.randomUUID(), members: [] })

let accounts = 0
const nextAccount = () => String(100000000000000000n + BigInt(++accounts))

/** Sends a file for an account, as a bot. */
async function createSender(testApp: TestApp, platform = 'discord') {
  const key = await createBot(testApp.deps, crypto.randomUUID(), platform)
  const headers = { authorization: `Bot ${key}` }
  const ask = (line: string, body?: unknown, more = {}) =>
    testApp.ask(line, { headers: { ...headers, ...more }, ...(body !== undefined && { body }) })
  return {
    ask,
    send: (account: string, file: unknown = FILE, query = '') =>
      ask(`POST /bot/accounts/${account}/import${query}`, file),
  }
}

const isKnown = async ({ ask }: Awaited<ReturnType<typeof createSender>>, account: string) =>
  (await ask(`GET /bot/accounts/${account}`)).status === 200

describe('import for an account without a system', () => {
  test('creates the system with the IDs of the file and links the account', async () => {
    const bot = await createSender(open)
    const account = nextAccount()
    const dry = await bot.send(account, FILE, '?dry_run=true')
    expect([dry.status, dry.json.members]).toMatchObject([200, { added: 1 }])
    expect(await isKnown(bot, account)).toBe(false)
    const { status, json } = await bot.send(account)
    expect([status, json]).toMatchObject([200, { system: 'abcdef', members: { added: 1 } }])
    const events = await rows<{ type: string }>(open.deps.db, 'select type from events order by id')
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'LINK_ACCOUNT',
      'UPDATE_SYSTEM',
      'SUCCESSFUL_IMPORT',
    ])
    expect((await bot.ask(`GET /bot/accounts/${account}`)).json).toMatchObject({ system: 'abcdef' })
    const message = { account_id: account, guild_id: '1', channel_id: '2', content: 'w:hello' }
    expect((await bot.ask('POST /bot/proxy', message)).json).toMatchObject({
      action: 'proxy',
      member: { id: 'wrenab' },
    })
  })

  test('is refused for an account with a system, and for the system of another account', async () => {
    const bot = await createSender(open)
    const file = anotherFile('bcdefg')
    const account = nextAccount()
    expect((await bot.send(account, file)).status).toBe(200)
    const before = await countSystems(open.deps)
    for (const other of [account, nextAccount()]) {
      const { status, text } = await bot.send(other, file)
      expect(status).toBe(409)
      expect(text).not.toContain('--')
    }
    expect(await countSystems(open.deps)).toBe(before)
  })

  test('imports nothing from an invalid file', async () => {
    const bot = await createSender(open)
    const account = nextAccount()
    const before = await countSystems(open.deps)
    for (const file of ['nonsense', { version: 2, members: 'none' }])
      expect((await bot.send(account, file)).status).toBe(400)
    expect([await isKnown(bot, account), await countSystems(open.deps)]).toEqual([false, before])
  })

  test('belongs to the platform of the bot', async () => {
    const bot = await createSender(open, 'matrix')
    const account = encodeURIComponent('@wren:example.org')
    const file = anotherFile('cdefgh')
    expect((await bot.send(account, file)).status).toBe(200)
    expect((await bot.ask(`GET /bot/accounts/${account}`)).json).toMatchObject({
      account_id: '@wren:example.org',
    })
  })

  const bad: [line: string, status: number][] = [
    ['POST /bot/accounts/wren/import', 400],
    ['POST /bot/accounts/1/import?dry_run=maybe', 400],
    ['POST /bot/accounts/1/import?public=true&private=true', 400],
  ]

  test.each(bad)('refuses %s with %p', async (line, status) => {
    const bot = await createSender(open)
    expect((await bot.ask(line, FILE)).status).toBe(status)
  })

  test('is refused with a token, and without any key', async () => {
    const as = await open.makeSystem()
    const line = 'POST /bot/accounts/1/import'
    expect((await open.ask(line, { as, body: FILE })).status).toBe(403)
    expect((await open.ask(line, { body: FILE })).status).toBe(401)
  })

  test('is refused while registration is closed or the server is full', async () => {
    expect((await (await createSender(closed)).send('1')).status).toBe(403)
    expect((await (await createSender(closed)).send('1', FILE, '?dry_run=true')).status).toBe(403)
    await createSystem(full.deps, {}, { account: null, tokenName: 'a' })
    expect((await (await createSender(full)).send('1')).status).toBe(403)
    expect([await countSystems(closed.deps), await countSystems(full.deps)]).toEqual([0, 1])
  })

  test('uses an invite only for an import that succeeds', async () => {
    const bot = await createSender(byInvite)
    const invite = await createInvite(byInvite.deps, operator, {
      name: 'one',
      uses: 1,
      expires: null,
    })
    const statuses: number[] = []
    const tries: [query: string, file: unknown][] = [
      ['', FILE],
      ['?invite=3333-3333-3333', FILE],
      [`?invite=${invite}`, 'nonsense'],
      [`?invite=${invite}&dry_run=true`, FILE],
      [`?invite=${invite}`, FILE],
    ]
    for (const [query, file] of tries) statuses.push((await bot.send('1', file, query)).status)
    expect(statuses).toEqual([403, 403, 400, 200, 200])
    const more = anotherFile('defghi')
    expect((await bot.send('2', more, `?invite=${invite}`)).status).toBe(403)
    expect(byInvite.logged()).not.toContain(invite)
  })
})
