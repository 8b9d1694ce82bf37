import type { Group, Member } from '../../src/dashboard/api/types'
import { listMembers, rankColor, type Sort } from '../../src/dashboard/features/members/memberList'
import { fillDefaults, type Level } from '../../src/model/core/entity'
import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'
import { expect, test } from '../tools/test'

function createMember(
  name: string,
  given: Partial<Member> = {},
  visibility: Level = 'public',
): Member {
  const levels = Object.fromEntries(member.levels.map((level) => [level, 'public']))
  return {
    ...fillDefaults(member, { name }),
    id: `id${name}`,
    uuid: name,
    created: '2026-01-01T00:00:00Z',
    privacy: { ...levels, visibility } as Member['privacy'],
    ...given,
  }
}

const ext = {
  kind: 'member',
  archived: false,
  archived_at: null,
  archived_reason: null,
  announce_front: true,
  about: null,
  fields: {},
  buckets: [],
} satisfies Member['ext']

const all = [
  createMember('Ash', { color: '00ff00', created: '2026-01-03T00:00:00Z' }),
  createMember('Birch', { color: 'ff0000', created: '2026-01-02T00:00:00.5Z' }),
  createMember('Cedar', {}, 'private'),
  createMember('Doze', { ext: { ...ext, kind: 'custom_front' } }),
  createMember('Elm', { ext: { ...ext, archived: true } }, 'private'),
  createMember('Fog', { ext: { ...ext, kind: 'custom_front', archived: true } }),
]
const littles: Group = {
  ...fillDefaults(group, { name: 'Littles' }),
  id: 'littles',
  uuid: 'littles',
  created: null,
  privacy: null,
  members: ['Birch', 'Cedar', 'Doze', 'Elm'],
}

const small: Group = {
  ...littles,
  id: 'small',
  uuid: 'small',
  parent: 'littles',
  members: ['Ash'],
}

const context = {
  here: ['idCedar', 'idElm'],
  groups: [littles, small],
  last: new Map([
    ['idCedar', null],
    ['idAsh', 10],
    ['idBirch', 20],
  ]),
}

test.each<[string, Sort, string, string[]]>([
  ['everyone', 'name', '', ['Ash', 'Birch', 'Cedar']],
  ['everyone', 'last', '', ['Cedar', 'Birch', 'Ash']],
  ['everyone', 'newest', '', ['Ash', 'Birch', 'Cedar']],
  ['everyone', 'colour', '', ['Birch', 'Ash', 'Cedar']],
  ['here', 'name', '', ['Cedar', 'Elm']],
  ['private', 'name', '', ['Cedar']],
  ['littles', 'name', '', ['Birch', 'Cedar', 'Doze']],
  ['littles', 'name', 'bir', ['Birch']],
  ['littles', 'name', 'elm', ['Elm']],
  ['custom', 'name', '', ['Doze']],
  ['custom', 'name', 'o', ['Doze', 'Fog']],
  ['archived', 'name', '', ['Elm', 'Fog']],
  ['everyone', 'name', 'e', ['Elm', 'Cedar', 'Doze']],
  ['everyone', 'name', 'fog', ['Fog']],
  ['private', 'name', 'e', ['Elm', 'Cedar']],
  ['a deleted group', 'name', '', ['Ash', 'Birch', 'Cedar']],
])('listMembers with filter %s, order %s and search %p returns %p', (filter, sort, typed, names) =>
  expect(listMembers(all, { filter, sort, typed }, context).map(({ name }) => name)).toEqual(names),
)

test('rankColor sorts by hue, then greys, then none', () => {
  const colors = ['ff0000', 'ffff00', '00ff00', '0000ff', '202020', 'f0f0f0', null]
  const ranks = colors.map(rankColor)
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
})

test.each<[isDeep: boolean, names: string[]]>([
  [false, ['Birch', 'Cedar', 'Doze']],
  [true, ['Ash', 'Birch', 'Cedar', 'Doze']],
])('listMembers with subgroups %p returns %p', (isDeep, names) => {
  const found = listMembers(all, { filter: 'littles', isDeep, sort: 'name', typed: '' }, context)
  expect(found.map(({ name }) => name)).toEqual(names)
})
