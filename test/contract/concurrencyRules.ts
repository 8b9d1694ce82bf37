import { Database } from 'bun:sqlite'
import { eq } from 'drizzle-orm'
import { systemSettings } from '../../src/db/tables'
import { findMember } from '../../src/service/members/members'
import { drizzleOn } from '../tools/drizzle'
import { createBot, patchMemberGuild } from '../tools/operatorActions'
import { expect, test } from '../tools/test'
import type { TestApp, TestResponse, TestSystem } from '../tools/testApp'

const GUILD = '466707357099884544'

interface Named {
  id: string
  uuid: string
}

/** A request: "METHOD /path", its body and headers. */
type Line = [line: string, body?: unknown, headers?: Record<string, string>]

/** Rules that hold for every interleaving of requests. */
export function rulesOf({ app, ask, deps, makeSystem }: TestApp): void {
  test.each([
    ['members', 'member_limit', 40007],
    ['groups', 'group_limit', 40008],
  ] as const)(
    'concurrent requests never create more %s than the limit',
    async (noun, limit, code) => {
      const system = await makeSystem()
      await deps.transact('new', async (tx) => {
        const isOfSystem = eq(systemSettings.system_id, system.id)
        await drizzleOn(tx)
          .update(systemSettings)
          .set({ [limit]: 10 })
          .where(isOfSystem)
      })
      const answers = await atOnce(50, (at) =>
        ask(`POST /v2/${noun}`, { as: system, body: { name: `Number ${at}` } }),
      )
      expect(tally(answers)).toEqual({ 200: 10, [code]: 40 })
      const { json } = await ask<Named[]>(`GET /v2/systems/@me/${noun}`, { as: system })
      expect(json).toHaveLength(10)
      expect(new Set(json.map(({ id }) => id)).size).toBe(10)
    },
  )

  test('logs a switch once when it is sent concurrently', async () => {
    const { system, members } = await createEntities(2)
    const answers = await atOnce(20, () => log(system, { members }))
    expect(tally(answers)).toEqual({ 200: 1, 40004: 19 })
    expect(await timesOf(system)).toHaveLength(1)
  })

  test('logs only one of several concurrent switches with the same time', async () => {
    const { system, members } = await createEntities(20)
    const timestamp = '2026-02-03T04:05:06.000007Z'
    const answers = await atOnce(20, (at) =>
      log(system, { timestamp, members: members.slice(at, at + 1) }),
    )
    expect(tally(answers)).toEqual({ 200: 1, 40005: 19 })
    expect(await timesOf(system)).toEqual([timestamp])
  })

  test('moves only one of several switches to the same time', async () => {
    const { system, members } = await createEntities(2)
    const logged = await atOnce(10, (at) => log(system, { members: [members[at % 2] ?? ''] }))
    const timestamp = '2026-02-03T04:05:06.000007Z'
    const answers = await atOnce(10, (at) =>
      ask(`PATCH /v2/systems/@me/switches/${logged[at]?.json.id}`, {
        as: system,
        body: { timestamp },
      }),
    )
    expect(tally(answers)).toEqual({ 200: 1, 40005: 9 })
    const times = await timesOf(system)
    expect(times).toHaveLength(10)
    expect(times.filter((time) => time === timestamp)).toHaveLength(1)
  })

  test('keeps all concurrent changes of different keys', async () => {
    const { system, members } = await createEntities(1)
    const changes = {
      display_name: 'Wren',
      color: '88c0a8',
      pronouns: 'she/her',
      birthday: '0004-11-02',
      description: 'A small bird.',
      keep_proxy: true,
      tts: true,
      proxy_tags: [{ prefix: 'w:', suffix: null }],
    }
    const levels = ['visibility', 'name_privacy', 'birthday_privacy', 'proxy_privacy']
    const bodies = [
      ...Object.entries(changes).map(([key, value]) => ({ [key]: value })),
      ...levels.map((level) => ({ privacy: { [level]: 'private' } })),
    ]
    const path = `/v2/members/${members[0]}`
    const answers = await atOnce(bodies.length, (at) =>
      ask(`PATCH ${path}`, { as: system, body: bodies[at] }),
    )
    expect(tally(answers)).toEqual({ 200: bodies.length })
    const { json } = await ask(`GET ${path}`, { as: system })
    const privacy = Object.fromEntries(levels.map((level) => [level, 'private']))
    expect(json).toMatchObject({ ...changes, privacy })
  })

  test('keeps memberships consistent when groups and members change them concurrently', async () => {
    const { system, members, groups } = await createEntities(8, 4)
    const pairs = groups.flatMap((group, g) =>
      members.map((member, m) => ({ group, member, isKept: (g + m) % 2 === 0, turn: g + 2 * m })),
    )
    const change = (action: string, { group, member, turn }: (typeof pairs)[number]) =>
      turn % 3 === 0
        ? ask(`POST /v2/groups/${group}/members/${action}`, { as: system, body: [member] })
        : ask(`POST /v2/members/${member}/groups/${action}`, { as: system, body: [group] })
    const added = await Promise.all(pairs.map((pair) => change('add', pair)))
    expect(tally(added)).toEqual({ 204: pairs.length })
    const changed = await Promise.all(
      pairs.map((pair) => change(pair.isKept ? 'add' : 'remove', pair)),
    )
    expect(tally(changed)).toEqual({ 204: pairs.length })
    for (const group of groups)
      expect(await listed(system, `/groups/${group}/members`)).toEqual(
        pairs.filter((pair) => pair.group === group && pair.isKept).map(({ member }) => member),
      )
    for (const member of members)
      expect(await listed(system, `/members/${member}/groups`)).toEqual(
        pairs.filter((pair) => pair.member === member && pair.isKept).map(({ group }) => group),
      )
  })

  test('stores one of several concurrent member lists of a group, never a mixture', async () => {
    const { system, members, groups } = await createEntities(9, 1)
    const lists = [members.slice(0, 3), members.slice(3, 6), members.slice(6), []]
    const path = `/groups/${groups[0]}/members`
    await atOnce(20, (at) =>
      ask(`POST /v2${path}/overwrite`, { as: system, body: lists[at % lists.length] }),
    )
    expect(lists).toContainEqual(await listed(system, path))
  })

  test('answers no 500 when members and groups are used and deleted concurrently', async () => {
    const { system, members, groups } = await createEntities(12, 12)
    for (const [at, member] of members.entries()) {
      const group = groups[at] ?? ''
      await makeMemberGuild(member)
      const lines = [
        [`DELETE /v2/members/${member}`],
        [`DELETE /v2/groups/${group}`],
        ...usesOf(member, group),
        [`POST /v2/groups/${group}/members/add`, [members.at(-1)]],
        [`POST /v2/members/${member}/groups/add`, [groups.at(-1)]],
      ] as Line[]
      await expectNoFailure(system, rotate(lines, at))
    }
  })

  test('answers no 500 when a system is used and deleted concurrently', async () => {
    const headers = { authorization: `Bot ${await createBot(deps, crypto.randomUUID())}` }
    for (let at = 0; at < 12; at++) {
      const { system, members, groups } = await createEntities(1, 1)
      const [member = '', group = ''] = [...members, ...groups]
      await makeMemberGuild(member)
      const lines: Line[] = [
        [`DELETE /bot/systems/${system.hid}`, undefined, headers],
        [`PATCH /bot/systems/${system.hid}/guilds/${GUILD}`, {}, headers],
        ['PATCH /v2/systems/@me', { name: 'The Hill' }],
        ['PATCH /v2/systems/@me/settings', { pings_enabled: false }],
        ['POST /v2/members', { name: 'Elm' }],
        ['POST /v2/groups', { name: 'Guests' }],
        ['POST /v2/systems/@me/switches', { members: [] }],
        [`PATCH /v2/systems/@me/autoproxy?guild_id=${GUILD}`, { autoproxy_mode: 'front' }],
        ...usesOf(member, group),
      ]
      await expectNoFailure(system, rotate(lines, at))
    }
  })

  function usesOf(member: string, group: string): Line[] {
    return [
      [`POST /v2/groups/${group}/members/add`, [member]],
      [`POST /v2/members/${member}/groups/overwrite`, [group]],
      [`PATCH /v2/members/${member}`, { proxy_tags: [{ prefix: 'w:' }] }],
      [`PATCH /v2/groups/${group}`, { color: '335577' }],
      [`PATCH /v2/members/${member}/guilds/${GUILD}`, { keep_proxy: true }],
      ['POST /v2/systems/@me/switches', { members: [member] }],
      [
        `PATCH /v2/systems/@me/autoproxy?guild_id=${GUILD}`,
        { autoproxy_mode: 'member', autoproxy_member: member },
      ],
    ]
  }

  /** Sends all requests at once. They may be refused with a 4xx, but must not fail. */
  async function expectNoFailure(system: TestSystem, lines: Line[]): Promise<void> {
    const answers = await Promise.all(
      lines.map(([line, body, headers = {}]) => ask(line, { as: system, body, headers })),
    )
    const failed = lines.filter((_, at) => (answers[at]?.status ?? 500) >= 500)
    expect(failed.map(([line]) => line)).toEqual([])
    const reader = new Database(app.storage.location, { readonly: true })
    expect(reader.query('PRAGMA foreign_key_check').all()).toEqual([])
    reader.close()
  }

  async function makeMemberGuild(ref: string): Promise<void> {
    const row = await findMember(deps.db, ref)
    if (row) await patchMemberGuild(deps, row, GUILD, { display_name: 'W' }, 'create')
  }

  async function createEntities(memberCount: number, groupCount = 0) {
    const system = await makeSystem()
    const create = async (noun: string, count: number) => {
      const ids: string[] = []
      for (let at = 0; at < count; at++) {
        const body = { name: `Number ${at}` }
        ids.push((await ask<Named>(`POST /v2/${noun}`, { as: system, body })).json.id)
      }
      return ids
    }
    return {
      system,
      members: await create('members', memberCount),
      groups: await create('groups', groupCount),
    }
  }

  function log(system: TestSystem, body: { members: string[]; timestamp?: string }) {
    return ask('POST /v2/systems/@me/switches', { as: system, body })
  }

  async function timesOf(system: TestSystem): Promise<string[]> {
    const path = '/v2/systems/@me/switches'
    const { json } = await ask<{ timestamp: string }[]>(`GET ${path}`, { as: system })
    return json.map(({ timestamp }) => timestamp)
  }

  async function listed(system: TestSystem, path: string): Promise<string[]> {
    const { json } = await ask<Named[]>(`GET /v2${path}`, { as: system })
    return json.map(({ id }) => id)
  }
}

/** Rotates a list. */
function rotate<T>(list: T[], by: number): T[] {
  return [...list.slice(by), ...list.slice(0, by)]
}

function atOnce<T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => work(at)))
}

/** Counts responses by error code, or by status if they have none. */
function tally(answers: TestResponse[]): Record<string, number> {
  const kinds = Object.groupBy(answers, ({ status, json }) => String(json?.code || status))
  return Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length ?? 0]))
}
