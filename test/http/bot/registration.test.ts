import { operator } from '../../../src/model/core/privacy'
import { DAY } from '../../../src/model/core/time'
import { createInvite, listInvites, revokeInvite } from '../../../src/service/access/invites'
import { countSystems, createBot, createSystem } from '../../tools/operatorActions'
import { execute } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'

const open = createTestApp()
const closed = createTestApp({ REGISTRATION: 'closed' })
const byInvite = createTestApp({ REGISTRATION: 'invite' })
const small = createTestApp({ SYSTEM_LIMIT: '2' })

async function register(testApp: TestApp, body: object = {}) {
  const name = crypto.randomUUID()
  const headers = { authorization: `Bot ${await createBot(testApp.deps, name)}` }
  return testApp.ask('POST /bot/systems', { headers, body })
}

function refusal(reason: string) {
  return [403, { message: `403: Missing permissions to access this resource (${reason})`, code: 0 }]
}

describe('registration by bots', () => {
  test('registration is open by default and ignores an invite', async () => {
    expect((await register(open)).status).toBe(201)
    expect((await register(open, { invite: 'whatever' })).status).toBe(201)
  })

  test('closed registration refuses bots, but not the operator', async () => {
    const invite = await createInvite(closed.deps, operator, { name: 'a', uses: 1, expires: null })
    for (const body of [{}, { invite }]) {
      const { status, json } = await register(closed, body)
      expect([status, json]).toEqual(refusal('this server takes no new systems'))
    }
    await createSystem(closed.deps, {}, { account: null, tokenName: 'a' })
    expect(await countSystems(closed.deps)).toBe(1)
  })

  test('registration by invite accepts a code in any notation until it is used up', async () => {
    const code = await createInvite(byInvite.deps, operator, {
      name: 'two',
      uses: 2,
      expires: null,
    })
    expect(code).toMatch(/^[3-9A-Y]{4}-[3-9A-Y]{4}-[3-9A-Y]{4}$/)
    const statuses: number[] = []
    for (const invite of [code, code.toLowerCase().replaceAll('-', ' '), code])
      statuses.push((await register(byInvite, { invite })).status)
    expect(statuses).toEqual([201, 201, 403])
    const all = await listInvites(byInvite.deps, operator)
    const stored = all.find(({ name }) => name === 'two')
    expect(stored).toMatchObject({ name: 'two', uses: 2, used: 2, expires: null })
    expect(JSON.stringify(stored)).not.toContain(code.replaceAll('-', ''))
  })

  const bad: [title: string, body: object][] = [
    ['no invite', {}],
    ['null as invite', { invite: null }],
    ['an empty invite', { invite: '' }],
    ['an unknown invite', { invite: '3333-3333-3333' }],
  ]

  test.each(bad)('registration by invite refuses %s', async (_, body) => {
    const { status, json } = await register(byInvite, body)
    expect([status, json]).toEqual(refusal('a valid invite is needed'))
  })

  test('registration by invite refuses expired and revoked invites', async () => {
    const { deps } = byInvite
    const expires = deps.now() - DAY
    const expired = await createInvite(deps, operator, { name: 'expired', uses: 1, expires })
    const revoked = await createInvite(deps, operator, { name: 'revoked', uses: 1, expires: null })
    expect(await revokeInvite(deps, operator, 'revoked')).toBe(true)
    expect(await revokeInvite(deps, operator, 'revoked')).toBe(false)
    for (const invite of [expired, revoked])
      expect((await register(byInvite, { invite })).status).toBe(403)
  })

  test('a failed registration does not use up the invite', async () => {
    const { deps } = byInvite
    const invite = await createInvite(deps, operator, { name: 'unused', uses: 1, expires: null })
    const account = '770000000000000001'
    await createSystem(deps, {}, { account, tokenName: 'a' })
    expect((await register(byInvite, { invite, account_id: account })).status).toBe(409)
    expect((await register(byInvite, { invite })).status).toBe(201)
  })

  test('concurrent registrations do not exceed the uses of an invite', async () => {
    const { deps } = byInvite
    const invite = await createInvite(deps, operator, { name: 'many', uses: 3, expires: null })
    const all = await Promise.all(Array.from({ length: 10 }, () => register(byInvite, { invite })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(3)
  })

  test('registration ends at SYSTEM_LIMIT, but not for the operator', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => register(small)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(2)
    const { status, json } = await register(small)
    expect([status, json]).toEqual(refusal('this server takes no more systems'))
    await createSystem(small.deps, {}, { account: null, tokenName: 'a' })
    expect(await countSystems(small.deps)).toBe(3)
  })
})

describe('limits of the server', () => {
  const limited = createTestApp({ MEMBER_LIMIT: '2', GROUP_LIMIT: '1', ARCHIVE_LIMIT: '100' })

  test('the limits of the server apply to a system without limits of its own', async () => {
    const as = await limited.makeSystem()
    const create = (noun: string) => limited.ask(`POST /v2/${noun}`, { as, body: { name: 'A' } })
    const limits = { member_limit: 2, group_limit: 1 }
    const settings = 'GET /v2/systems/@me/settings'
    expect((await limited.ask(settings, { as })).json).toMatchObject(limits)
    const patched = await limited.ask('PATCH /v2/systems/@me/settings', {
      as,
      body: { pings_enabled: false },
    })
    expect(patched.json).toMatchObject(limits)
    const codes: unknown[] = []
    for (const noun of ['members', 'members', 'members', 'groups', 'groups'])
      codes.push((await create(noun)).json.code)
    expect(codes).toEqual([undefined, undefined, 40007, undefined, 40008])
    // One of them is the default of MEMBER_LIMIT.
    for (const own of [1000, 3]) {
      await limited.deps.transact('new', async (tx) => {
        const sql = 'update settings set member_limit = :own where system_id = :id'
        await execute(tx, sql, { own, id: as.id })
      })
      expect((await limited.ask(settings, { as })).json).toMatchObject({ member_limit: own })
    }
    expect((await create('members')).status).toBe(200)
  })

  test('the limits of the server apply to imports', async () => {
    const as = await limited.makeSystem()
    const tuppers = ['A', 'B', 'C'].map((name, id) => ({ id, name, brackets: [`${name}:`, ''] }))
    const { status, json } = await limited.ask('POST /v2/systems/@me/import', {
      as,
      body: { tuppers, groups: [] },
    })
    expect([status, json.code]).toEqual([400, 40007])
  })
})
