import { searchMembers } from '../../src/dashboard/lib/search'
import { expect, test } from '../tools/test'

const member = (
  name: string,
  display_name: string | null = null,
  pronouns: string | null = null,
) => ({
  id: name.toLowerCase().slice(0, 5),
  name,
  display_name,
  pronouns,
})

const all = [
  member('Jun'),
  member('Jün', null, 'they/them'),
  member('Ajuna'),
  {
    ...member('Wren', 'The Keeper'),
    id: 'qzxvkp',
    description: 'Carries the Läntern',
    color: 'd88b4a',
    birthday: '0004-04-12',
    proxy_tags: [{ prefix: 'w:', suffix: null }],
  },
]

test.each([
  ['', ['Jun', 'Jün', 'Ajuna', 'Wren']],
  ['jün', ['Jun', 'Jün', 'Ajuna']],
  ['JUN they', ['Jün']],
  ['keeper', ['Wren']],
  ['wren', ['Wren']],
  ['nobody', []],
  ['lantern', ['Wren']],
  ['d88b4a', ['Wren']],
  ['#d88b4a', ['Wren']],
  ['d8', []],
  ['qzxvkp', ['Wren']],
  ['qz', []],
  ['04-12', ['Wren']],
  ['w:', ['Wren']],
])('the search %p finds %p', (typed, names) =>
  expect(searchMembers(all, typed).map(({ name }) => name)).toEqual(names),
)

test('lists names that begin with the search first', () => {
  expect(searchMembers([member('Ajuna'), member('Jun')], 'jun')[0]?.name).toBe('Jun')
})
