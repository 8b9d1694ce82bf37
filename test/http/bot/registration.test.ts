import { describe, expect, test } from 'bun:test'
import { operator } from '../../../src/model/privacy'
import { DAY } from '../../../src/model/time'
import { createInvite, listInvites, revokeInvite } from '../../../src/service/admin/invites'
import { countSystems, createBot, createSystem } from '../../operatorActions'
import { change } from '../../rawSql'
import { createTestApp, type TestApp } from '../../testApp'

const open = createTestApp()
const closed = createTestApp({ REGISTRATION: 'closed' })
const byInvite = createTestApp({ REGISTRATION: 'invite' })
const small = createTestApp({ SYSTEM_LIMIT: '2' })

async function register(at: TestApp, body: object = {}) {
  const name = crypto.randomUUID()
  const headers = { authorization: `Bot ${await createBot(at.deps, name)}` }
  return at.ask('POST /bot/systems', { headers, body })
}

function refusal(reason: string) {
  return [403, { message: `403: Missing permissions to access this resource (${reason})`, code: 0 }]
}

describe('registration by bots', () => {
  test('is open unless the operator says otherwise, and an invite does no harm', async () => {
    expect((await register(open)).status).toBe(201)
    expect((await register(open, { invite: 'whatever' })).status).toBe(201)
  })

  test('that is closed is so for bots, and not for the operator', async () => {
    const invite = await createInvite(closed.deps, operator, { name: 'a', uses: 1, expires: null })
    for (const body of [{}, { invite }]) {
      const { status, json } = await register(closed, body)
      expect([status, json]).toEqual(refusal('this server takes no new systems'))
    }
    await createSystem(closed.deps, {}, { account: null, tokenName: 'a' })
    expect(await countSystems(closed.deps)).toBe(1)
  })

  test('by invite needs a code, in any spelling, as often as it is good for', async () => {
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
    const [stored] = await listInvites(byInvite.deps, operator)
    expect(stored).toMatchObject({ name: 'two', uses: 2, used: 2, expires: null })
    expect(JSON.stringify(stored)).not.toContain(code.replaceAll('-', ''))
  })

  const bad: [says: string, body: object][] = [
    ['none at all', {}],
    ['null', { invite: null }],
    ['nothing', { invite: '' }],
    ['a wrong one', { invite: '3333-3333-3333' }],
  ]

  test.each(bad)('by invite refuses %s', async (_, body) => {
    const { status, json } = await register(byInvite, body)
    expect([status, json]).toEqual(refusal('a valid invite is needed'))
  })

  test('by invite refuses what is over or was revoked', async () => {
    const { deps } = byInvite
    const expires = deps.now() - DAY
    const over = await createInvite(deps, operator, { name: 'over', uses: 1, expires })
    const gone = await createInvite(deps, operator, { name: 'gone', uses: 1, expires: null })
    expect(await revokeInvite(deps, operator, 'gone')).toBe(true)
    expect(await revokeInvite(deps, operator, 'gone')).toBe(false)
    for (const invite of [over, gone])
      expect((await register(byInvite, { invite })).status).toBe(403)
  })

  test('that fails otherwise uses no invite', async () => {
    const { deps } = byInvite
    const invite = await createInvite(deps, operator, { name: 'kept', uses: 1, expires: null })
    const account = '770000000000000001'
    await createSystem(deps, {}, { account, tokenName: 'a' })
    expect((await register(byInvite, { invite, account_id: account })).status).toBe(409)
    expect((await register(byInvite, { invite })).status).toBe(201)
  })

  test('many at once use an invite no more often than it is good for', async () => {
    const { deps } = byInvite
    const invite = await createInvite(deps, operator, { name: 'many', uses: 3, expires: null })
    const all = await Promise.all(Array.from({ length: 10 }, () => register(byInvite, { invite })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(3)
  })

  test('ends where there are as many systems as there may be', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => register(small)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(2)
    const { status, json } = await register(small)
    expect([status, json]).toEqual(refusal('this server takes no more systems'))
    await createSystem(small.deps, {}, { account: null, tokenName: 'a' })
    expect(await countSystems(small.deps)).toBe(3)
  })
})

describe('the limits of the server', () => {
  const tight = createTestApp({ MEMBER_LIMIT: '2', GROUP_LIMIT: '1', ARCHIVE_LIMIT: '100' })

  test('are those of a system that has none of its own', async () => {
    const as = await tight.makeSystem()
    const make = (noun: string) => tight.ask(`POST /v2/${noun}`, { as, body: { name: 'A' } })
    const limits = { member_limit: 2, group_limit: 1 }
    const settings = 'GET /v2/systems/@me/settings'
    expect((await tight.ask(settings, { as })).json).toMatchObject(limits)
    const patched = await tight.ask('PATCH /v2/systems/@me/settings', {
      as,
      body: { pings_enabled: false },
    })
    expect(patched.json).toMatchObject(limits)
    const codes: unknown[] = []
    for (const noun of ['members', 'members', 'members', 'groups', 'groups'])
      codes.push((await make(noun)).json.code)
    expect(codes).toEqual([undefined, undefined, 40007, undefined, 40008])
    await tight.deps.transact('new', async (tx) => {
      const given = 'update settings set member_limit = 3 where system_id = :id'
      await change(tx, given, { id: as.id })
    })
    expect((await tight.ask(settings, { as })).json).toMatchObject({ member_limit: 3 })
    expect((await make('members')).status).toBe(200)
  })

  test('hold for files, too', async () => {
    const as = await tight.makeSystem()
    const tuppers = ['A', 'B', 'C'].map((name, id) => ({ id, name, brackets: [`${name}:`, ''] }))
    const { status, json } = await tight.ask('POST /v2/systems/@me/import', {
      as,
      body: { tuppers, groups: [] },
    })
    expect([status, json.code]).toEqual([400, 40007])
  })
})
