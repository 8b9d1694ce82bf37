import { entity } from '../../src/model/core/entity'
import { date, type Field, text, textList, timestamp } from '../../src/model/core/field'
import { redactionOf } from '../../src/model/core/privacy'
import { schemaHash } from '../../src/model/core/schemaHash'
import { expect, test } from '../tools/test'

const doc = 'Tea'
const plain = text({ doc, max: 5 })

/** Fields that serialize or redact the same stored value differently. */
const variants: [title: string, field: Field][] = [
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

test('schemaHash changes when a field is serialized or redacted differently', () => {
  const hashes = variants.map(([, tea]) => schemaHash(entity('table', { tea })))
  expect(new Set(hashes).size).toBe(variants.length)
  expect(schemaHash(entity('table', { tea: text({ doc, max: 5 }) }))).toBe(hashes[0] ?? 0)
})

test.each([
  ['null for a public field', plain, null],
  ['"null" for a guarded text', text({ doc, max: 5, guard: 'tea_privacy' }), 'null'],
  [
    '"empty list" for a guarded list',
    textList({ doc, maxItems: 1, max: 5, guard: 'tea_privacy' }),
    'empty list',
  ],
  [
    '"stand-in" for a field with a fallback',
    { ...plain, guard: 'tea_privacy', fallback: 'cup' },
    'stand-in',
  ],
  ['"null" for an owner-only field', text({ doc, max: 5, ownerOnly: 'null' }), 'null'],
  [
    '"absent" for an owner-only field without a key',
    text({ doc, max: 5, ownerOnly: 'absent' }),
    'absent',
  ],
] as [string, Field, string | null][])('redactionOf returns %s', (_, field, hidden) => {
  expect(redactionOf(field)).toBe(hidden as null)
})
