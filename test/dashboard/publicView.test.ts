import type { CustomField, Group, Member, PublicFront, System } from '../../src/dashboard/api/types'
import {
  hidden,
  publicView,
  RECENT_SWITCHES,
} from '../../src/dashboard/features/privacy/publicView'
import { parseInstant } from '../../src/model/core/time'
import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'
import type { ExtSettings } from '../../src/model/systems/extSettings'
import { system } from '../../src/model/systems/system'
import { beforeEach, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

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
for (const { id } of [wren, dot])
  await own('POST /ext/v1/systems/@me/front/notes', { kind: 'status', member: id, text: 'at work' })

for (const privacy of ['public', 'private']) {
  const { id } = await own<CustomField>('POST /ext/v1/systems/@me/fields', {
    name: `A ${privacy} field`,
    type: 'text',
    privacy,
  })
  for (const member of [wren, dot])
    await own(`PATCH /ext/v1/members/${member.id}`, { fields: { [id]: `${member.name}’s` } })
}

type ExtMember = NonNullable<Member['ext']> & { member: Member }

const withExt = ({ member, ...ext }: ExtMember): Member => ({ ...member, ext })

/** Public data from the server; `hidden` for a list it refuses. */
async function fromServer() {
  const read = async <T>(path: string) => {
    const { status, json } = await ask<T>(`GET /v2/systems/${us.hid}${path}`)
    return status === 403 ? hidden : json
  }
  const readMembers = async () => {
    const { status, json } = await ask<ExtMember[]>(`GET /ext/v1/systems/${us.hid}/members`)
    return status === 403 ? hidden : json.map(withExt)
  }
  const readFields = async () => {
    const { status, json } = await ask<CustomField[]>(`GET /ext/v1/systems/${us.hid}/fields`)
    return status === 403 ? [] : json
  }
  const readFront = async () => {
    const { status, json } = await ask<PublicFront>(`GET /ext/v1/systems/${us.hid}/front`)
    return status === 403 ? hidden : shownOf(json)
  }
  return {
    system: await read<System>(''),
    members: await readMembers(),
    fields: await readFields(),
    groups: await read<Group[]>('/groups?with_members=true'),
    front: await readFront(),
    switches: await read(`/switches?limit=${RECENT_SWITCHES}`),
  }
}

/** Public data as the page computes it from the owner's data. */
async function fromPage() {
  const switches = await own<{ id: string; timestamp: string; members: string[] }[]>(
    'GET /v2/systems/@me/switches',
  )
  const settings = await own<ExtSettings>('GET /ext/v1/systems/@me/settings')
  const { fronters } = await own<PublicFront>('GET /ext/v1/systems/@me/front')
  const statuses = new Map(fronters.map(({ member, status }) => [member.id, status ?? '']))
  const view = publicView({
    ...(settings.front_status_privacy === 'public' && { statuses }),
    system: await own<System>('GET /v2/systems/@me'),
    members: (await own<ExtMember[]>('GET /ext/v1/systems/@me/members')).map(withExt),
    fields: await own<CustomField[]>('GET /ext/v1/systems/@me/fields'),
    groups: await own<Group[]>('GET /v2/systems/@me/groups?with_members=true'),
    switches: switches.map((one) => ({ ...one, timestamp: parseInstant(one.timestamp) ?? 0 })),
  })
  const { front } = view
  return { ...view, front: front === hidden || front === null ? front : shownOf(front) }
}

/** Returns what pages show of the front, with members as v2 has them. */
const shownOf = ({ since, fronters }: PublicFront) => ({
  since,
  fronters: fronters.map(({ member: { ext: _, ...member }, status }) => ({ member, status })),
})

async function expectSame() {
  const [server, page] = [await fromServer(), await fromPage()]
  expect(JSON.parse(JSON.stringify(page))).toEqual(server)
}

/** Every entity that has privacy levels: its kind, its levels and its path. */
const entities: [kind: string, levels: readonly string[], path: string][] = [
  ['system', system.levels, '/v2/systems/@me'],
  ['member', member.levels, `/v2/members/${wren.id}`],
  ['group', group.levels, `/v2/groups/${keepers.id}`],
]

beforeEach(async () => {
  for (const [, levels, path] of entities) {
    const privacy = Object.fromEntries(levels.map((level) => [level, 'public']))
    await own(`PATCH ${path}`, { privacy })
  }
  await own('PATCH /ext/v1/systems/@me/settings', { front_status_privacy: 'private' })
})

describe('publicView', () => {
  test("the computed public view equals the server's responses when everything is public", async () => {
    await expectSame()
    const view = await fromPage()
    const [field] = view.fields
    expect(view.fields).toMatchObject([{ name: 'A public field' }])
    const values = (name: string) => ({ [field?.id ?? '']: `${name}’s` })
    expect(view.members).toMatchObject([
      { name: 'Wren', ext: { fields: values('Wren') } },
      { name: 'Dot', ext: { fields: values('Dot') } },
    ])
  })

  test.each(
    entities.flatMap(([kind, levels, path]) => levels.map((level) => [kind, level, path] as const)),
  )(
    "the computed public view equals the server's responses when the %s level %s is private",
    async (_, level, path) => {
      await own(`PATCH ${path}`, { privacy: { [level]: 'private' } })
      await expectSame()
    },
  )

  test.each([
    ['public', 'at work'],
    ['private', null],
  ])(
    "the computed public view equals the server's responses when statuses are %s",
    async (level, status) => {
      await own('PATCH /ext/v1/systems/@me/settings', { front_status_privacy: level })
      await expectSame()
      expect((await fromPage()).front).toMatchObject({ fronters: [{ status }, { status }] })
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
