import fc from 'fast-check'
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
} from '../../src/dashboard/core/history'
import { DAY, HOUR, MINUTE } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'

const at = (hour: number, ...members: string[]): Switch => ({
  id: `s${hour}`,
  timestamp: hour * HOUR,
  members,
})

/** Newest first. */
const day = [at(11, 'wren', 'iris'), at(9, 'wren', 'atlas'), at(7, 'wren'), at(0, 'juno')]

describe('the fronters', () => {
  test('sinceWhen returns the start of each current stint, whoever joined or left meanwhile', () => {
    expect([...sinceWhen(day)]).toEqual([
      ['wren', 7 * HOUR],
      ['iris', 11 * HOUR],
    ])
  })

  test('lastHere returns when the next switch replaced a member', () => {
    expect(Object.fromEntries(lastHere(day))).toEqual({
      wren: null,
      iris: null,
      atlas: 11 * HOUR,
      juno: 7 * HOUR,
    })
  })

  test('switchAt returns the last switch before a time', () => {
    expect(switchAt(day, 8 * HOUR)?.members).toEqual(['wren'])
    expect(switchAt(day, 7 * HOUR)?.members).toEqual(['wren'])
    expect(switchAt(day, -1)).toBeNull()
  })
})

describe('likelyFronters', () => {
  const people = ['wren', 'iris', 'juno', 'moss'].map((id) => ({ id, uuid: `u-${id}` }))

  test('likelyFronters lists pinned members, then others by weighted time, without current fronters', () => {
    const weights = weighTime(day, 12 * HOUR)
    expect(likelyFronters(people, ['u-moss'], weights, ['wren'], 8)).toEqual([
      'moss',
      'juno',
      'iris',
    ])
    expect(likelyFronters(people, [], weights, [], 2)).toEqual(['juno', 'wren'])
  })

  test('weighTime counts an hour a week ago half as much as one now', () => {
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

describe('merging of loaded switches', () => {
  test('mergeNewestPage replaces the span of the page and keeps older switches', () => {
    const page = [at(12, 'moss'), at(9, 'wren', 'atlas')]
    const known = mergeNewestPage(day, page, false)
    expect(known.map(({ id }) => id)).toEqual(['s12', 's9', 's7', 's0'])
    expect(mergeNewestPage(day, page, true)).toEqual(page)
    expect(mergeNewestPage(day, [], true)).toEqual([])
  })

  test('insertSwitch leaves no gap: a switch older than the loaded ones is dropped', () => {
    const old = at(-50, 'moss')
    expect(insertSwitch(day, old, true)).toEqual(day)
    expect(insertSwitch(day, old, false).at(-1)).toBe(old)
    const moved = { ...at(9, 'wren', 'atlas'), timestamp: -50 * HOUR }
    expect(insertSwitch(day, moved, true).map(({ id }) => id)).toEqual(['s11', 's7', 's0'])
  })
})

describe('piecesOf', () => {
  test('piecesOf returns a piece per switch, cut at both ends of the day and at now', () => {
    const pieces = piecesOf(day, { start: 6 * HOUR, end: 30 * HOUR }, 12 * HOUR)
    expect(pieces.map(({ from, to, members }) => [from / HOUR, to / HOUR, ...members])).toEqual([
      [6, 7, 'juno'],
      [7, 9, 'wren'],
      [9, 11, 'wren', 'atlas'],
      [11, 12, 'wren', 'iris'],
    ])
  })

  test('piecesOf returns no piece while nobody fronts', () => {
    const pieces = piecesOf([at(5), at(2, 'wren')], { start: 0, end: DAY }, 9 * HOUR)
    expect(pieces.map(({ from, to }) => [from / HOUR, to / HOUR])).toEqual([[2, 5]])
  })
})

describe('compareHistories', () => {
  test('compareHistories lists all affected spans when a switch moves past its neighbour', () => {
    const moved = mergeSwitches(day, [
      { id: 's9', timestamp: 6 * HOUR, members: ['wren', 'atlas'] },
    ])
    expect(compareHistories(day, moved)).toEqual([
      { from: 6 * HOUR, to: 7 * HOUR, before: ['juno'], after: ['wren', 'atlas'] },
      { from: 9 * HOUR, to: 11 * HOUR, before: ['wren', 'atlas'], after: ['wren'] },
    ])
  })

  test('compareHistories restores the previous fronters when the latest switch is deleted', () => {
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

  test('compareHistories returns exactly the hours in which two histories differ', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const effects = compareHistories(before, after)
        for (let hour = 0; hour < 60; hour++) {
          const moment = hour * HOUR
          const effect = effects.find(
            ({ from, to }) => from <= moment && (to === null || moment < to),
          )
          const [was, is] = [before, after].map(
            (list) => switchAt(list, moment)?.members.toSorted().join() ?? null,
          )
          expect(effect === undefined).toBe(was === is)
          if (effect) expect(effect.after?.toSorted().join() ?? null).toBe(is ?? null)
        }
      }),
    )
  })
})

test('piecesOfOne joins adjacent pieces in which only co-fronters change', () => {
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
