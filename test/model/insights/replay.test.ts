import fc from 'fast-check'
import { DAY, HOUR, type Instant, parseInstant, SECOND } from '../../../src/model/core/time'
import {
  BUCKET_MARGIN,
  findBuckets,
  isTooLong,
  periods,
} from '../../../src/model/insights/calendar'
import { sumDays } from '../../../src/model/insights/days'
import { Sum } from '../../../src/model/insights/exactSum'
import { sumHours } from '../../../src/model/insights/hours'
import { Lengths } from '../../../src/model/insights/median'
import { MAX_PAIRS, sumPairs } from '../../../src/model/insights/pairs'
import {
  createLookback,
  createReplay,
  type ReplayListener,
  type Span,
  type SwitchPoint,
} from '../../../src/model/insights/replay'
import { collectStints, newestFirst } from '../../../src/model/insights/stints'
import { findOffsets, type Offset } from '../../../src/model/insights/timeZone'
import { sumTotals } from '../../../src/model/insights/totals'
import { rounds } from '../../tools/rounds'
import { describe, expect, test } from '../../tools/test'
import { oddMoments, questionsAround } from './generatedHistories'
import { daysOf, hoursOf, pairsOf, type Question, stintsOf, totalsOf } from './oracle'

const RUNS = { numRuns: rounds(12) }

describe.each(oddMoments)('random histories in %s around %s', (zone, what, odd) => {
  const questions = questionsAround(zone, odd)
  const holds = (claim: (question: Question) => void) =>
    fc.assert(fc.property(questions, claim), RUNS)

  test(`sums totals like the oracle in ${zone} around ${what}`, () => {
    holds((question) => {
      const sums = sumTotals(question.span, hidesOf(question))
      replayQuestion(question, sums)
      expect(sums.totals()).toEqual(totalsOf(question))
    })
  })

  test.each(periods.map((by) => [by]))(
    `sums each %s like the oracle in ${zone} around ${what}`,
    (by) => {
      holds((question) => {
        const reach = {
          since: question.span.since - BUCKET_MARGIN,
          until: question.span.until + BUCKET_MARGIN,
        }
        const buckets = findBuckets(offsetsOf(zone, reach), by, question.span, 400) ?? []
        const sums = sumDays(buckets, hidesOf(question))
        replayQuestion(question, sums)
        expect([...sums.days()]).toEqual(daysOf(question, by))
      })
    },
  )

  test(`sums hours like the oracle in ${zone} around ${what}`, () => {
    const shortQuestions = questions.map((question) => ({
      ...question,
      span: shorten(question.span),
    }))
    fc.assert(
      fc.property(shortQuestions, (question) => {
        const sums = sumHours(offsetsOf(zone, question.span), hidesOf(question))
        replayQuestion(question, sums)
        expect(sums.hours()).toEqual(hoursOf(question))
      }),
      { numRuns: rounds(4) },
    )
  })

  test(`sums pairs like the oracle in ${zone} around ${what}`, () => {
    holds((question) => {
      const sums = sumPairs(hidesOf(question))
      replayQuestion(question, sums)
      expect(finish(sums.pairs())).toEqual(pairsOf(question))
    })
  })

  test(`collects unclipped stints like the oracle in ${zone} around ${what}`, () => {
    holds((question) => {
      const { now, span, history, hidden } = question
      const isListed = (member: string) => !hidden?.has(member)
      const stints = collectStints({
        before: Math.min(span.until, now),
        limit: Infinity,
        isListed,
      })
      const lookback = createLookback(isListed)
      for (const point of history.toReversed())
        if (point.timestamp <= Math.min(span.since, now) && !lookback.step(point)) break
      const replaySpan = { since: span.since, until: now + 1 }
      const replay = createReplay(replaySpan, [stints], lookback.began)
      if (span.since < now) for (const point of history) replay.step(point)
      replay.finish()
      expect(newestFirst(stints.stints())).toEqual(stintsOf(question))
    })
  })
})

describe('createReplay', () => {
  const reported: string[] = []
  const listener: ReplayListener = {
    switched: (at) => reported.push(`switch ${at}`),
    began: (member, at) => reported.push(`${member} from ${at}`),
    ended: (member, from, to, isOpen) =>
      reported.push(`${member} ${from}-${to}${isOpen ? '…' : ''}`),
    passedEmpty: (from, to) => reported.push(`nobody ${from}-${to}`),
  }
  const replayOver = (span: Span, ...points: [Instant, ...string[]][]) => {
    reported.length = 0
    const replay = createReplay(span, [listener])
    for (const [timestamp, ...members] of points) replay.step({ timestamp, members })
    replay.finish()
    return reported
  }

  test('continues the stint of a member that a switch keeps', () => {
    expect(replayOver({ since: 0, until: 9 }, [2, 'a'], [4, 'a', 'b'], [6])).toEqual([
      'switch 2',
      'a from 2',
      'switch 4',
      'b from 4',
      'switch 6',
      'a 2-6',
      'b 4-6',
      'nobody 6-9',
    ])
  })

  test('ends only the stints of members that leave, among many fronters', () => {
    const many = Array.from({ length: 20 }, (_, at) => `m${at}`)
    const ends = replayOver({ since: 0, until: 9 }, [2, ...many], [4, ...many.slice(0, -1)], [6])
      .filter((one) => one.includes('-') && one.startsWith('m'))
      .sort()
    expect(ends).toEqual([...many.slice(0, -1).map((one) => `${one} 2-6`), 'm19 2-4'].sort())
  })

  test('clips stints at the beginning of the span, and counts a duplicate member once', () => {
    expect(replayOver({ since: 5, until: 9 }, [1, 'b'], [3, 'a', 'a'], [12, 'c'])).toEqual([
      'a from 5',
      'a 5-9…',
    ])
  })

  test('counts a switch at the beginning of the span, but not one at its end', () => {
    expect(replayOver({ since: 5, until: 9 }, [1, 'b'], [5, 'a'], [9, 'c'])).toEqual([
      'switch 5',
      'a from 5',
      'a 5-9…',
    ])
  })

  test('reports nothing before the first switch or for an empty span', () => {
    expect(replayOver({ since: 0, until: 9 })).toEqual([])
    expect(replayOver({ since: 9, until: 9 }, [1, 'a'])).toEqual([])
  })
})

describe('sums', () => {
  test('adds up times exactly beyond the safe integers', () => {
    const [from, to] = [parse('1700-01-01T00:00:00.000001Z'), parse('2026-01-01T00:00:00.999999Z')]
    const sum = new Sum()
    for (let at = 0; at < 1000; at++) sum.add(from, to)
    const exact = ((BigInt(to) - BigInt(from)) * 1000n) / BigInt(SECOND)
    expect(sum.seconds).toBe(Number(exact))
  })

  test('finds the same median as sorting', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 60 }), (values) => {
        const lengths = new Lengths()
        for (const value of values) lengths.push(value)
        const sorted = values.toSorted((a, b) => a - b)
        const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
        expect(lengths.median()).toBe((low + high) / 2)
      }),
    )
  })

  test('splits a stint of more than a week by hour and weekday', () => {
    const sums = sumHours([{ from: -Infinity, ahead: 0 }], null)
    const [monday, nextTuesday] = [parse('2026-01-05T00:00:00Z'), parse('2026-01-13T00:00:00Z')]
    const replay = createReplay({ since: monday, until: nextTuesday }, [sums])
    replay.step({ timestamp: monday, members: ['a'] })
    replay.finish()
    const day = (seconds: number) => Array.from({ length: 24 }, () => seconds)
    expect(sums.hours()).toEqual({
      members: [['a', day(8 * 3600)]],
      weekdays: [day(2 * 3600), ...Array.from({ length: 6 }, () => day(3600))],
    })
  })

  test('keeps the longest of many pairs', () => {
    const names = Array.from({ length: 30 }, (_, at) => `m${String(at).padStart(4, '0')}`)
    const pairs = sumPairs(null)
    const lengths = new Map<string, number>()
    let at = 0
    const replay = createReplay({ since: 0, until: 1e15 }, [pairs])
    for (const [index, a] of names.entries())
      for (const b of names.slice(index + 1)) {
        const length = ((at * 7919) % 433) * SECOND
        replay.step({ timestamp: at, members: [b, a] })
        at += length + 1
        replay.step({ timestamp: at, members: [] })
        at += 1
        lengths.set(`${a} ${b}`, length / SECOND)
      }
    replay.finish()
    const best = [...lengths].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    expect(finish(pairs.pairs()).map(({ members, time }) => [members.join(' '), time])).toEqual(
      best.slice(0, MAX_PAIRS),
    )
  })
})

describe('collectStints', () => {
  test('keeps the newest stints up to the limit, with all that started together', () => {
    const stints = collectStints({ before: Infinity, limit: 3, isListed: () => true })
    const replay = createReplay({ since: 0, until: 1e6 }, [stints])
    // Far more than the list keeps in between.
    for (let at = 1; at <= 3000; at++)
      replay.step({ timestamp: at, members: at % 2 ? ['a', 'b'] : [] })
    replay.finish()
    expect(stints.stints()).toEqual([
      { member: 'a', from: 2997, to: 2998 },
      { member: 'b', from: 2997, to: 2998 },
      { member: 'a', from: 2999, to: 3000 },
      { member: 'b', from: 2999, to: 3000 },
    ])
  })
})

describe('findBuckets', () => {
  const bucketsAt = (zone: string, since: string, until: string) => {
    const span = { since: parse(since), until: parse(until) }
    const reach = { since: span.since - BUCKET_MARGIN, until: span.until + BUCKET_MARGIN }
    return findBuckets(offsetsOf(zone, reach), 'day', span, 400) ?? []
  }
  const hoursIn = (zone: string, since: string, until: string) =>
    bucketsAt(zone, since, until).map(({ start, end }) => (end - start) / HOUR)

  const days: [zone: string, since: string, until: string, hours: number[]][] = [
    ['Europe/Berlin', '2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z', [24, 23, 24]],
    ['Europe/Berlin', '2026-10-24T00:00:00Z', '2026-10-26T00:00:00Z', [24, 25, 24]],
    ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', '2026-04-05T12:00:00Z', [24, 24.5]],
    ['Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-30T12:00:00Z', [24, 24]],
    ['America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-05T12:00:00Z', [24, 23, 24]],
  ]

  test.each(days)(
    'splits days in %s from %s until %s into %j hours',
    (zone, since, until, hours) => {
      expect(hoursIn(zone, since, until)).toEqual(hours)
    },
  )

  test('returns null for more buckets than allowed', () => {
    const span = { since: 0, until: 400 * DAY }
    expect(findBuckets([{ from: -Infinity, ahead: 0 }], 'day', span, 400)).toHaveLength(400)
    const longer = { since: 0, until: 400 * DAY + 1 }
    expect(findBuckets([{ from: -Infinity, ahead: 0 }], 'day', longer, 400)).toBeNull()
    expect(isTooLong({ since: 0, until: 1000 * DAY }, 'day', 400)).toBe(true)
    expect(isTooLong(span, 'day', 400)).toBe(false)
  })

  test('finds every change of the UTC offset in a zone', () => {
    const span = { since: parse('1999-06-01T00:00:00Z'), until: parse('2020-01-01T00:00:00Z') }
    for (const zone of [...new Set(oddMoments.map(([name]) => name)), 'America/Noronha']) {
      const changes = offsetsOf(zone, span).slice(1)
      expect(changes).toEqual(changesOf(zone, span))
    }
  })
})

function changesOf(zone: string, { since, until }: Span): Offset[] {
  const changes: Offset[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(since / 1000).toZonedDateTimeISO(zone)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds * 1000 >= until) return changes
    if (next.offsetNanoseconds !== at.offsetNanoseconds)
      changes.push({ from: next.epochMilliseconds * 1000, ahead: next.offsetNanoseconds / 1000 })
    at = next
  }
}

function replayQuestion({ history, span, now }: Question, listener: ReplayListener): void {
  const replay = createReplay({ since: span.since, until: Math.min(span.until, now) }, [listener])
  for (const point of history satisfies readonly SwitchPoint[]) replay.step(point)
  replay.finish()
}

function hidesOf({ hidden }: Question) {
  return hidden && ((member: string) => hidden.has(member))
}

/** Shortens a span, because the oracle checks every minute. */
function shorten({ since, until }: Span): Span {
  return { since, until: Math.min(until, since + 2 * DAY) }
}

function offsetsOf(zone: string, span: Span): Offset[] {
  return finish(findOffsets(zone, span))
}

function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

function parse(time: string): Instant {
  return parseInstant(time) ?? Number.NaN
}
