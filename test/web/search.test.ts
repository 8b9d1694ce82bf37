import { expect, test } from 'bun:test'
import { searchMembers } from '../../src/web/app/search'

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
  member('Wren', 'The Keeper'),
]

test.each([
  ['', ['Jun', 'Jün', 'Ajuna', 'Wren']],
  ['jün', ['Jun', 'Jün', 'Ajuna']],
  ['JUN they', ['Jün']],
  ['keeper', ['Wren']],
  ['wren', ['Wren']],
  ['nobody', []],
])('%p finds %p', (typed, names) =>
  expect(searchMembers(all, typed).map(({ name }) => name)).toEqual(names),
)

test('who begins with it comes first', () => {
  expect(searchMembers([member('Ajuna'), member('Jun')], 'jun')[0]?.name).toBe('Jun')
})
