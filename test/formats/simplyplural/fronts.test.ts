import fc from 'fast-check'
import type { BundleSwitch } from '../../../src/formats/bundle'
import { type Presence, presencesOf } from '../../../src/formats/frontHistory'
import { ImportLog } from '../../../src/formats/importLog'
import { readFile } from '../../../src/formats/read'
import { toSwitches } from '../../../src/formats/simplyplural/fronts'
import { HOUR } from '../../../src/model/core/time'
import { describe, expect, test } from '../../tools/test'

type Front = [member: string, start: number, end: number | null]
type Change = [hour: number, ...members: string[]]

const scenarios: [what: string, fronts: Front[], switches: Change[]][] = [
  ['no fronts as no switches', [], []],
  [
    'overlaps as co-fronting, gaps as empty switches, and open rows as ongoing',
    [
      ['Wren', 9, 11],
      ['Ash', 10, 12],
      ['Wren', 14, null],
    ],
    [[9, 'Wren'], [10, 'Wren', 'Ash'], [11, 'Ash'], [12], [14, 'Wren']],
  ],
  [
    'rows in any order with the earliest fronter first',
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
    'adjacent rows without a gap',
    [
      ['Wren', 9, 10],
      ['Ash', 10, 11],
    ],
    [[9, 'Wren'], [10, 'Ash'], [11]],
  ],
  [
    'adjacent rows of one member as one presence',
    [
      ['Wren', 9, 10],
      ['Wren', 10, 11],
    ],
    [[9, 'Wren'], [11]],
  ],
  [
    'overlapping rows of one member as one presence',
    [
      ['Wren', 9, 11],
      ['Wren', 10, 12],
      ['Ash', 10, 11],
    ],
    [[9, 'Wren'], [10, 'Wren', 'Ash'], [11, 'Wren'], [12]],
  ],
  [
    'duplicate rows once',
    [
      ['Wren', 9, 11],
      ['Wren', 9, 11],
    ],
    [[9, 'Wren'], [11]],
  ],
]

describe('toSwitches', () => {
  test.each(scenarios)('converts %s', (_, fronts, switches) => {
    expect(toSwitches(fronts.map(presence), new ImportLog())).toEqual(
      switches.map(([hour, ...members]) => ({ timestamp: hour * HOUR, members })),
    )
  })

  test('converts random presences to switches with the same fronters at every instant', async () => {
    const row = fc
      .record({
        member: fc.constantFrom('a', 'b', 'c'),
        start: fc.integer({ min: 1, max: 20 }),
        duration: fc.option(fc.integer({ min: 1, max: 10 })),
      })
      .map(
        ({ member, start, duration }): Presence => ({
          member,
          start,
          end: duration === null ? null : start + duration,
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

  test('limits switches to 150 fronters and reports it once', () => {
    const log = new ImportLog()
    const rows = Array.from({ length: 200 }, (_, n) => presence([`${n}`, n + 1, null]))
    expect(toSwitches(rows, log).at(-1)?.members).toHaveLength(150)
    expect(log.result().repairs).toMatchObject([{ field: 'members', was: 200, now: 150 }])
  })

  test('keeps the newest 100,000 switches', () => {
    const log = new ImportLog()
    const rows = Array.from({ length: 50_001 }, (_, n) => presence(['Wren', 2 * n + 1, 2 * n + 2]))
    const switches = toSwitches(rows, log)
    expect(switches).toHaveLength(100_000)
    expect(switches.at(-1)).toEqual({ timestamp: 100_002 * HOUR, members: [] })
    expect(log.result().repairs).toMatchObject([{ field: 'switches', was: 100_002 }])
  })
})

describe('front history of Simply Plural', () => {
  const start = 1767258000000
  const rows: [what: string, row: object, presence: [number, number | null] | null][] = [
    ['imports a closed front', { startTime: start, endTime: start + 5 }, [0, 5]],
    ['ignores the end of a live front', { startTime: start, endTime: 1, live: true }, [0, null]],
    ['imports a front without an end as open', { startTime: start }, [0, null]],
    [
      'imports a front whose end is null as open',
      { startTime: start, endTime: null, live: false },
      [0, null],
    ],
    ['swaps start and end of a reversed front', { startTime: start, endTime: start - 5 }, [-5, 0]],
    ['drops a front without duration', { startTime: start, endTime: start }, null],
    ['drops a front without a start', { endTime: start }, null],
    ['drops a front with an invalid start', { startTime: 'x', live: true }, null],
    ['drops a front with an invalid end', { startTime: start, endTime: 'x' }, null],
    ['drops a front of an unknown member', { member: 'unknown', startTime: start }, null],
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
