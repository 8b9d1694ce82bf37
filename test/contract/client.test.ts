import * as pkapi from 'pkapi.js'
import { findMember } from '../../src/service/members/members'
import { insertAccount } from '../../src/store/access/accountRows'
import { insertMessage } from '../../src/store/proxy/messageRows'
import {
  createClientFixture,
  expectError,
  fronting,
  ids,
  membersOf,
  methodsOfClient,
  mode,
  requireResult,
} from '../tools/client'
import { patchMemberGuild, patchSystemGuild } from '../tools/operatorActions'
import { outcomeOf } from '../tools/outcomeOf'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestClock } from '../tools/testClock'

const GUILD = '466707357099884544'
const ACCOUNT = '123456789012345678'

const { deps, logged, makeSystem, clientOf, createSystemAndClient, imageUrl } =
  createClientFixture()
const anonymous = clientOf()

describe('systems in pkapi.js', () => {
  test('pkapi.js gets the system of its token', async () => {
    const { api, system } = await createSystemAndClient()
    const own = await api.getSystem()
    expect(own).toBeInstanceOf(pkapi.System)
    expect(own).toMatchObject({ id: system.hid, uuid: system.uuid, name: 'Lantern Hill' })
    expect(Number(own.created)).toBeGreaterThan(0)
    expect(logged()).toContain('"path":"/v2/systems/@me"')
  })

  test('pkapi.js gets a system by short ID and by a linked account', async () => {
    const { system } = await createSystemAndClient()
    await deps.transact('new', (tx) => insertAccount(deps, tx, system.id, ACCOUNT))
    expect((await anonymous.getSystem({ system: system.hid })).uuid).toBe(system.uuid)
    expect((await anonymous.getAccount({ system: ACCOUNT })).uuid).toBe(system.uuid)
  })

  test('accepts the body that pkapi.js builds to patch a system', async () => {
    const { api } = await createSystemAndClient()
    // The client has no route for this any more: it fails before it sends a request.
    expect(await outcomeOf(api.patchSystem({ name: 'The Hill' }))).toThrow('PATCH_SYSTEM')
    const own = await api.getSystem()
    expect(await outcomeOf(own.patch())).toThrow('PATCH_SYSTEM')

    const privacy = { front_history_privacy: 'private' }
    Object.assign(own, { tag: '| Hill', color: '#F2B632', avatar_url: imageUrl, privacy })
    const route = { method: 'PATCH', route: '/systems/@me' }
    await api.handle(route, { body: await own.verify() })
    expect(await api.getSystem()).toMatchObject({
      name: 'Lantern Hill',
      tag: '| Hill',
      color: 'f2b632',
      avatar_url: imageUrl,
      privacy: { front_history_privacy: 'private', front_privacy: 'public' },
    })
  })

  test('pkapi.js updates system settings, except the read-only limits', async () => {
    const { api } = await createSystemAndClient()
    const settings = await api.getSystemConfig()
    expect(settings).toMatchObject({ timezone: 'UTC', member_limit: 1000, latch_timeout: null })
    const patched = await api.patchSystemConfig({ latch_timeout: 60, member_limit: 5 })
    expect(patched).toMatchObject({ latch_timeout: 60, member_limit: 1000 })
    patched.pings_enabled = false
    await patched.patch()
    const own = await api.getSystem()
    expect(await own.getConfig()).toMatchObject({ pings_enabled: false, latch_timeout: 60 })
  })

  test('pkapi.js updates guild settings of a system after a bot created them', async () => {
    const { api, system } = await createSystemAndClient()
    await expectError(api.getSystemGuildSettings({ guild: GUILD }), 404, 20009)
    await patchSystemGuild(deps, system.id, GUILD, { tag: '| here' }, 'create')
    await api.patchSystemGuildSettings({ guild: GUILD, display_name: 'Hill', avatar_url: imageUrl })
    const settings = await api.getSystemGuildSettings({ guild: GUILD })
    expect(settings).toMatchObject({ guild: GUILD, tag: '| here', proxying_enabled: true })
    settings.tag_enabled = false
    await settings.patch()
    const own = await api.getSystem()
    expect(await own.getGuildSettings(GUILD)).toMatchObject({
      tag: '| here',
      tag_enabled: false,
      display_name: 'Hill',
      avatar_url: imageUrl,
    })
  })
})

describe('members in pkapi.js', () => {
  test('pkapi.js creates, gets, lists, updates and deletes members', async () => {
    const { api, system } = await createSystemAndClient()
    const wren = await api.createMember({
      name: 'Wren',
      birthday: '2004-11-02',
      color: '#88C0A8',
      avatar_url: imageUrl,
      webhook_avatar_url: imageUrl,
      banner: imageUrl,
      proxy_tags: [{ prefix: 'w:', suffix: '' }],
      privacy: { birthday_privacy: 'private' },
    })
    expect(wren).toBeInstanceOf(pkapi.Member)
    expect(wren).toMatchObject({ name: 'Wren', color: '88c0a8', message_count: 0, tts: false })
    const read = await api.getMember({ member: wren.uuid })
    expect(read).toMatchObject({ id: wren.id, system: system.hid })
    expect(read.birthday).toEqual(new Date('2004-11-02'))
    expect((await anonymous.getMember({ member: wren.id })).birthday).toBeNull()

    const changed = await api.patchMember({ member: wren.id, name: 'Wren', pronouns: 'she/her' })
    expect(changed).toMatchObject({ pronouns: 'she/her', color: '88c0a8' })
    read.display_name = 'Wren of the Hill'
    await read.patch()
    const listed = await api.getMembers({ system: system.hid })
    expect([...listed.keys()]).toEqual([wren.id])
    expect(listed.get(wren.id)).toMatchObject({
      display_name: 'Wren of the Hill',
      proxy_tags: [{ prefix: 'w:', suffix: null }],
      privacy: { birthday_privacy: 'private', visibility: 'public' },
    })
    expect(listed.get(wren.id)?.birthday).toEqual(new Date('2004-11-02'))

    expect(await api.deleteMember({ member: wren.id })).toBeNull()
    await expectError(api.getMember({ member: wren.id }), 404, 20002)
  })

  test('pkapi.js manages members through their system', async () => {
    const { api } = await createSystemAndClient()
    const own = await api.getSystem()
    const created = await own.createMember({ name: 'Ash' })
    expect((await own.getMember(created.id)).name).toBe('Ash')
    expect(await ids(own.getMembers())).toEqual([created.id])
    const other = await own.createMember({ name: 'Elm' })
    await own.deleteMember(created.id)
    await other.delete()
    expect((await own.getMembers()).size).toBe(0)
  })

  test('pkapi.js updates guild settings of a member after a bot created them', async () => {
    const { api } = await createSystemAndClient()
    const created = await api.createMember({ name: 'Ash' })
    const row = await findMember(deps.db, created.id)
    if (!row) throw new Error('member not found')
    await expectError(api.getMemberGuildSettings({ member: created.id, guild: GUILD }), 404, 20010)
    await patchMemberGuild(deps, row, GUILD, { display_name: 'Ashes' }, 'create')
    const settings = await created.getGuildSettings(GUILD)
    expect(settings).toMatchObject({ guild: GUILD, display_name: 'Ashes', keep_proxy: null })
    settings.keep_proxy = true
    await settings.patch()
    const target = { member: created.id, guild: GUILD }
    await api.patchMemberGuildSettings({ ...target, display_name: 'Ashen' })
    const expected = { display_name: 'Ashen', keep_proxy: true }
    expect(await api.getMemberGuildSettings(target)).toMatchObject(expected)
  })
})

describe('autoproxy in pkapi.js', () => {
  test('pkapi.js changes autoproxy from off to member to latch', async () => {
    const { api } = await createSystemAndClient()
    const created = await api.createMember({ name: 'Ash' })
    const off = await api.getSystemAutoproxySettings({ guild: GUILD })
    expect(off).toMatchObject({ autoproxy_mode: 'off', autoproxy_member: null })
    const chosen = await api.patchSystemAutoproxySettings({
      guild: GUILD,
      autoproxy_mode: mode('member'),
      autoproxy_member: created.uuid,
    })
    expect(chosen).toMatchObject({ autoproxy_mode: 'member', autoproxy_member: created.id })
    chosen.autoproxy_mode = mode('latch')
    await chosen.patch()
    const own = await api.getSystem()
    const latched = await own.getAutoproxySettings(GUILD)
    expect(latched).toMatchObject({ autoproxy_mode: 'latch', autoproxy_member: created.id })
    expect(latched.last_latch_timestamp).toBeInstanceOf(Date)
  })
})

describe('groups in pkapi.js', () => {
  test('pkapi.js creates, gets, lists, updates and deletes groups', async () => {
    const { api, system } = await createSystemAndClient()
    const keepers = await api.createGroup({ name: 'Keepers', icon: imageUrl, color: '#335577' })
    expect(keepers).toBeInstanceOf(pkapi.Group)
    expect(keepers).toMatchObject({ name: 'Keepers', icon: imageUrl, color: '335577' })
    expect(await api.getGroup({ group: keepers.uuid })).toMatchObject({ system: system.hid })
    await api.patchGroup({ group: keepers.id, name: 'Keepers', description: 'Of the light.' })
    keepers.display_name = 'The Keepers'
    await keepers.patch()
    const own = await api.getSystem()
    expect((await own.getGroup(keepers.id)).display_name).toBe('The Keepers')
    const guests = await own.createGroup({ name: 'Guests' })
    expect(await ids(own.getGroups())).toEqual([keepers.id, guests.id])
    await own.deleteGroup(guests.id)
    await keepers.delete()
    await expectError(api.getGroup({ group: keepers.id }), 404, 20004)
    const temporary = await api.createGroup({ name: 'Temporary' })
    await api.deleteGroup({ group: temporary.id })
    expect((await api.getGroups({})).size).toBe(0)
  })

  test('pkapi.js changes memberships from the group and from the member', async () => {
    const { api } = await createSystemAndClient()
    const [ash, elm] = await membersOf(api)
    const red = await api.createGroup({ name: 'Red' })
    const blue = await api.createGroup({ name: 'Blue' })
    const inRed = () => ids(api.getGroupMembers({ group: red.id }))
    const ofAsh = () => ids(api.getMemberGroups({ member: ash.id }))

    await api.addGroupMembers({ group: red.id, members: [ash, elm] })
    expect(await inRed()).toEqual([ash.id, elm.id])
    await api.removeGroupMembers({ group: red.id, members: [elm.uuid] })
    expect(await inRed()).toEqual([ash.id])
    await api.setGroupMembers({ group: red.id, members: [] })
    expect(await inRed()).toEqual([])
    expect(await ids(red.addMembers([ash.id, elm.id]))).toEqual([ash.id, elm.id])
    expect(await ids(red.removeMembers([ash.id]))).toEqual([elm.id])
    expect(await ids(red.setMembers([ash.id]))).toEqual([ash.id])

    await api.addMemberGroups({ member: ash.id, groups: [blue] })
    expect(await ofAsh()).toEqual([red.id, blue.id])
    await api.removeMemberGroups({ member: ash.id, groups: [red.uuid] })
    expect(await ofAsh()).toEqual([blue.id])
    await api.setMemberGroups({ member: ash.id, groups: [] })
    expect(await ofAsh()).toEqual([])
    expect(await ids(ash.addGroups([red.id, blue.id]))).toEqual([red.id, blue.id])
    expect(await ids(ash.removeGroups([red.id]))).toEqual([blue.id])
    expect(await ids(ash.setGroups([red.id]))).toEqual([red.id])

    const listed = await api.getGroups({ with_members: true })
    expect([...(listed.get(red.id)?.members ?? []).keys()]).toEqual([ash.id])
    expect([...(listed.get(blue.id)?.members ?? []).keys()]).toEqual([])
    const raw = await api.getGroups({ with_members: true, raw: true })
    expect(raw.get(red.id)?.members).toEqual([ash.uuid])
    const fetched = await api.getGroup({ group: red.id, fetch_members: true })
    await fetched.patch()
    expect(await inRed()).toEqual([ash.id])
  })
})

describe('switches in pkapi.js', () => {
  test('pkapi.js logs, gets, lists, moves, updates and deletes switches', async () => {
    const { api } = await createSystemAndClient()
    const [ash, elm] = await membersOf(api)
    expect(await api.getFronters({})).toBeUndefined()
    const first = await requireResult(api.createSwitch({ members: [elm.id, ash.uuid] }))
    expect(first).toBeInstanceOf(pkapi.Switch)
    expect(fronting(first)).toEqual([elm.id, ash.id])
    await expectError(api.createSwitch({ members: [elm.id, ash.id] }), 400, 40004)
    const own = await api.getSystem()
    const second = await requireResult(own.createSwitch({ members: [ash.id] }))
    expect(fronting(await requireResult(own.getFronters()))).toEqual([ash.id])
    const read = await api.getSwitch({ switch: second.id })
    expect(read.timestamp).toEqual(second.timestamp)

    const history = await own.getSwitches()
    expect([...history.keys()]).toEqual([second.id, first.id])
    expect([...history.get(first.id).members.keys()]).toEqual([elm.id, ash.id])
    const raw = await api.getSwitches({ raw: true, limit: 1 })
    expect([...raw.values()].map(({ members }) => members)).toEqual([[ash.id]])

    const yesterday = new Date(Date.now() - 86_400_000)
    await api.patchSwitchTimestamp({ switch: second.id, timestamp: yesterday })
    expect(fronting(await requireResult(api.getFronters({})))).toEqual([elm.id, ash.id])
    const before = await api.getSwitches({ before: new Date(Date.now() - 3_600_000) })
    expect([...before.keys()]).toEqual([second.id])
    await read.patchTimestamp(new Date(yesterday.getTime() - 1000))
    await expectError(read.patchTimestamp(new Date(yesterday.getTime() - 1000)), 400, 40005)

    // The client requires a timestamp here, but does not send it.
    const change = { switch: second.id, members: [elm.id], timestamp: yesterday }
    expect(fronting(await api.patchSwitchMembers(change))).toEqual([elm.id])
    expect(await outcomeOf(read.patchMembers(undefined, [ash.id]))).toThrow('require a timestamp')

    await own.deleteSwitch(second.id)
    await first.delete()
    expect(await own.getFronters()).toBeUndefined()
    await expectError(api.deleteSwitch({ switch: first.id }), 404, 20008)
  })
})

describe('pkapi.js', () => {
  test('pkapi.js fetches a system with all its data', async () => {
    const { api } = await createSystemAndClient()
    const everything = ['members', 'fronters', 'switches', 'groups', 'group members', 'config']
    const [ash, elm] = await membersOf(api)
    const { id } = await api.createGroup({ name: 'Red' })
    await api.createSwitch({ members: [elm.id] })
    const own = await api.getSystem({ fetch: everything as pkapi.SystemFetchOptions[] })
    expect([...(own.members?.keys() ?? [])]).toEqual([ash.id, elm.id])
    expect([...(own.groups?.keys() ?? [])]).toEqual([id])
    expect(own.switches?.size).toBe(1)
    expect(fronting(await requireResult(Promise.resolve(own.fronters)))).toEqual([elm.id])
    expect(own.config?.group_limit).toBe(250)
  })

  test('pkapi.js gets a message by its ID and by the ID of the original message', async () => {
    const { api, system } = await createSystemAndClient()
    const [ash] = await membersOf(api)
    const row = await findMember(deps.db, ash.id)
    const timestamp = deps.now()
    const record = { id: '900000000000000001', original: '900000000000000000', sender: ACCOUNT }
    const location = { channel: '700000000000000000', guild: GUILD, timestamp }
    await deps.transact('new', (tx) =>
      insertMessage(tx, {
        ...record,
        ...location,
        system_id: system.id,
        member_id: row?.id ?? null,
      }),
    )
    for (const message of [record.id, record.original]) {
      const found = await anonymous.getMessage({ message })
      expect(found).toBeInstanceOf(pkapi.Message)
      expect(found).toMatchObject({ ...record, channel: location.channel, guild: GUILD })
      expect(found).toMatchObject({ system: { id: system.hid }, member: { id: ash.id } })
      expect(found.timestamp).toEqual(new Date(Math.floor(timestamp / 1000)))
    }
    await expectError(anonymous.getMessage({ message: '1' }), 404, 20006)
  })

  test('pkapi.js throws its own error with our code, message and status', async () => {
    const { api } = await createSystemAndClient()
    const [ash] = await membersOf(api)
    const stranger = clientOf((await makeSystem()).token)
    const refused = stranger.patchMember({ member: ash.id, name: 'Mine' })
    const failure = await expectError(refused, 403, 30006)
    expect(failure.message).toBe('Target member is not part of your system.')
    await expectError(api.patchSystemConfig({ latch_timeout: -1 }), 400, 40001)
    await expectError(clientOf('nonsense').getSystem(), 401, '???')
  })

  test('pkapi.js is refused when it exceeds the rate limit, and not when it waits', async () => {
    // The client compares the headers with the real time.
    const clock = createTestClock(Date.now())
    const limited = createClientFixture(clock)
    const { api } = await limited.createSystemAndClient()
    const requestRepeatedly = async (client: pkapi.PKAPI, count: number) => {
      // Behind a proxy even a client on this machine is rate limited.
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      for (let sent = 0; sent < count; sent++)
        await client.handle({ method: 'GET', route: '/systems/@me' }, { headers })
    }
    const failure = await expectError(requestRepeatedly(api, 20), 429, '???')
    expect(failure.headers['x-ratelimit-scope']).toBe('generic_get')
    const waiting = limited.clientOf((await limited.makeSystem()).token)
    /** Waits as long as the headers say, on the clock of the server. */
    waiting.rate_limiter = new (class extends pkapi.DefaultRateLimiter {
      override wait() {
        return clock.advance(Math.max(0, this.resetTimestamp - clock.now()))
      }
    })({ initialWaitTime: 10, minWait: 10 })
    await requestRepeatedly(waiting, 3)
  })
})

// All methods of the client were called.
afterAll(() => {
  const { all, uncalled } = methodsOfClient()
  expect(all.length).toBeGreaterThan(70)
  expect(uncalled).toEqual([])
})
