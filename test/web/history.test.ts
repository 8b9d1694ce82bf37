import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../src/model/time'
import {
  compareHistories,
  insertSwitch,
  lastHere,
  likelyFronters,
  mergeNewestPage,
  mergeSwitches,
  piecesOf,
  piecesOfOne,
  type Switch,
  sinceWhen,
  switchAt,
  weighTime,
} from '../../src/web/app/history'

const at = (hour: number, ...members: string[]): Switch => ({
  id: `s${hour}`,
  timestamp: hour * HOUR,
  members,
})

/** Newest first. */
const day = [at(11, 'wren', 'iris'), at(9, 'wren', 'atlas'), at(7, 'wren'), at(0, 'juno')]

describe('who is here', () => {
  test('has been since they came, whoever joined or left in between', () => {
    expect([...sinceWhen(day)]).toEqual([
      ['wren', 7 * HOUR],
      ['iris', 11 * HOUR],
    ])
  })

  test('was last when somebody else took over', () => {
    expect(Object.fromEntries(lastHere(day))).toEqual({
      wren: null,
      iris: null,
      atlas: 11 * HOUR,
      juno: 7 * HOUR,
    })
  })

  test('at a moment is told by the switch before it', () => {
    expect(switchAt(day, 8 * HOUR)?.members).toEqual(['wren'])
    expect(switchAt(day, 7 * HOUR)?.members).toEqual(['wren'])
    expect(switchAt(day, -1)).toBeNull()
  })
})

describe('the likely ones', () => {
  const people = ['wren', 'iris', 'juno', 'moss'].map((id) => ({ id, uuid: `u-${id}` }))

  test('are the pinned, then those with more time here, without who is here', () => {
    const weights = weighTime(day, 12 * HOUR)
    expect(likelyFronters(people, ['u-moss'], weights, ['wren'], 8)).toEqual([
      'moss',
      'juno',
      'iris',
    ])
    expect(likelyFronters(people, [], weights, [], 2)).toEqual(['juno', 'wren'])
  })

  test('an hour of a week ago counts half of one now', () => {
    const now = 30 * DAY
    const weights = weighTime(
      [
        { id: 'd', timestamp: now - MINUTE, members: ['new'] },
        { id: 'c', timestamp: now - 7 * DAY, members: [] },
        { id: 'b', timestamp: now - 7 * DAY - MINUTE, members: ['old'] },
      ],
      now,
    )
    expect((weights.get('old') ?? 0) / (weights.get('new') ?? 1)).toBeCloseTo(0.5, 6)
  })
})

describe('what is known of the history', () => {
  test('is what the newest page says of its span, and what is older', () => {
    const page = [at(12, 'moss'), at(9, 'wren', 'atlas')]
    const known = mergeNewestPage(day, page, false)
    expect(known.map(({ id }) => id)).toEqual(['s12', 's9', 's7', 's0'])
    expect(mergeNewestPage(day, page, true)).toEqual(page)
    expect(mergeNewestPage(day, [], true)).toEqual([])
  })

  test('has no holes: one from before what is known is left for later', () => {
    const old = at(-50, 'moss')
    expect(insertSwitch(day, old, true)).toEqual(day)
    expect(insertSwitch(day, old, false).at(-1)).toBe(old)
    const moved = { ...at(9, 'wren', 'atlas'), timestamp: -50 * HOUR }
    expect(insertSwitch(day, moved, true).map(({ id }) => id)).toEqual(['s11', 's7', 's0'])
  })
})

describe('a day as it is drawn', () => {
  test('has a piece for each switch, cut at its ends, and none after now', () => {
    const pieces = piecesOf(day, { start: 6 * HOUR, end: 30 * HOUR }, 12 * HOUR)
    expect(pieces.map(({ from, to, members }) => [from / HOUR, to / HOUR, ...members])).toEqual([
      [6, 7, 'juno'],
      [7, 9, 'wren'],
      [9, 11, 'wren', 'atlas'],
      [11, 12, 'wren', 'iris'],
    ])
  })

  test('has nothing where nobody was', () => {
    const pieces = piecesOf([at(5), at(2, 'wren')], { start: 0, end: DAY }, 9 * HOUR)
    expect(pieces.map(({ from, to }) => [from / HOUR, to / HOUR])).toEqual([[2, 5]])
  })
})

describe('what a change does', () => {
  test('moving a switch past its neighbour is told for all it touches', () => {
    const moved = mergeSwitches(day, [
      { id: 's9', timestamp: 6 * HOUR, members: ['wren', 'atlas'] },
    ])
    expect(compareHistories(day, moved)).toEqual([
      { from: 6 * HOUR, to: 7 * HOUR, before: ['juno'], after: ['wren', 'atlas'] },
      { from: 9 * HOUR, to: 11 * HOUR, before: ['wren', 'atlas'], after: ['wren'] },
    ])
  })

  test('deleting the latest gives the front back to the one before', () => {
    expect(compareHistories(day, day.slice(1))).toEqual([
      { from: 11 * HOUR, to: null, before: ['wren', 'iris'], after: ['wren', 'atlas'] },
    ])
  })

  const history = fc
    .uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 12 })
    .chain((hours) =>
      fc.tuple(
        ...hours.map((hour) => fc.subarray(['a', 'b', 'c']).map((members) => at(hour, ...members))),
      ),
    )
    .map((list) => mergeSwitches([], list))

  test('is exactly where the two differ, hour by hour', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const effects = compareHistories(before, after)
        for (let hour = 0; hour < 60; hour++) {
          const moment = hour * HOUR
          const told = effects.find(
            ({ from, to }) => from <= moment && (to === null || moment < to),
          )
          const [was, is] = [before, after].map(
            (list) => switchAt(list, moment)?.members.toSorted().join() ?? null,
          )
          expect(told === undefined).toBe(was === is)
          if (told) expect(told.after?.toSorted().join() ?? null).toBe(is ?? null)
        }
      }),
    )
  })
})

test('the times of one alone are not broken by who comes and goes beside them', () => {
  const pieces = [
    { from: 0, to: 10, members: ['a'] },
    { from: 10, to: 20, members: ['a', 'b'] },
    { from: 20, to: 30, members: ['b'] },
    { from: 40, to: 50, members: ['a'] },
  ].map((piece) => ({ ...piece, switch: { id: '', timestamp: 0, members: [] } }))
  expect(piecesOfOne(pieces, 'a').map(({ from, to }) => [from, to])).toEqual([
    [0, 20],
    [40, 50],
  ])
})
