import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BundleSwitch } from '../../../src/formats/bundle'
import { type Presence, presencesOf } from '../../../src/formats/frontHistory'
import { ImportLog } from '../../../src/formats/importLog'
import { readFile } from '../../../src/formats/read'
import { toSwitches } from '../../../src/formats/simplyplural/fronts'
import { HOUR } from '../../../src/model/time'

type Front = [member: string, start: number, end: number | null]
type Change = [hour: number, ...members: string[]]

const scenarios: [what: string, fronts: Front[], switches: Change[]][] = [
  ['nobody ever', [], []],
  [
    'overlap is co-fronting, a gap is nobody, an open row stays',
    [
      ['Wren', 9, 11],
      ['Ash', 10, 12],
      ['Wren', 14, null],
    ],
    [[9, 'Wren'], [10, 'Wren', 'Ash'], [11, 'Ash'], [12], [14, 'Wren']],
  ],
  [
    'who came first stands first, in whatever order the rows are',
    [
      ['Ash', 10, null],
      ['Wren', 9, null],
    ],
    [
      [9, 'Wren'],
      [10, 'Wren', 'Ash'],
    ],
  ],
  [
    'rows that touch make no gap',
    [
      ['Wren', 9, 10],
      ['Ash', 10, 11],
    ],
    [[9, 'Wren'], [10, 'Ash'], [11]],
  ],
  [
    'a row continued at once changes nothing',
    [
      ['Wren', 9, 10],
      ['Wren', 10, 11],
    ],
    [[9, 'Wren'], [11]],
  ],
  [
    'rows of one member that overlap are one presence',
    [
      ['Wren', 9, 11],
      ['Wren', 10, 12],
      ['Ash', 10, 11],
    ],
    [[9, 'Wren'], [10, 'Wren', 'Ash'], [11, 'Wren'], [12]],
  ],
  [
    'the same row twice counts once',
    [
      ['Wren', 9, 11],
      ['Wren', 9, 11],
    ],
    [[9, 'Wren'], [11]],
  ],
]

describe('presences as switches', () => {
  test.each(scenarios)('%s', (_, fronts, switches) => {
    expect(toSwitches(fronts.map(presence), new ImportLog())).toEqual(
      switches.map(([hour, ...members]) => ({ timestamp: hour * HOUR, members })),
    )
  })

  test('at every instant exactly those front who were there', async () => {
    const row = fc
      .record({
        member: fc.constantFrom('a', 'b', 'c'),
        start: fc.integer({ min: 1, max: 20 }),
        lasts: fc.option(fc.integer({ min: 1, max: 10 })),
      })
      .map(
        ({ member, start, lasts }): Presence => ({
          member,
          start,
          end: lasts === null ? null : start + lasts,
        }),
      )
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        const switches = toSwitches(rows, new ImportLog())
        for (let now = 0; now <= 31; now++) {
          const due = rows.filter(({ start, end }) => start <= now && (end === null || now < end))
          const current = switches.findLast(({ timestamp }) => timestamp <= now)?.members ?? []
          expect(new Set(current)).toEqual(new Set(due.map(({ member }) => member)))
        }
        const again = toSwitches(await presencesOf([switches]), new ImportLog())
        expect(again.map(withoutOrder)).toEqual(switches.map(withoutOrder))
      }),
    )
  })

  test('more than 150 at once are cut and told of once', () => {
    const ledger = new ImportLog()
    const rows = Array.from({ length: 200 }, (_, n) => presence([`${n}`, n + 1, null]))
    expect(toSwitches(rows, ledger).at(-1)?.members).toHaveLength(150)
    expect(ledger.result().repairs).toMatchObject([{ field: 'members', was: 200, now: 150 }])
  })

  test('of more than 100,000 switches the newest are taken', () => {
    const ledger = new ImportLog()
    const rows = Array.from({ length: 50_001 }, (_, n) => presence(['Wren', 2 * n + 1, 2 * n + 2]))
    const switches = toSwitches(rows, ledger)
    expect(switches).toHaveLength(100_000)
    expect(switches.at(-1)).toEqual({ timestamp: 100_002 * HOUR, members: [] })
    expect(ledger.result().repairs).toMatchObject([{ field: 'switches', was: 100_002 }])
  })
})

describe('rows of the front history', () => {
  const start = 1767258000000
  const rows: [what: string, row: object, presence: [number, number | null] | null][] = [
    ['a closed one', { startTime: start, endTime: start + 5 }, [0, 5]],
    [
      'a live one has no end, whatever it says',
      { startTime: start, endTime: 1, live: true },
      [0, null],
    ],
    ['one without an end is open', { startTime: start }, [0, null]],
    ['one whose end is null is open', { startTime: start, endTime: null, live: false }, [0, null]],
    ['one that ends before it begins is turned', { startTime: start, endTime: start - 5 }, [-5, 0]],
    ['one that lasts no time is dropped', { startTime: start, endTime: start }, null],
    ['one without a start is dropped', { endTime: start }, null],
    ['one with an unreadable start is dropped', { startTime: 'x', live: true }, null],
    ['one with an unreadable end is dropped', { startTime: start, endTime: 'x' }, null],
    ['one of an unknown member is dropped', { member: 'unknown', startTime: start }, null],
  ]

  test.each(rows)('%s', async (_, row, presence) => {
    const { switches, leftOut } = readFile(
      JSON.stringify({
        members: [{ _id: 'm1', name: 'Wren' }],
        frontHistory: [{ member: 'm1', ...row }],
      }),
    )
    const [found = null] = await presencesOf([switches])
    const instant = (offset: number | null) => (offset === null ? null : (start + offset) * 1000)
    expect(found).toEqual(
      presence && { member: 'm1', start: instant(presence[0]) ?? 0, end: instant(presence[1]) },
    )
    expect(leftOut.switches).toBe(presence ? 0 : 1)
  })
})

function withoutOrder({ timestamp, members }: BundleSwitch) {
  return { timestamp, members: members.toSorted() }
}

function presence([member, start, end]: Front): Presence {
  return { member, start: start * HOUR, end: end === null ? null : end * HOUR }
}
