import {
  listTree,
  moveInTree,
  pathOf,
  possibleParents,
} from '../../src/dashboard/actions/groupTree'
import type { Group } from '../../src/dashboard/api/types'
import { fillDefaults } from '../../src/model/core/entity'
import { group } from '../../src/model/groups/group'
import { expect, test } from '../tools/test'

/** Groups as the store has them: by name, with positions that may be equal. */
function createGroups(...rows: [name: string, parent: string | null, position?: number][]) {
  return rows.map(
    ([name, parent, position = 0]): Group => ({
      ...fillDefaults(group, { name }),
      id: name,
      uuid: name,
      created: null,
      privacy: null,
      parent,
      position,
    }),
  )
}

const house = createGroups(
  ['attic', 'house', 1],
  ['cellar', 'house', 0],
  ['garden', null, 0],
  ['house', null, 0],
  ['lost', 'unknown', 1],
)
const find = (groups: readonly Group[], name: string) =>
  groups.find(({ uuid }) => uuid === name) as Group

test('listTree lists each group before its children, by position and name', () => {
  const rows = listTree(house).map(({ group, level, place, siblings, children }) => [
    group.uuid,
    level,
    place,
    siblings,
    children,
  ])
  expect(rows).toEqual([
    ['garden', 1, 1, 3, 0],
    ['house', 1, 2, 3, 2],
    ['cellar', 2, 1, 2, 0],
    ['attic', 2, 2, 2, 0],
    ['lost', 1, 3, 3, 0],
  ])
})

test('listTree leaves out what is inside of a collapsed group', () => {
  const shown = listTree(house, ({ uuid }) => uuid === 'house').map(({ group }) => group.uuid)
  expect(shown).toEqual(['garden', 'house', 'lost'])
})

test('pathOf returns the groups around a group', () => {
  const chain = createGroups(['a', null], ['b', 'a'], ['c', 'b'])
  expect(pathOf(chain, find(chain, 'c')).map(({ uuid }) => uuid)).toEqual(['a', 'b'])
})

test('possibleParents has neither the group nor what is inside of it', () => {
  const parents = possibleParents(house, find(house, 'house')).map(({ group }) => group.uuid)
  expect(parents).toEqual(['garden', 'lost'])
})

test('possibleParents has no group that would make the tree deeper than eight', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const chain = names.map((name, at): [string, string | null] => [name, names[at - 1] ?? null])
  const groups = createGroups(...chain, ['x', null], ['y', 'x'])
  const parents = (name: string) =>
    possibleParents(groups, find(groups, name)).map(({ group }) => group.uuid)
  expect(parents('y')).toEqual([...names, 'x'])
  expect(parents('x')).toEqual(names.slice(0, 6))
})

test.each<[name: string, parent: string | null, place: number, expected: string]>([
  ['attic', 'house', 0, 'garden, house, attic<house, cellar<house, lost'],
  ['attic', null, 3, 'garden, house, cellar<house, lost, attic'],
  ['house', 'garden', 0, 'garden, house<garden, cellar<house, attic<house, lost'],
  ['lost', null, 0, 'lost, garden, house, cellar<house, attic<house'],
])('moveInTree moves %s into %p at %d', (name, parent, place, expected) => {
  const tree = moveInTree(house, find(house, name), parent, place)
  expect(tree.map(({ id, parent }) => (parent ? `${id}<${parent}` : id)).join(', ')).toBe(expected)
})
