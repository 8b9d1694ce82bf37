import { expect, test } from 'bun:test'
import { entity } from '../../src/model/entity'
import { date, type Field, redactionOf, text, textList, timestamp } from '../../src/model/field'
import { schemaHash } from '../../src/model/renderedJson'

const doc = 'Tea'
const plain = text({ doc, max: 5 })

/** Fields that one and the same stored value looks different through. */
const spellings: [says: string, field: Field][] = [
  ['as it is', plain],
  ['of another kind', date({ doc })],
  ['as a time', timestamp({ doc })],
  ['as a number', { ...timestamp({ doc }), schema: { type: 'integer' } }],
  ['hidden by a level', text({ doc, max: 5, guard: 'tea_privacy' })],
  ['hidden by another', text({ doc, max: 5, guard: 'cup_privacy' })],
  ['with a stand-in', { ...plain, guard: 'tea_privacy', fallback: 'cup' }],
  ['with another stand-in', { ...plain, guard: 'tea_privacy', fallback: 'pot' }],
  ['null for others', text({ doc, max: 5, ownerOnly: 'null' })],
  ['absent for others', text({ doc, max: 5, ownerOnly: 'absent' })],
]

test('a field that would be spelled otherwise makes a face of another shape', () => {
  const shapes = spellings.map(([, tea]) => schemaHash(entity('table', { tea })))
  expect(new Set(shapes).size).toBe(spellings.length)
  expect(schemaHash(entity('table', { tea: text({ doc, max: 5 }) }))).toBe(shapes[0] ?? 0)
})

test.each([
  ['nothing, where nothing hides it', plain, null],
  ['null', text({ doc, max: 5, guard: 'tea_privacy' }), 'null'],
  ['an empty list', textList({ doc, maxItems: 1, max: 5, guard: 'tea_privacy' }), 'empty list'],
  ['its stand-in', { ...plain, guard: 'tea_privacy', fallback: 'cup' }, 'stand-in'],
  ['null, where only the owner has it', text({ doc, max: 5, ownerOnly: 'null' }), 'null'],
  ['no key', text({ doc, max: 5, ownerOnly: 'absent' }), 'absent'],
] as [string, Field, string | null][])('what hides a field leaves %s', (_, field, hidden) => {
  expect(redactionOf(field)).toBe(hidden as null)
})
