import { describe, expect, test } from 'bun:test'
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
} from '../../src/model/field'
import { Problem } from '../../src/model/validation'

const doc = 'a field'
const short = text({ doc, max: 5 })
const named = required({ doc, max: 5 })
const format = textOr('{name}', { doc, max: 8 })
const picture = url({ doc })
const tags = proxyTags({ doc })
const templates = textList({ doc, maxItems: 3, max: 4 })

/** What is given, and what is kept of it; REFUSED where it is a problem. */
type Case = [says: string, field: Field, given: unknown, kept: unknown]

const REFUSED = Symbol('refused')

const LONGEST_URL = `https://example.org/${'a'.repeat(236)}`

const cases: Record<string, Case[]> = {
  text: [
    ['as long as allowed is kept', short, 'abcde', 'abcde'],
    ['one longer is refused', short, 'abcdef', REFUSED],
    ['is measured in UTF-16 units, so an emoji counts twice', short, 'abc😀', 'abc😀'],
    ['of four letters and an emoji is too long for five', short, 'abcd😀', REFUSED],
    ['that is empty is nothing', short, '', null],
    ['that is null is nothing', short, null, null],
    ['of spaces stays as it is', short, '  ', '  '],
    ['of several lines stays as it is', short, 'a\r\nb', 'a\r\nb'],
    ['with a NUL cannot be stored', short, 'a\0b', REFUSED],
    ['with half an emoji in front cannot be stored', short, '\ud83d', REFUSED],
    ['with half an emoji behind cannot be stored', short, 'a\ude00', REFUSED],
    ['is never made of a number', short, 5, REFUSED],
    ['is never made of a boolean', short, true, REFUSED],
    ['is never made of a list', short, ['a'], REFUSED],
    ['is never made of an object', short, { a: 1 }, REFUSED],
  ],
  'a required text': [
    ['is kept', named, 'Wren', 'Wren'],
    ['may not be null', named, null, REFUSED],
    ['may not be empty', named, '', REFUSED],
    ['has a limit too', named, 'abcdef', REFUSED],
    ['is never made of a number', named, 1, REFUSED],
    ['with a NUL cannot be stored', named, '\0', REFUSED],
  ],
  'a text with a default': [
    ['is kept', format, '{tag}', '{tag}'],
    ['that is null goes back to the default', format, null, '{name}'],
    ['that is empty goes back to the default', format, '', '{name}'],
    ['has a limit', format, 'a'.repeat(9), REFUSED],
    ['is never made of a number', format, 0, REFUSED],
  ],
  'a colour': [
    ['of six digits is kept', color({ doc }), '0a1b2c', '0a1b2c'],
    ['is kept in lower case', color({ doc }), 'F2B632', 'f2b632'],
    ['with a # is refused', color({ doc }), '#f2b632', REFUSED],
    ['of three digits is refused', color({ doc }), 'fff', REFUSED],
    ['of eight digits is refused', color({ doc }), 'ff00ff00', REFUSED],
    ['with other letters is refused', color({ doc }), 'gggggg', REFUSED],
    ['with a line break behind is refused', color({ doc }), 'f2b632\n', REFUSED],
    ['in full-width digits is refused', color({ doc }), '００００００', REFUSED],
    ['as a number is refused', color({ doc }), 123456, REFUSED],
    ['that is empty is nothing', color({ doc }), '', null],
    ['that is null is nothing', color({ doc }), null, null],
  ],
  'an address': [
    ['is kept as it was written', picture, 'HTTPS://Example.org/A', undefined],
    ['may be http', picture, 'http://a.example', undefined],
    ['may have a port, a query and a fragment', picture, 'https://a.example:81/b?c=d#e', undefined],
    ['may be an IPv6 host', picture, 'http://[::1]/a.png', undefined],
    ['may have letters of any script', picture, 'https://exämple.org/ñ.png', undefined],
    ['of 256 characters is kept', picture, LONGEST_URL, undefined],
    ['of 257 characters is refused', picture, `${LONGEST_URL}a`, REFUSED],
    ['of another protocol is refused', picture, 'ftp://example.org/a', REFUSED],
    ['that runs script is refused', picture, 'javascript:alert(1)', REFUSED],
    ['that is data is refused', picture, 'data:image/png;base64,AAAA', REFUSED],
    ['that is relative is refused', picture, '/a.png', REFUSED],
    ['without a protocol is refused', picture, '//example.org/a.png', REFUSED],
    ['without a host is refused', picture, 'https://', REFUSED],
    ['with nothing where the host should be is refused', picture, 'https:///a.png', REFUSED],
    ['of a query alone is refused', picture, 'https://?a', REFUSED],
    ['of a user without a host is refused', picture, 'https://user@/a.png', REFUSED],
    ['with one slash is refused', picture, 'https:/example.org', REFUSED],
    ['with a port out of range is refused', picture, 'https://example.org:99999/', REFUSED],
    ['with a space is refused', picture, 'https://example.org/a b', REFUSED],
    ['with a line break is refused', picture, 'https://example.org/\n', REFUSED],
    ['with a control character is refused', picture, 'https://example.org/\u0001', REFUSED],
    ['with half an emoji is refused', picture, 'https://example.org/\ud83d', REFUSED],
    ['that is empty is nothing', picture, '', null],
    ['as a number is refused', picture, 1, REFUSED],
  ],
  'a date': [
    ['is kept', date({ doc }), '2023-11-02', '2023-11-02'],
    ['of year 0001 says no year', date({ doc }), '0001-01-01', '0001-01-01'],
    ['of year 0004 says no year', date({ doc }), '0004-12-31', '0004-12-31'],
    ['of 29 February without a year is kept', date({ doc }), '0004-02-29', '0004-02-29'],
    ['of 29 February in a leap year is kept', date({ doc }), '2024-02-29', '2024-02-29'],
    ['of 29 February in 2000 is kept', date({ doc }), '2000-02-29', '2000-02-29'],
    ['of 29 February in 1900 never was', date({ doc }), '1900-02-29', REFUSED],
    ['of 29 February in 2023 never was', date({ doc }), '2023-02-29', REFUSED],
    ['of 29 February in year 0001 never was', date({ doc }), '0001-02-29', REFUSED],
    ['of 31 April never was', date({ doc }), '2023-04-31', REFUSED],
    ['of month 13 is refused', date({ doc }), '2023-13-01', REFUSED],
    ['of month 0 is refused', date({ doc }), '2023-00-10', REFUSED],
    ['of day 0 is refused', date({ doc }), '2023-01-00', REFUSED],
    ['of year 0 is refused', date({ doc }), '0000-01-01', REFUSED],
    ['with a time is refused', date({ doc }), '2023-01-01T00:00:00Z', REFUSED],
    ['without zeros is refused', date({ doc }), '2023-1-1', REFUSED],
    ['with slashes is refused', date({ doc }), '2023/01/01', REFUSED],
    ['with a sign is refused', date({ doc }), '+2023-01-01', REFUSED],
    ['that is empty is nothing', date({ doc }), '', null],
    ['as a number is refused', date({ doc }), 20230101, REFUSED],
  ],
  'a time': [
    ['is kept to the microsecond', timestamp({ doc }), '1970-01-01T00:00:01.000001Z', 1_000_001],
    ['that is null is nothing', timestamp({ doc }), null, null],
    ['that is no time is refused', timestamp({ doc }), 'yesterday', REFUSED],
    ['as a number is refused', timestamp({ doc }), 0, REFUSED],
  ],
  'a flag': [
    ['true is kept', flag(false, { doc }), true, true],
    ['false is kept', flag(true, { doc }), false, false],
    ['null is refused', flag(true, { doc }), null, REFUSED],
    ['the word true is refused', flag(true, { doc }), 'true', REFUSED],
    ['1 is refused', flag(true, { doc }), 1, REFUSED],
    ['null leaves it open where it may', nullableFlag({ doc }), null, null],
    ['true is kept where it may be open', nullableFlag({ doc }), true, true],
    ['0 is refused where it may be open', nullableFlag({ doc }), 0, REFUSED],
    ['an empty text is refused where it may be open', nullableFlag({ doc }), '', REFUSED],
  ],
  'a count': [
    ['0 is kept', count(1, { doc }), 0, 0],
    ['the largest safe number is kept', count(1, { doc }), 2 ** 53 - 1, 2 ** 53 - 1],
    ['a larger one would lose digits', count(1, { doc }), 2 ** 53, REFUSED],
    ['-1 is refused', count(1, { doc }), -1, REFUSED],
    ['a half is refused', count(1, { doc }), 0.5, REFUSED],
    ['a text is refused', count(1, { doc }), '3', REFUSED],
    ['null is refused', count(1, { doc }), null, REFUSED],
    ['null leaves it open where it may', nullableCount({ doc }), null, null],
    ['0 is not null where it may be open', nullableCount({ doc }), 0, 0],
    ['-1 is refused where it may be open', nullableCount({ doc }), -1, REFUSED],
    ['a text is refused where it may be open', nullableCount({ doc }), '0', REFUSED],
  ],
  'a choice': [
    ['of the list is kept', choice(['off', 'new'], { doc, defaultValue: 'off' }), 'new', 'new'],
    [
      'of another case is refused',
      choice(['off', 'new'], { doc, defaultValue: 'off' }),
      'New',
      REFUSED,
    ],
    ['of none is refused', choice(['off', 'new'], { doc, defaultValue: 'off' }), null, REFUSED],
    [
      'as a list is refused',
      choice(['off', 'new'], { doc, defaultValue: 'off' }),
      ['new'],
      REFUSED,
    ],
    [
      'of what every object has is refused',
      choice(['a'], { doc, defaultValue: 'a' }),
      'at',
      REFUSED,
    ],
  ],
  'a time zone': [
    ['is kept', timezone({ doc }), 'Europe/Oslo', 'Europe/Oslo'],
    ['may be UTC', timezone({ doc }), 'UTC', 'UTC'],
    ['may be a fixed offset by name', timezone({ doc }), 'Etc/GMT+5', 'Etc/GMT+5'],
    ['that nobody knows is refused', timezone({ doc }), 'Middle/Earth', REFUSED],
    ['as an offset is refused', timezone({ doc }), '+01:00', REFUSED],
    ['that is empty is refused', timezone({ doc }), '', REFUSED],
    ['that is null is refused', timezone({ doc }), null, REFUSED],
    ['as a number is refused', timezone({ doc }), 1, REFUSED],
    ['with spaces around is refused', timezone({ doc }), ' UTC', REFUSED],
  ],
  'a list of texts': [
    ['is kept', templates, ['a', 'b', 'c'], ['a', 'b', 'c']],
    ['may be empty', templates, [], []],
    ['of more than allowed is refused', templates, ['a', 'b', 'c', 'd'], REFUSED],
    ['with one too long is refused', templates, ['a', 'abcde'], REFUSED],
    ['with a number is refused', templates, ['a', 1], REFUSED],
    ['with a NUL is refused', templates, ['a\0'], REFUSED],
    ['that is null is refused', templates, null, REFUSED],
    ['that is one text is refused', templates, 'a', REFUSED],
  ],
  'a reference': [
    ['is kept for whoever resolves it', reference({ doc }), 'abc-def', 'abc-def'],
    ['that is empty is nothing', reference({ doc }), '', null],
    ['as a number is refused', reference({ doc }), 12345, REFUSED],
  ],
  'proxy tags': [
    ['are kept', tags, [{ prefix: 'w:', suffix: '!' }], [{ prefix: 'w:', suffix: '!' }]],
    ['with a part missing have null there', tags, [{ prefix: 'w:' }], [pair('w:', null)]],
    ['with an empty part have null there', tags, [pair('', '-w')], [pair(null, '-w')]],
    ['with no part are dropped', tags, [{}, pair('', null), pair('a', null)], [pair('a', null)]],
    ['with other keys lose them', tags, [{ prefix: 'a', color: 1 }], [pair('a', null)]],
    ['may be none', tags, [], []],
    ['of 95 characters are kept', tags, [pair('a'.repeat(90), 'b'.repeat(5))], undefined],
    ['of 96 characters are refused', tags, [pair('a'.repeat(90), 'b'.repeat(6))], REFUSED],
    ['of 95 characters on one side are kept', tags, [pair('a'.repeat(95), null)], undefined],
    ['of 96 characters on one side are refused', tags, [pair(null, 'a'.repeat(96))], REFUSED],
    ['may be a hundred', tags, Array(100).fill(pair('a', null)), undefined],
    ['may not be a hundred and one', tags, Array(101).fill(pair('a', null)), REFUSED],
    ['with a number for a part are refused', tags, [pair(1, null)], REFUSED],
    ['with half an emoji are refused', tags, [pair('\ud83d', null)], REFUSED],
    ['with an emoji cut in two by the text are refused', tags, [pair('\ud83d', '\ude00')], REFUSED],
    ['with a NUL are refused', tags, [pair('a', '\0')], REFUSED],
    ['that are texts are refused', tags, ['w:text'], REFUSED],
    ['that are null are refused', tags, [null], REFUSED],
    ['that are lists are refused', tags, [['a', 'b']], REFUSED],
    ['that are no list are refused', tags, pair('a', 'b'), REFUSED],
    ['null as a whole is refused', tags, null, REFUSED],
  ],
}

for (const [kind, rows] of Object.entries(cases))
  describe(kind, () => {
    test.each(rows)('%s', (_, field, given, kept) => {
      const read = field.read(given)
      if (kept === REFUSED) expect(read).toBeInstanceOf(Problem)
      else expect(read).toEqual(kept === undefined ? given : kept)
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

  test.each(lengths)('%s that is too long tells both lengths', (_, field, given, most, actual) => {
    expect(field.read(given)).toMatchObject({ max_length: most, actual_length: actual })
  })

  test('of another kind tells no length', () => {
    const problem = short.read(1)
    expect(JSON.parse(JSON.stringify(problem))).toEqual({ message: 'Must be a string or null.' })
  })
})

describe('for any JSON', () => {
  const fields = Object.values(cases).flatMap((rows) => rows.map(([, field]) => field))

  test('reading never throws, and what was kept is read the same again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...new Set(fields)), (value, field) => {
        const once = field.read(value)
        // A time is given as text and kept as a number.
        if (once instanceof Problem || field.kind === 'timestamp') return
        expect(field.read(once)).toEqual(once)
      }),
    )
  })

  test('a text that is kept comes back from JSON as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5 }), (value) => {
        const kept = short.read(value)
        if (kept === null || kept instanceof Problem) return
        expect(new TextDecoder().decode(new TextEncoder().encode(kept))).toBe(value)
      }),
    )
  })
})

function pair(prefix: unknown, suffix: unknown) {
  return { prefix, suffix }
}
