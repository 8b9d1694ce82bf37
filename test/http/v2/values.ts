import type { Field } from '../../../src/model/core/field'
import { Problem } from '../../../src/model/core/validation'

/** Test values for a field: valid values, each with the value that is stored for it, and invalid values. */
export interface Values {
  good: [sent: unknown, stored: unknown][]
  bad: unknown[]
}

const notText = [1, 0, true, false, [], ['x'], {}, { x: 'y' }]
const notList = [null, 'x', '', 1, true, {}]

/** Returns values that cover every rule of the field's kind. */
export function valuesOf(field: Field): Values {
  if (field.kind === 'text') return textValues(field)
  const values = byKind[field.kind]
  if (!values) throw new Error(`no values for the kind ${field.kind}`)
  const { good, bad } = values
  if (!field.nullable) return { good, bad: [...bad, null] }
  const emptyIsNull = ['color', 'url', 'date'].includes(field.kind)
  return {
    good: [...good, [null, null], ...(emptyIsNull ? [['', null] as [string, null]] : [])],
    bad,
  }
}

/** Returns a value that the field refuses. */
export function badValueOf(field: Field): unknown {
  const [bad] = valuesOf(field).bad
  if (!(field.parse(bad) instanceof Problem)) throw new Error(`${field.kind} accepts ${bad}`)
  return bad
}

function textValues({ max = 0, required, defaultValue }: Field): Values {
  const good: Values['good'] = [
    ['x'.repeat(max), 'x'.repeat(max)],
    // Lengths count UTF-16 units, of which an emoji has two.
    ['🌱'.repeat(Math.floor(max / 2)), '🌱'.repeat(Math.floor(max / 2))],
    [' x ', ' x '],
    ['a < b "c" \'d\' \\ &', 'a < b "c" \'d\' \\ &'],
    // Text that looks like JSON, or must be escaped in JSON, is stored unchanged.
    ...same('null', '{"a": [1]}', '1', 'tab\t, line\n, bell\u0007, \u2028 \u007f é'),
  ]
  const bad = [...notText, 'x'.repeat(max + 1), '🌱'.repeat(max / 2 + 1), 'a\0b', 'a\ud800b']
  if (required) return { good, bad: [...bad, null, ''] }
  return { good: [...good, [null, defaultValue], ['x', 'x'], ['', defaultValue]], bad }
}

function same(...values: unknown[]): Values['good'] {
  return values.map((value) => [value, value])
}

const tag = (prefix: string | null, suffix: string | null) => ({ prefix, suffix })
const address = 'https://example.com/'

const byKind: Partial<Record<Field['kind'], Values>> = {
  color: {
    good: [...same('88c0a8', '000000', '123456'), ['ABCDEF', 'abcdef']],
    bad: ['#88c0a8', '88c0a', '88c0a80', 'gggggg', ' 88c0a', 'red', ...notText],
  },
  url: {
    good: same(
      `${address}a.png`,
      'http://example.com',
      'https://example.com:8443/a%20b?c=d#e',
      address + 'x'.repeat(256 - address.length),
    ),
    bad: [
      address + 'x'.repeat(257 - address.length),
      'example.com/a.png',
      '//example.com/a.png',
      '/a.png',
      'https://',
      'https:',
      'ftp://example.com/a.png',
      'javascript:alert(1)',
      'data:image/png;base64,AA==',
      'https://exa mple.com/',
      `${address}a\nb`,
      ...notText,
    ],
  },
  date: {
    good: same('1999-12-31', '2020-02-29', '2000-02-29', '0004-02-29', '0001-01-01', '0004-11-02'),
    bad: [
      '2021-02-29',
      '1900-02-29',
      '0001-02-29',
      '2020-13-01',
      '2020-00-10',
      '2020-04-31',
      '2020-01-00',
      '0000-01-01',
      '2020-1-1',
      '20200101',
      '01-01-2020',
      '2020-01-01T00:00:00Z',
      ' 2020-01-01',
      'yesterday',
      ...notText,
    ],
  },
  flag: { good: same(true, false), bad: ['true', 'false', '', 0, 1, [], {}] },
  count: {
    good: same(0, 1, 21_600, Number.MAX_SAFE_INTEGER),
    bad: [-1, 1.5, 1e300, '5', true, [], {}],
  },
  choice: { good: [], bad: ['', 'OFF', 'bogus', 'off ', 0, true, [], ['off'], {}] },
  timezone: {
    good: same('Europe/Oslo', 'America/Argentina/Buenos_Aires', 'UTC'),
    bad: ['', 'Mars/Olympus', '+01:00', 'UTC+1', 1, true, [], {}],
  },
  texts: {
    good: same([], ['one'], ['one', 'two', 'three'], ['x'.repeat(1000)], ['']),
    bad: [['1', '2', '3', '4'], ['x'.repeat(1001)], [1], ['x', {}], ['a\0'], ...notList],
  },
  proxyTags: {
    good: [
      ...same(
        [],
        [tag('w:', null)],
        [tag('[', ']'), tag(null, '-w')],
        [tag('x'.repeat(95), null)],
        [tag('x'.repeat(50), 'y'.repeat(45))],
        Array.from({ length: 100 }, (_, at) => tag(`${at}:`, null)),
        [tag(' w ', ' ')],
      ),
      [[{ prefix: 'w:' }], [tag('w:', null)]],
      [[{ suffix: '-w' }], [tag(null, '-w')]],
      [[tag('', '-w')], [tag(null, '-w')]],
      [[tag('w:', ''), tag('', ''), tag(null, null), {}], [tag('w:', null)]],
      [[{ prefix: 'w:', suffix: null, extra: 1 }], [tag('w:', null)]],
    ],
    bad: [
      [tag('x'.repeat(96), null)],
      [tag('x'.repeat(50), 'y'.repeat(46))],
      Array.from({ length: 101 }, (_, at) => tag(`${at}:`, null)),
      [{ prefix: 1, suffix: null }],
      [{ prefix: 'w:', suffix: [] }],
      [{ prefix: false }],
      [tag('a\0', null)],
      [tag('a\ud800', null)],
      ['w:'],
      [null],
      [[]],
      [1],
      ...notList,
    ],
  },
}
