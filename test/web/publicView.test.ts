import { group } from '../../src/model/group'
import { member } from '../../src/model/member'
import { system } from '../../src/model/system'
import { parseInstant } from '../../src/model/time'
import { hidden, publicView, RECENT_SWITCHES } from '../../src/web/app/publicView'
import type { Group, Member, System } from '../../src/web/app/types'
import { describe, expect, test } from '../test'
import { createTestApp } from '../testApp'

const { ask, makeSystem } = createTestApp()
const us = await makeSystem('Lantern Hill')

const own = async <T>(line: string, body?: unknown) =>
  (await ask<T>(line, { as: us, ...(body !== undefined && { body }) })).json

const wren = await own<Member>('POST /v2/members', {
  name: 'Wren',
  display_name: 'Wren of the Hill',
  pronouns: 'she/her',
  color: 'd88b4a',
  birthday: '2001-04-12',
  avatar_url: 'https://example.com/wren.png',
  description: 'Keeps the days together.',
  proxy_tags: [{ prefix: 'w:', suffix: null }],
})
const dot = await own<Member>('POST /v2/members', { name: 'Dot', pronouns: 'they/them' })
const keepers = await own<Group>('POST /v2/groups', { name: 'Keepers', description: 'Of the keys' })
await own(`POST /v2/groups/${keepers.id}/members/add`, [wren.id, dot.id])
await own('PATCH /v2/systems/@me', {
  description: 'A hill with a lantern.',
  tag: '| Lantern',
  pronouns: 'we',
  color: 'f2b632',
  avatar_url: 'https://example.com/hill.png',
})
await own('POST /v2/systems/@me/switches', { members: [dot.id] })
await own('POST /v2/systems/@me/switches', { members: [wren.id, dot.id] })

/** Public data from the server; `hidden` for a list it refuses. */
async function fromServer() {
  const read = async <T>(path: string) => {
    const { status, json } = await ask<T>(`GET /v2/systems/${us.hid}${path}`)
    return status === 403 ? hidden : json
  }
  return {
    system: await read<System>(''),
    members: await read<Member[]>('/members'),
    groups: await read<Group[]>('/groups?with_members=true'),
    front: await read('/fronters'),
    switches: await read(`/switches?limit=${RECENT_SWITCHES}`),
  }
}

/** Public data as the page computes it from the owner's data. */
async function fromPage() {
  const switches = await own<{ id: string; timestamp: string; members: string[] }[]>(
    'GET /v2/systems/@me/switches',
  )
  return publicView({
    system: await own<System>('GET /v2/systems/@me'),
    members: await own<Member[]>('GET /v2/systems/@me/members'),
    groups: await own<Group[]>('GET /v2/systems/@me/groups?with_members=true'),
    switches: switches.map((one) => ({ ...one, timestamp: parseInstant(one.timestamp) ?? 0 })),
  })
}

async function expectSame() {
  const [server, page] = [await fromServer(), await fromPage()]
  expect(JSON.parse(JSON.stringify(page))).toEqual(server)
}

describe('publicView', () => {
  test("the computed public view equals the server's responses when everything is public", async () => {
    await expectSame()
    expect(await fromPage()).toMatchObject({ members: [{ name: 'Wren' }, { name: 'Dot' }] })
  })

  const levels: [string, string, string][] = [
    ...system.levels.map((level): [string, string, string] => ['system', level, '/systems/@me']),
    ...member.levels.map((level): [string, string, string] => [
      'member',
      level,
      `/members/${wren.id}`,
    ]),
    ...group.levels.map((level): [string, string, string] => [
      'group',
      level,
      `/groups/${keepers.id}`,
    ]),
  ]
  test.each(levels)(
    "the computed public view equals the server's responses when the %s level %s is private",
    async (_, level, path) => {
      await own(`PATCH /v2${path}`, { privacy: { [level]: 'private' } })
      await expectSame()
      await own(`PATCH /v2${path}`, { privacy: { [level]: 'public' } })
    },
  )

  test("the computed public view equals the server's responses when a system hides everything", async () => {
    const all = Object.fromEntries(system.levels.map((level) => [level, 'private']))
    await own('PATCH /v2/systems/@me', { privacy: all })
    await expectSame()
    expect(await fromPage()).toMatchObject({
      members: hidden,
      groups: hidden,
      front: hidden,
      switches: hidden,
    })
  })
})
