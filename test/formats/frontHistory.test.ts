import fc from 'fast-check'
import {
  type FrontRow,
  frontHistoryCsv,
  frontHistoryIcs,
  presencesOf,
} from '../../src/formats/frontHistory'
import { DAY, HOUR, type Instant, parseInstant } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'

const rows: FrontRow[] = [
  { member_id: 'wrenab', member: 'Wren', start: at('09:00:00'), end: at('11:00:00.5') },
  { member_id: 'ashcd', member: 'Ash, "the" quiet\none', start: at('10:00:00'), end: null },
]

describe('presencesOf', () => {
  test('merges consecutive switches of a member into one presence', async () => {
    const switches = [
      { timestamp: 1, members: ['wren'] },
      { timestamp: 2, members: ['wren', 'ash'] },
      { timestamp: 3, members: ['ash'] },
      { timestamp: 4, members: [] },
      { timestamp: 5, members: ['wren', 'wren'] },
    ]
    const presences = [
      { member: 'wren', start: 1, end: 3 },
      { member: 'ash', start: 2, end: 4 },
      { member: 'wren', start: 5, end: null },
    ]
    expect(await presencesOf([switches])).toEqual(presences)
    expect(await presencesOf(switches.map((one) => [one]))).toEqual(presences)
  })

  test('returns no presences without switches', async () => {
    expect(await presencesOf([])).toEqual([])
  })
})

describe('frontHistoryCsv', () => {
  test('writes CSV with a byte order mark, quoted cells, and no end for a current fronter', () => {
    expect(join(frontHistoryCsv(rows))).toBe(
      [
        '\ufeffstart,end,seconds,member_id,member',
        '2026-01-01T09:00:00Z,2026-01-01T11:00:00.5Z,7200.5,wrenab,Wren',
        '2026-01-01T10:00:00Z,,,ashcd,"Ash, ""the"" quiet\none"',
        '',
      ].join('\r\n'),
    )
  })

  const formulas: [name: string, cell: string][] = [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\t\'=1"'],
    ['\r=1', '"\r\'=1"'],
    [' =1', " '=1"],
    ['＝1+1', "'＝1+1"],
    // Spreadsheets in many locales separate cells by semicolons, even inside quotation marks.
    ['x;=1+1', '"x;\'=1+1"'],
    ['x;=1+1;', '"x;\'=1+1;"'],
    ['x; @SUM(A1)', '"x; \'@SUM(A1)"'],
    ['x\t+1', '"x\t\'+1"'],
    ['x\n=1+1;', '"x\n\'=1+1;"'],
    ['x;\t-1', '"x;\t\'-1"'],
    ['Wren; the first', '"Wren; the first"'],
    ['=HYPERLINK("a","b")', '"\'=HYPERLINK(""a"",""b"")"'],
    ['1=1', '1=1'],
    ['Wren - the first', 'Wren - the first'],
  ]

  test.each(formulas)(
    'writes the member name %j as %s, which spreadsheets do not evaluate',
    (member, cell) => {
      const row = { member_id: 'abcde', member, start: 0, end: 1 }
      expect(join(frontHistoryCsv([row]))).toEndWith(
        `1970-01-01T00:00:00Z,1970-01-01T00:00:00.000001Z,0.000001,abcde,${cell}\r\n`,
      )
    },
  )
})

describe('frontHistoryIcs', () => {
  const now = at('12:00:00')
  const calendar = join(frontHistoryIcs(rows, now, 'Lantern Hill; all'))

  test('writes a calendar event for each presence', () => {
    expect(calendar.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Multitude//Front history//EN',
      'CALSCALE:GREGORIAN',
      'X-WR-CALNAME:Lantern Hill\\; all',
      'BEGIN:VEVENT',
      `UID:wrenab-${at('09:00:00')}@multitude`,
      'DTSTAMP:20260101T120000Z',
      'DTSTART:20260101T090000Z',
      'DTEND:20260101T110000Z',
      'SUMMARY:Wren',
      'STATUS:CONFIRMED',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'BEGIN:VEVENT',
      `UID:ashcd-${at('10:00:00')}@multitude`,
      'DTSTAMP:20260101T120000Z',
      'DTSTART:20260101T100000Z',
      'DTEND:20260101T120000Z',
      'SUMMARY:Ash\\, "the" quiet\\none',
      'STATUS:TENTATIVE',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
  })

  test('folds long calendar lines at 75 octets, between characters', () => {
    const member = `${'Ünïcødé 🏮 '.repeat(20)}\\`
    const row = { member_id: 'abcde', member, start: 0, end: HOUR }
    const text = join(frontHistoryIcs([row], now, 'x'))
    for (const line of text.split('\r\n')) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
      expect(line.isWellFormed()).toBe(true)
    }
    expect(text.replaceAll('\r\n ', '')).toContain(`SUMMARY:${member}\\\r\n`)
  })

  test('formats calendar times in any year and any order', () => {
    const moment = fc.integer({
      min: parse('1685-01-01T00:00:00Z'),
      max: parse('2255-01-01T00:00:00Z'),
    })
    const near = fc.tuple(moment, fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY })))
    fc.assert(
      fc.property(near, ([middle, gaps]) => {
        const starts = gaps.map((gap) => middle + gap)
        const moments = starts.map((start) => ({ member_id: 'a', member: 'A', start, end: start }))
        const text = join(frontHistoryIcs(moments, now, 'x'))
        const formatted = starts.map((start) =>
          new Date(Math.floor(start / 1000)).toISOString().replace(/[-:]|\.\d+/g, ''),
        )
        expect([...text.matchAll(/DTSTART:(.*)/g)].map(([, time]) => time)).toEqual(formatted)
      }),
    )
  })

  test('writes no DTEND for an event shorter than a second, because it would equal DTSTART', () => {
    const row = { member_id: 'abcde', member: 'Wren', start: 0, end: 5 }
    expect(join(frontHistoryIcs([row], now, 'x'))).not.toContain('DTEND')
  })

  test('escapes any line break in a name, so that it cannot start a new property', () => {
    const row = { member_id: 'abcde', member: 'a\r\nATTACH:x\rb\u0000', start: 0, end: 5 }
    expect(join(frontHistoryIcs([row], now, 'x'))).toContain('SUMMARY:a\\nATTACH:x\\nb\r\n')
  })
})

function join(chunks: Iterable<string>): string {
  return [...chunks].join('')
}

function at(time: string): Instant {
  return parse(`2026-01-01T${time}Z`)
}

function parse(time: string): Instant {
  return parseInstant(time) ?? Number.NaN
}
