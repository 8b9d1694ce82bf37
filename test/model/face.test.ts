import { expect, test } from 'bun:test'
import { entity } from '../../src/model/entity'
import { shapeOf } from '../../src/model/face'
import { date, type Field, hiddenAs, text, texts, timestamp } from '../../src/model/field'

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
  ['with a stand-in', { ...plain, guard: 'tea_privacy', standIn: 'cup' }],
  ['with another stand-in', { ...plain, guard: 'tea_privacy', standIn: 'pot' }],
  ['null for others', text({ doc, max: 5, ownerOnly: 'null' })],
  ['absent for others', text({ doc, max: 5, ownerOnly: 'absent' })],
]

test('a field that would be spelled otherwise makes a face of another shape', () => {
  const shapes = spellings.map(([, tea]) => shapeOf(entity('table', { tea })))
  expect(new Set(shapes).size).toBe(spellings.length)
  expect(shapeOf(entity('table', { tea: text({ doc, max: 5 }) }))).toBe(shapes[0] ?? 0)
})

test.each([
  ['nothing, where nothing hides it', plain, null],
  ['null', text({ doc, max: 5, guard: 'tea_privacy' }), 'null'],
  ['an empty list', texts({ doc, most: 1, max: 5, guard: 'tea_privacy' }), 'empty list'],
  ['its stand-in', { ...plain, guard: 'tea_privacy', standIn: 'cup' }, 'stand-in'],
  ['null, where only the owner has it', text({ doc, max: 5, ownerOnly: 'null' }), 'null'],
  ['no key', text({ doc, max: 5, ownerOnly: 'absent' }), 'absent'],
] as [string, Field, string | null][])('what hides a field leaves %s', (_, field, hidden) => {
  expect(hiddenAs(field)).toBe(hidden as null)
})
