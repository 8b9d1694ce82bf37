import type { CustomField, Group, Member, MemberExt } from '../../src/dashboard/api/types'
import { friendMember } from '../../src/dashboard/features/friends/friendsView'
import type { Level } from '../../src/model/core/entity'
import { member } from '../../src/model/members/member'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'

const { ask, makeSystem } = createTestApp({ RATE_LIMIT: 'off' })
const us = await makeSystem('Lantern Hill')
const them = await makeSystem('Harbour')

type ExtMember = MemberExt & { member: Member }
type ExtGroup = Pick<Group, 'members' | 'parent' | 'emoji' | 'buckets'> & { group: Group }

const asking =
  (as: TestSystem) =>
  async <T>(line: string, body?: unknown): Promise<T> => {
    const { status, text, json } = await ask<T>(line, { as, ...(body !== undefined && { body }) })
    if (status >= 300) throw new Error(`${line}: ${status} ${text}`)
    return json
  }
const own = asking(us)
const friend = asking(them)

const share = { see_members: true }
const { code } = await own<{ code: string }>('POST /ext/v1/friends/invites', { share })
const { id: friendship } = await friend<{ id: string }>('POST /ext/v1/friends', { code })
const buckets = await own<{ id: string }[]>('GET /ext/v1/buckets')
const [first = '', second = ''] = buckets.map(({ id }) => id)

const fieldIds: string[] = []
for (const [privacy, visible] of [
  ['public', []],
  ['public', [first]],
  ['private', [first, second]],
] as const) {
  const body = { name: 'Lamp', type: 'text', privacy, buckets: visible }
  fieldIds.push((await own<CustomField>('POST /ext/v1/systems/@me/fields', body)).id)
}

const profile = {
  display_name: 'Wren of the Hill',
  pronouns: 'she/her',
  color: 'd88b4a',
  birthday: '2001-04-12',
  avatar_url: 'https://example.com/wren.png',
  webhook_avatar_url: 'https://example.com/chat.png',
  banner: 'https://example.com/hill.png',
  description: 'Keeps the days together.',
  proxy_tags: [{ prefix: 'w:', suffix: null }],
}
const added = [
  { buckets: [first], fields: Object.fromEntries(fieldIds.map((id) => [id, 'oil'])) },
  { buckets: [second], about: 'a'.repeat(2000), announce_front: false },
  { buckets: [first, second], kind: 'custom_front' },
  { buckets: [] },
]
const memberIds: string[] = []
for (const [at, more] of added.entries()) {
  const body = { member: { ...profile, name: `Wren ${at}` }, ...more }
  memberIds.push((await own<ExtMember>('POST /ext/v1/members', body)).member.uuid)
}
await own(`PATCH /ext/v1/members/${memberIds[2]}`, { archived: true, archived_reason: 'Rest' })

for (const [at, visible] of [[first], [first, second], []].entries()) {
  const body = { name: `Keepers ${at}`, description: 'Of the keys', icon: profile.avatar_url }
  const { id } = await own<Group>('POST /v2/groups', body)
  await own(`POST /v2/groups/${id}/members/add`, memberIds.slice(at))
  await own(`PATCH /ext/v1/groups/${id}`, { buckets: visible, emoji: '🌱' })
}

/** Returns the members, by UUID, as the responses to a friend in a bucket describe them. */
async function fromServer(bucket: string) {
  await own(`PATCH /ext/v1/friends/${friendship}`, { share: { buckets: [bucket] } })
  const read = <T>(list: string) => friend<T[]>(`GET /ext/v1/friends/${friendship}/${list}`)
  const groups = await read<ExtGroup>('groups')
  const fields = (await read<CustomField>('fields')).map(({ id }) => id)
  return Object.fromEntries(
    (await read<ExtMember>('members')).map(({ member: shown, ...ext }) => [
      shown.uuid,
      {
        member: { ...shown, ext },
        groups: groups
          .filter(({ members }) => members?.includes(shown.uuid))
          .map(({ group, emoji }) => ({ ...group, emoji })),
        fields,
      },
    ]),
  )
}

/** Returns the same as `fromServer`, as the page computes it from the owner's data. */
async function fromPage(bucket: string) {
  const fields = await own<CustomField[]>('GET /ext/v1/systems/@me/fields')
  const groups = (await own<ExtGroup[]>('GET /ext/v1/systems/@me/groups')).map(
    ({ group, ...ext }) => ({ ...group, ...ext }),
  )
  const members = await own<ExtMember[]>('GET /ext/v1/systems/@me/members')
  const found = members.flatMap(({ member: one, ...ext }) => {
    const view = friendMember({ ...one, ext }, { id: bucket }, { groups, fields })
    if (view === null) return []
    // The page shows no place of a group in lists.
    const shown = view.groups.map(({ parent: _, position: __, ...rest }) => rest)
    return [[one.uuid, { ...view, groups: shown, fields: view.fields.map(({ id }) => id) }]]
  })
  return JSON.parse(JSON.stringify(Object.fromEntries(found)))
}

async function setLevels(level: Level) {
  const privacy = Object.fromEntries(member.levels.map((one) => [one, level]))
  for (const id of memberIds) await own(`PATCH /v2/members/${id}`, { privacy })
}

describe.each<Level>(['public', 'private'])('friendMember, with %s members', (level) => {
  test.each([
    ['first', first, [0, 2]],
    ['second', second, [1, 2]],
  ])("equals the server's responses to a friend in the %s bucket", async (_, bucket, visible) => {
    await setLevels(level)
    const server = await fromServer(bucket)
    expect(Object.keys(server)).toEqual(visible.map((at) => memberIds[at] ?? ''))
    expect(await fromPage(bucket)).toEqual(server)
  })
})
