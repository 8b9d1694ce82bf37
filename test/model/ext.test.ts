import fc from 'fast-check'
import { Problem } from '../../src/model/core/validation'
import { customFieldTypes } from '../../src/model/members/customField'
import { type FieldType, parseValue } from '../../src/model/members/fieldValue'
import { beginningOf } from '../../src/model/members/memberExt'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

describe('the beginning of a long description', () => {
  test('is a prefix of at most 1,000 characters that does not split a character', () => {
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(' ', '\n', '🌱', 'word '))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 2_000 }), (parts) => {
        const about = parts.join('').repeat(3)
        const beginning = beginningOf(about)
        expect(about.startsWith(beginning)).toBe(true)
        expect(beginning.length).toBeLessThanOrEqual(1_000)
        expect(beginning.isWellFormed()).toBe(about.isWellFormed() || beginning.isWellFormed())
        if (about.length > 0) expect(beginning).not.toBe('')
      }),
      { numRuns: rounds(25) },
    )
  })
})

describe('values of custom fields', () => {
  const options = [
    { id: 'a', name: 'A', color: null },
    { id: 'b', name: 'B', color: null },
  ]
  test.each([...customFieldTypes])('a stored value of type %p is parsed unchanged', (type) => {
    const field: FieldType = { type, options: type.startsWith('choice') ? options : null }
    const samples = fc.constantFrom<unknown>(
      'a',
      'b',
      ['a'],
      ['b', 'a'],
      [],
      '',
      true,
      0,
      -0,
      '02-29',
      '2024-02-29',
      '2023-02-29',
      '12',
      '13',
      '1999',
      '1999-12',
      '1999-12-31T23:59',
      '1999-12-31T24:00',
      'FF00aa',
      'https://example.com',
    )
    fc.assert(
      fc.property(fc.oneof(samples, fc.jsonValue()), (given) => {
        const parsed = parseValue(field, given)
        if (parsed instanceof Problem) return
        expect(parseValue(field, JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
      }),
    )
  })
})
