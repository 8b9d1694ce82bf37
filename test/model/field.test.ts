import fc from 'fast-check'
import {
  choice,
  color,
  count,
  date,
  type Field,
  flag,
  nullableCount,
  nullableFlag,
  proxyTags,
  reference,
  required,
  text,
  textList,
  textOr,
  timestamp,
  timezone,
  url,
} from '../../src/model/core/field'
import { Problem } from '../../src/model/core/validation'
import { describe, expect, test } from '../tools/test'

const doc = 'a field'
const short = text({ doc, max: 5 })
const named = required({ doc, max: 5 })
const format = textOr('{name}', { doc, max: 8 })
const picture = url({ doc })
const tags = proxyTags({ doc })
const templates = textList({ doc, maxItems: 3, max: 4 })

/** A given value and the stored one; undefined means unchanged, REJECTED means a problem. */
type Case = [title: string, field: Field, given: unknown, stored: unknown]

const REJECTED = Symbol('rejected')

const LONGEST_URL = `https://example.org/${'a'.repeat(236)}`

const cases: Record<string, Case[]> = {
  text: [
    ['of the maximum length is stored', short, 'abcde', 'abcde'],
    ['longer than the maximum is rejected', short, 'abcdef', REJECTED],
    ['is measured in UTF-16 units, so that an emoji counts twice', short, 'abc😀', 'abc😀'],
    ['of four letters and an emoji is rejected with a maximum of five', short, 'abcd😀', REJECTED],
    ['that is empty becomes null', short, '', null],
    ['that is null stays null', short, null, null],
    ['of spaces is unchanged', short, '  ', '  '],
    ['of several lines is unchanged', short, 'a\r\nb', 'a\r\nb'],
    ['with a NUL is rejected', short, 'a\0b', REJECTED],
    ['with a lone high surrogate is rejected', short, '\ud83d', REJECTED],
    ['with a lone low surrogate is rejected', short, 'a\ude00', REJECTED],
    ['as a number is rejected', short, 5, REJECTED],
    ['as a boolean is rejected', short, true, REJECTED],
    ['as a list is rejected', short, ['a'], REJECTED],
    ['as an object is rejected', short, { a: 1 }, REJECTED],
  ],
  'a required text': [
    ['is stored', named, 'Wren', 'Wren'],
    ['that is null is rejected', named, null, REJECTED],
    ['that is empty is rejected', named, '', REJECTED],
    ['longer than the maximum is rejected', named, 'abcdef', REJECTED],
    ['as a number is rejected', named, 1, REJECTED],
    ['with a NUL is rejected', named, '\0', REJECTED],
  ],
  'a text with a default': [
    ['is stored', format, '{tag}', '{tag}'],
    ['that is null becomes the default', format, null, '{name}'],
    ['that is empty becomes the default', format, '', '{name}'],
    ['longer than the maximum is rejected', format, 'a'.repeat(9), REJECTED],
    ['as a number is rejected', format, 0, REJECTED],
  ],
  'a colour': [
    ['of six digits is stored', color({ doc }), '0a1b2c', '0a1b2c'],
    ['is stored in lower case', color({ doc }), 'F2B632', 'f2b632'],
    ['with a # is rejected', color({ doc }), '#f2b632', REJECTED],
    ['of three digits is rejected', color({ doc }), 'fff', REJECTED],
    ['of eight digits is rejected', color({ doc }), 'ff00ff00', REJECTED],
    ['with other letters is rejected', color({ doc }), 'gggggg', REJECTED],
    ['with a trailing line break is rejected', color({ doc }), 'f2b632\n', REJECTED],
    ['in full-width digits is rejected', color({ doc }), '００００００', REJECTED],
    ['as a number is rejected', color({ doc }), 123456, REJECTED],
    ['that is empty becomes null', color({ doc }), '', null],
    ['that is null stays null', color({ doc }), null, null],
  ],
  'an address': [
    ['is stored unchanged', picture, 'HTTPS://Example.org/A', undefined],
    ['may be http', picture, 'http://a.example', undefined],
    ['may have a port, a query and a fragment', picture, 'https://a.example:81/b?c=d#e', undefined],
    ['may be an IPv6 host', picture, 'http://[::1]/a.png', undefined],
    ['may have letters of any script', picture, 'https://exämple.org/ñ.png', undefined],
    ['of 256 characters is stored', picture, LONGEST_URL, undefined],
    ['of 257 characters is rejected', picture, `${LONGEST_URL}a`, REJECTED],
    ['of another protocol is rejected', picture, 'ftp://example.org/a', REJECTED],
    ['with the scheme javascript is rejected', picture, 'javascript:alert(1)', REJECTED],
    ['with the scheme data is rejected', picture, 'data:image/png;base64,AAAA', REJECTED],
    ['that is relative is rejected', picture, '/a.png', REJECTED],
    ['without a protocol is rejected', picture, '//example.org/a.png', REJECTED],
    ['without a host is rejected', picture, 'https://', REJECTED],
    ['with an empty host is rejected', picture, 'https:///a.png', REJECTED],
    ['with only a query is rejected', picture, 'https://?a', REJECTED],
    ['with a user and no host is rejected', picture, 'https://user@/a.png', REJECTED],
    ['with one slash is rejected', picture, 'https:/example.org', REJECTED],
    ['with a port out of range is rejected', picture, 'https://example.org:99999/', REJECTED],
    ['with a space is rejected', picture, 'https://example.org/a b', REJECTED],
    ['with a line break is rejected', picture, 'https://example.org/\n', REJECTED],
    ['with a control character is rejected', picture, 'https://example.org/\u0001', REJECTED],
    ['with a lone surrogate is rejected', picture, 'https://example.org/\ud83d', REJECTED],
    ['that is empty becomes null', picture, '', null],
    ['as a number is rejected', picture, 1, REJECTED],
  ],
  'a date': [
    ['is stored', date({ doc }), '2023-11-02', '2023-11-02'],
    ['of year 0001 is stored', date({ doc }), '0001-01-01', '0001-01-01'],
    ['of year 0004 is stored', date({ doc }), '0004-12-31', '0004-12-31'],
    ['of 29 February without a year is stored', date({ doc }), '0004-02-29', '0004-02-29'],
    ['of 29 February in a leap year is stored', date({ doc }), '2024-02-29', '2024-02-29'],
    ['of 29 February in 2000 is stored', date({ doc }), '2000-02-29', '2000-02-29'],
    ['of 29 February in 1900 is rejected', date({ doc }), '1900-02-29', REJECTED],
    ['of 29 February in 2023 is rejected', date({ doc }), '2023-02-29', REJECTED],
    ['of 29 February in year 0001 is rejected', date({ doc }), '0001-02-29', REJECTED],
    ['of 31 April is rejected', date({ doc }), '2023-04-31', REJECTED],
    ['of month 13 is rejected', date({ doc }), '2023-13-01', REJECTED],
    ['of month 0 is rejected', date({ doc }), '2023-00-10', REJECTED],
    ['of day 0 is rejected', date({ doc }), '2023-01-00', REJECTED],
    ['of year 0 is rejected', date({ doc }), '0000-01-01', REJECTED],
    ['with a time is rejected', date({ doc }), '2023-01-01T00:00:00Z', REJECTED],
    ['without zeros is rejected', date({ doc }), '2023-1-1', REJECTED],
    ['with slashes is rejected', date({ doc }), '2023/01/01', REJECTED],
    ['with a sign is rejected', date({ doc }), '+2023-01-01', REJECTED],
    ['that is empty becomes null', date({ doc }), '', null],
    ['as a number is rejected', date({ doc }), 20230101, REJECTED],
  ],
  'a time': [
    ['is stored to the microsecond', timestamp({ doc }), '1970-01-01T00:00:01.000001Z', 1_000_001],
    ['that is null stays null', timestamp({ doc }), null, null],
    ['that is not a time is rejected', timestamp({ doc }), 'yesterday', REJECTED],
    ['as a number is rejected', timestamp({ doc }), 0, REJECTED],
  ],
  'a flag': [
    ['of true is stored', flag(false, { doc }), true, true],
    ['of false is stored', flag(true, { doc }), false, false],
    ['of null is rejected', flag(true, { doc }), null, REJECTED],
    ['of the text true is rejected', flag(true, { doc }), 'true', REJECTED],
    ['of 1 is rejected', flag(true, { doc }), 1, REJECTED],
    ['of null is stored if nullable', nullableFlag({ doc }), null, null],
    ['of true is stored if nullable', nullableFlag({ doc }), true, true],
    ['of 0 is rejected if nullable', nullableFlag({ doc }), 0, REJECTED],
    ['of empty text is rejected if nullable', nullableFlag({ doc }), '', REJECTED],
  ],
  'a count': [
    ['of 0 is stored', count(1, { doc }), 0, 0],
    ['of the largest safe integer is stored', count(1, { doc }), 2 ** 53 - 1, 2 ** 53 - 1],
    ['above the safe integers is rejected', count(1, { doc }), 2 ** 53, REJECTED],
    ['of -1 is rejected', count(1, { doc }), -1, REJECTED],
    ['of 0.5 is rejected', count(1, { doc }), 0.5, REJECTED],
    ['as text is rejected', count(1, { doc }), '3', REJECTED],
    ['of null is rejected', count(1, { doc }), null, REJECTED],
    ['of null is stored if nullable', nullableCount({ doc }), null, null],
    ['of 0 is stored if nullable', nullableCount({ doc }), 0, 0],
    ['of -1 is rejected if nullable', nullableCount({ doc }), -1, REJECTED],
    ['as text is rejected if nullable', nullableCount({ doc }), '0', REJECTED],
  ],
  'a choice': [
    ['from the list is stored', choice(['off', 'new'], { doc, defaultValue: 'off' }), 'new', 'new'],
    [
      'in another case is rejected',
      choice(['off', 'new'], { doc, defaultValue: 'off' }),
      'New',
      REJECTED,
    ],
    ['of null is rejected', choice(['off', 'new'], { doc, defaultValue: 'off' }), null, REJECTED],
    [
      'as a list is rejected',
      choice(['off', 'new'], { doc, defaultValue: 'off' }),
      ['new'],
      REJECTED,
    ],
    [
      'named like an array method is rejected',
      choice(['a'], { doc, defaultValue: 'a' }),
      'at',
      REJECTED,
    ],
  ],
  'a time zone': [
    ['is stored', timezone({ doc }), 'Europe/Oslo', 'Europe/Oslo'],
    ['may be UTC', timezone({ doc }), 'UTC', 'UTC'],
    ['may be a fixed offset by name', timezone({ doc }), 'Etc/GMT+5', 'Etc/GMT+5'],
    ['with an unknown name is rejected', timezone({ doc }), 'Middle/Earth', REJECTED],
    ['as an offset is rejected', timezone({ doc }), '+01:00', REJECTED],
    ['that is empty is rejected', timezone({ doc }), '', REJECTED],
    ['that is null is rejected', timezone({ doc }), null, REJECTED],
    ['as a number is rejected', timezone({ doc }), 1, REJECTED],
    ['with spaces around is rejected', timezone({ doc }), ' UTC', REJECTED],
  ],
  'a list of texts': [
    ['is stored', templates, ['a', 'b', 'c'], ['a', 'b', 'c']],
    ['may be empty', templates, [], []],
    ['with too many items is rejected', templates, ['a', 'b', 'c', 'd'], REJECTED],
    ['with a too long item is rejected', templates, ['a', 'abcde'], REJECTED],
    ['with a number is rejected', templates, ['a', 1], REJECTED],
    ['with a NUL is rejected', templates, ['a\0'], REJECTED],
    ['that is null is rejected', templates, null, REJECTED],
    ['that is a text is rejected', templates, 'a', REJECTED],
  ],
  'a reference': [
    ['is stored unresolved', reference({ doc }), 'abc-def', 'abc-def'],
    ['that is empty becomes null', reference({ doc }), '', null],
    ['as a number is rejected', reference({ doc }), 12345, REJECTED],
  ],
  'proxy tags': [
    ['are stored', tags, [{ prefix: 'w:', suffix: '!' }], [{ prefix: 'w:', suffix: '!' }]],
    ['with a missing part have null instead', tags, [{ prefix: 'w:' }], [pair('w:', null)]],
    ['with an empty part have null instead', tags, [pair('', '-w')], [pair(null, '-w')]],
    [
      'without any part are dropped',
      tags,
      [{}, pair('', null), pair('a', null)],
      [pair('a', null)],
    ],
    ['with other keys lose them', tags, [{ prefix: 'a', color: 1 }], [pair('a', null)]],
    ['may be an empty list', tags, [], []],
    ['of 95 characters are stored', tags, [pair('a'.repeat(90), 'b'.repeat(5))], undefined],
    ['of 96 characters are rejected', tags, [pair('a'.repeat(90), 'b'.repeat(6))], REJECTED],
    ['of 95 characters on one side are stored', tags, [pair('a'.repeat(95), null)], undefined],
    ['of 96 characters on one side are rejected', tags, [pair(null, 'a'.repeat(96))], REJECTED],
    ['may be a hundred', tags, Array(100).fill(pair('a', null)), undefined],
    ['may not be a hundred and one', tags, Array(101).fill(pair('a', null)), REJECTED],
    ['with a number for a part are rejected', tags, [pair(1, null)], REJECTED],
    ['with a lone surrogate are rejected', tags, [pair('\ud83d', null)], REJECTED],
    [
      'with an emoji split between prefix and suffix are rejected',
      tags,
      [pair('\ud83d', '\ude00')],
      REJECTED,
    ],
    ['with a NUL are rejected', tags, [pair('a', '\0')], REJECTED],
    ['that are texts are rejected', tags, ['w:text'], REJECTED],
    ['that are null are rejected', tags, [null], REJECTED],
    ['that are lists are rejected', tags, [['a', 'b']], REJECTED],
    ['that are not a list are rejected', tags, pair('a', 'b'), REJECTED],
    ['that are null instead of a list are rejected', tags, null, REJECTED],
  ],
}

for (const [kind, rows] of Object.entries(cases))
  describe(kind, () => {
    test.each(rows)(`${kind} %s`, (_, field, given, stored) => {
      const read = field.parse(given)
      if (stored === REJECTED) expect(read).toBeInstanceOf(Problem)
      else expect(read).toEqual(stored === undefined ? given : stored)
    })
  })

describe('a problem', () => {
  const lengths: [string, Field, unknown, number, number][] = [
    ['of a text', short, 'abcdefgh', 5, 8],
    ['of a required text', named, 'abcdef', 5, 6],
    ['of an address', picture, `${LONGEST_URL}aa`, 256, 258],
    ['of a list', templates, ['', '', '', '', ''], 3, 5],
    ['of an item of a list', templates, ['abcdefg'], 4, 7],
    ['of proxy tags', tags, [pair('a'.repeat(60), 'b'.repeat(60))], 95, 120],
    ['of many proxy tags', tags, Array(140).fill(pair('a', null)), 100, 140],
  ]

  test.each(lengths)(
    'the problem %s that is too long has both lengths',
    (_, field, given, max, actual) => {
      expect(field.parse(given)).toMatchObject({ values: { max, actual } })
    },
  )

  test('a problem of another kind has no values', () => {
    expect(short.parse(1)).toMatchObject({ code: 'not_text_or_null', values: {} })
  })
})

describe('for any JSON', () => {
  const fields = Object.values(cases).flatMap((rows) => rows.map(([, field]) => field))

  test('parsing any JSON never throws, and parsing a stored value changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...new Set(fields)), (value, field) => {
        const once = field.parse(value)
        // A time is parsed from text and stored as a number.
        if (once instanceof Problem || field.kind === 'timestamp') return
        expect(field.parse(once)).toEqual(once)
      }),
    )
  })

  test('any accepted text survives UTF-8 encoding unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5 }), (value) => {
        const stored = short.parse(value)
        if (stored === null || stored instanceof Problem) return
        expect(new TextDecoder().decode(new TextEncoder().encode(stored))).toBe(value)
      }),
    )
  })
})

function pair(prefix: unknown, suffix: unknown) {
  return { prefix, suffix }
}
