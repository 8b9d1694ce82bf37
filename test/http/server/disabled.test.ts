import { openDeps } from '../../../src/app/app'
import { operator } from '../../../src/model/core/privacy'
import { createLoginCode } from '../../../src/service/access/loginLinks'
import type { Deps } from '../../../src/service/core/deps'
import { disableSystem, enableSystem } from '../../../src/service/systems/disableSystem'
import { readStream } from '../../events/readStream'
import { hook, receivers } from '../../events/receiver'
import { createBot, createLinkCode, linkAccount } from '../../tools/operatorActions'
import { outcomeOf } from '../../tools/outcomeOf'
import { execute, insert, rows } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'
import { createBotFixtures } from '../bot/botFixture'
import { ignored, sendMessage } from '../bot/proxyScenarios'

const testApp = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  DISPATCH_ALLOW: '127.0.0.1',
  events: { heartbeatMs: 50 },
})
const { ask, deps } = testApp
const address = testApp.app.listen()
const createBotFixture = createBotFixtures(testApp)
const key = await createBot(deps, 'another bot')
const receive = receivers()

const DISABLED = {
  message: '403: Missing permissions to access this resource (disabled by the operator)',
  code: 0,
}

function disable({ id }: { id: number }, by: Deps = deps) {
  return disableSystem(by, { ...operator, system: id })
}

function enable({ id }: { id: number }) {
  return enableSystem(deps, { ...operator, system: id })
}

describe('disabled system', () => {
  test('refuses the tokens of a disabled system until it is enabled', async () => {
    const fixture = await createFixture(testApp)
    const lines = [
      'GET /v2/systems/@me',
      'GET /v2/systems/<own>',
      'GET /v2/members/<wren>',
      'PATCH /v2/members/<wren>',
      'GET /v2/systems/@me/tokens',
      'GET /v1/s',
      'POST /v2/systems/@me/import',
      // Resources of another system, and a path that does not exist.
      'GET /v2/systems/<other>',
      'GET /v2/nowhere',
    ]
    expect((await fixture.ask('GET /v2/systems/@me')).status).toBe(200)
    await disable(fixture.owner)
    for (const line of lines) {
      const { status, json } = await fixture.ask(line)
      expect([line, status, json]).toEqual([line, 403, DISABLED])
    }
    await enable(fixture.owner)
    expect((await fixture.ask('GET /v2/systems/@me')).json).toMatchObject({ name: 'Lantern Hill' })
    expect((await fixture.ask('GET /v2/members/<wren>', undefined, 'anonymous')).status).toBe(200)
  })

  test('answers 404 for a disabled system and its members, groups, switches and messages', async () => {
    const fixture = await createFixture(testApp)
    const lines: [line: string, code: number][] = [
      ['GET /v2/systems/<own>', 20001],
      ['GET /v2/systems/<own.uuid>', 20001],
      ['GET /v2/systems/<account>', 20001],
      ['GET /v2/systems/<own>/members', 20001],
      ['GET /v2/systems/<own>/groups', 20001],
      ['GET /v2/systems/<own>/groups?with_members=true', 20001],
      ['GET /v2/systems/<own>/fronters', 20001],
      ['GET /v2/systems/<own>/switches', 20001],
      ['GET /v2/systems/<own>/switches/<latest>', 20001],
      ['GET /v2/systems/<own>/settings', 20001],
      ['GET /v2/systems/<own>/fronting/totals', 20001],
      ['GET /v2/systems/<own>/fronters/stream', 20001],
      ['GET /v2/members/<wren>', 20002],
      ['GET /v2/members/<wren.uuid>', 20002],
      ['GET /v2/members/<wren>/groups', 20002],
      ['GET /v2/groups/<keepers>', 20004],
      ['GET /v2/groups/<keepers>/members', 20004],
      ['GET /v2/messages/<message>', 20006],
    ]
    await disable(fixture.owner)
    for (const cache of ['with cached JSON', 'without cached JSON']) {
      for (const [line, code] of lines)
        for (const who of ['anonymous', 'other'] as const) {
          const { status, json } = await fixture.ask(line, undefined, who)
          expect([cache, line, who, status, json.code]).toEqual([cache, line, who, 404, code])
        }
      for (const table of ['rendered_systems', 'rendered_members', 'rendered_groups'])
        await deps.transact('new', (tx) => execute(tx, `delete from ${table}`))
    }
    for (const line of ['PATCH /v2/members/<wren>', 'DELETE /v2/groups/<keepers>'])
      expect((await fixture.ask(line, { name: 'mine' }, 'other')).status).toBe(404)
    const switched = await fixture.ask(
      'POST /v2/systems/@me/switches',
      { members: ['<wren>'] },
      'other',
    )
    expect([switched.status, switched.json.code]).toEqual([404, 20003])
    for (const path of ['/v1/s/<own>', '/v1/s/<own>/members', '/v1/m/<wren>', '/v1/a/<account>'])
      expect((await fixture.ask(`GET ${path}`, undefined, 'anonymous')).status).toBe(404)
  })

  test('refuses logins and sessions of a disabled system', async () => {
    const me = await testApp.makeSystem('Lantern Hill')
    const sameOrigin = {
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
      origin: 'http://localhost',
    }
    const opened = await ask('POST /web/session', {
      body: { token: me.token },
      headers: sameOrigin,
    })
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    const read = () => ask('GET /v2/systems/@me', { headers: { ...sameOrigin, cookie } })
    expect((await read()).status).toBe(200)
    const { code } = await createLoginCode(deps, { ...operator, system: me.id })
    await disable(me)
    expect([(await read()).status, (await read()).json]).toEqual([403, DISABLED])
    for (const proof of [{ token: me.token }, { code }]) {
      const { status, json } = await ask('POST /web/session', { body: proof, headers: sameOrigin })
      expect([proof, status, json]).toEqual([proof, 403, DISABLED])
    }
    const again = createLoginCode(deps, { ...operator, system: me.id })
    expect(await outcomeOf(again)).toThrow('disabled by the operator')
    await enable(me)
    expect((await read()).status).toBe(200)
  })

  test('a session of a disabled system can log out or log in as another system', async () => {
    const [me, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const sameOrigin = {
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
      origin: 'http://localhost',
    }
    const logIn = (token: string, cookie = '') =>
      ask('POST /web/session', { body: { token }, headers: { ...sameOrigin, cookie } })
    const opened = await logIn(me.token)
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    await disable(me)
    const { code } = await createLoginCode(deps, { ...operator, system: other.id })
    const headers = { ...sameOrigin, cookie }
    expect((await ask('POST /web/login', { body: { code }, headers })).status).toBe(200)
    const another = await logIn(other.token, cookie)
    expect([another.status, another.json.system]).toMatchObject([200, { id: other.hid }])
    const foreign = { ...headers, 'sec-fetch-site': 'same-site' }
    expect((await ask('DELETE /web/session', { headers: foreign })).status).toBe(401)
    const loggedOut = await ask('DELETE /web/session', { headers })
    expect([loggedOut.status, loggedOut.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ])
    expect((await ask('DELETE /web/session', { headers })).status).toBe(401)
    await enable(me)
    // The server has deleted the session, not only the cookie.
    expect((await ask('GET /web/session', { headers })).status).toBe(401)
  })

  test('a bot cannot act for a disabled system', async () => {
    const me = await testApp.makeSystem()
    const account = '880000000000000001'
    await linkAccount(deps, me.id, account)
    const { code } = await createLinkCode(deps, me.id)
    await disable(me)
    const headers = { authorization: `Bot ${key}` }
    for (const named of [me.hid, me.uuid, account]) {
      const acted = await ask('GET /v2/systems/@me', { headers: { ...headers, 'x-system': named } })
      expect([acted.status, acted.json]).toEqual([403, DISABLED])
    }
    const lines: [line: string, body?: unknown][] = [
      [`POST /bot/systems/${me.hid}/token`],
      [`POST /bot/systems/${me.hid}/login`],
      [`DELETE /bot/systems/${me.hid}`],
      [`GET /bot/accounts/${account}`],
      [`PATCH /bot/accounts/${account}`, { autoproxy_enabled: false }],
      [`DELETE /bot/accounts/${account}`],
      ['POST /bot/link', { account_id: '880000000000000002', code }],
    ]
    for (const [line, body] of lines) {
      const { status, json } = await ask(line, { headers, body })
      expect([line, status, json]).toEqual([line, 403, DISABLED])
    }
    const registered = await ask('POST /bot/systems', { headers, body: { account_id: account } })
    expect(registered.status).toBe(409)
    await enable(me)
    expect((await ask(`GET /bot/accounts/${account}`, { headers })).json).toMatchObject({
      system: me.hid,
      autoproxy_enabled: true,
    })
  })

  test('messages of a disabled system are not proxied or recorded', async () => {
    const bot = await createBotFixture()
    const { system: hid = '' } = bot.names
    const [system] = (await rows(deps.db, 'select id from systems where hid = :hid', {
      hid,
    })) as unknown[] as [TestSystem]
    expect(await sendMessage(bot, 'w:hello')).toMatchObject({ action: 'proxy' })
    await disable(system)
    for (const text of ['w:hello', '\\\\', ''])
      expect(await sendMessage(bot, text)).toEqual(ignored('system_disabled'))
    const message = {
      ...{ id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' },
      ...{ guild: '<guild>', member: '<wren>' },
    }
    const recorded = await bot.ask('POST /bot/messages', message)
    expect([recorded.status, recorded.json]).toEqual([403, DISABLED])
    await enable(system)
    expect(await sendMessage(bot, 'w:hello')).toMatchObject({ action: 'proxy' })
    expect((await bot.ask('POST /bot/messages', message)).status).toBe(201)
  })

  test('messages of a disabled system are not found by a bot until it is enabled', async () => {
    const bot = await createBotFixture()
    await bot.do('POST /bot/messages', {
      ...{ id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' },
      ...{ guild: '<guild>', member: '<wren>' },
    })
    const lines = [
      'GET /bot/messages/<sent>?account_id=<account>',
      'GET /bot/messages/<said>',
      'GET /bot/accounts/<account>/last-message?channel_id=<channel>',
    ]
    const statuses = async () =>
      Promise.all(lines.map(async (line) => (await bot.ask(line)).status))
    const { system: hid = '' } = bot.names
    const [system] = (await rows(deps.db, 'select id from systems where hid = :hid', {
      hid,
    })) as unknown[] as [TestSystem]
    expect(await statuses()).toEqual([200, 200, 200])
    await disable(system)
    expect(await statuses()).toEqual([404, 404, 404])
    await enable(system)
    expect(await statuses()).toEqual([200, 200, 200])
  })

  test('another system cannot record a message ID of a disabled system', async () => {
    const [bot, others] = [await createBotFixture(), await createBotFixture()]
    const message = {
      ...{ id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' },
      ...{ guild: '<guild>', member: '<wren>' },
    }
    expect((await bot.ask('POST /bot/messages', message)).status).toBe(201)
    const { system: hid = '', sent: id } = bot.names
    const [system] = (await rows(deps.db, 'select id from systems where hid = :hid', {
      hid,
    })) as unknown[] as [TestSystem]
    await disable(system)
    const conflicting = await others.ask('POST /bot/messages', { ...message, id })
    expect([conflicting.status, conflicting.json.message]).toEqual([
      409,
      expect.stringContaining('with other values'),
    ])
    await enable(system)
    expect((await bot.ask('POST /bot/messages', message)).status).toBe(200)
  })

  const processes: [title: string, open: () => { by: Deps; close: () => void }][] = [
    ['by this process', () => ({ by: deps, close: () => {} })],
    [
      'by another process',
      () => {
        const { deps: by, storage } = openDeps(testApp.config)
        return { by, close: storage.close }
      },
    ],
  ]

  test.each(processes)(
    'ends event and fronter streams of a system that was disabled %s',
    async (_, open) => {
      const { by, close } = open()
      const me = await testApp.makeSystem()
      const own = await readStream(`${address}/v2/systems/@me/events`, { token: me.token })
      const others = await readStream(`${address}/v2/systems/${me.hid}/fronters/stream`)
      await until(() => own.heartbeats > 0 && others.messages.length > 0)
      await disable(me, by)
      await until(() => !own.isOpen && !others.isOpen)
      close()
    },
  )

  test('sends no webhooks to a disabled system, and sends pending ones when it is enabled', async () => {
    const me = await testApp.makeSystem()
    const receiver = receive()
    await hook(testApp, me, receiver.url)
    await disable(me)
    await deps.transact('new', async (tx) => {
      await insert(tx, 'events', { system_id: me.id, type: 'UPDATE_SYSTEM', at: deps.now() })
    })
    const other = await testApp.makeSystem()
    const otherReceiver = receive()
    await hook(testApp, other, otherReceiver.url)
    await ask('PATCH /v2/systems/@me', { as: other, body: { name: 'Renamed' } })
    await until(() => otherReceiver.events.length === 1)
    expect(receiver.events).toEqual([])
    await enable(me)
    await until(() => receiver.events.length === 1)
  })

  test('only the operator can disable and enable a system', async () => {
    const me = await testApp.makeSystem()
    for (const viewer of [
      { system: me.id, platform: null },
      { system: null, platform: 'discord' },
    ])
      for (const change of [disableSystem, enableSystem])
        expect(await outcomeOf(change(deps, viewer))).toThrow('403')
  })
})
