import fc from 'fast-check'
import { DAY, HOUR, type Instant, MINUTE, parseInstant, SECOND } from '../../../src/model/core/time'
import type { SwitchPoint } from '../../../src/model/insights/replay'
import type { Question } from './oracle'

/** Time zones with moments at which their UTC offset changed in an unusual way. */
export const oddMoments: [zone: string, what: string, at: string][] = [
  ['UTC', 'no change', '2024-02-29T12:00:00Z'],
  ['Europe/Berlin', 'a day of 23 hours', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', 'a day of 25 hours', '2026-10-25T01:00:00Z'],
  ['Australia/Lord_Howe', 'half an hour back', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', 'half an hour forward', '2026-10-03T15:30:00Z'],
  ['Pacific/Apia', 'a skipped day', '2011-12-30T10:00:00Z'],
  ['America/St_Johns', 'an hour repeated one minute after midnight', '2010-11-07T02:31:00Z'],
  ['America/St_Johns', 'an hour skipped one minute after midnight', '2010-03-14T03:31:00Z'],
  ['Asia/Kathmandu', 'a quarter of an hour forward', '1985-12-31T18:30:00Z'],
  ['America/Sao_Paulo', 'a skipped midnight', '2018-11-04T03:00:00Z'],
  ['America/Sao_Paulo', 'the last hour of a day repeated', '2018-02-18T02:00:00Z'],
]

const memberIds = ['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee']

/** Time between switches: from microseconds to a day and a half, including round values. */
const gap = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 * SECOND }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 36 * HOUR }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 48 }).map((halves) => halves * 30 * MINUTE) },
)

const switchGap = fc.record({ gap, members: fc.subarray(memberIds, { maxLength: 3 }) })

/** Generates a history around a moment, a span in it, and the hidden members. */
export function questionsAround(zone: string, middle: string): fc.Arbitrary<Question> {
  const odd = parseInstant(middle) ?? Number.NaN
  const near = (days: number): fc.Arbitrary<Instant> =>
    fc.oneof(
      fc.integer({ min: odd - days * DAY, max: odd + days * DAY }),
      fc.integer({ min: -days * 24, max: days * 24 }).map((hours) => odd + hours * HOUR),
    )
  return fc
    .record({
      start: fc.integer({ min: odd - 4 * DAY, max: odd + DAY }),
      gaps: fc.array(switchGap, { maxLength: 24 }),
      now: fc.oneof(fc.constant(odd + 400 * DAY), near(3)),
      ends: fc.tuple(near(3), near(3)).filter(([a, b]) => a !== b),
      at: fc.integer({ min: 0, max: 30 }),
      hidden: fc.option(fc.subarray(memberIds)),
    })
    .map(({ start, gaps, now, ends, at, hidden }) => {
      const history = historyOf(start, gaps)
      // Sometimes the span begins or ends exactly at a switch.
      const touched = history[at]?.timestamp ?? ends[0]
      const [since, until] = [touched === ends[1] ? ends[0] : touched, ends[1]].sort(
        (a, b) => a - b,
      )
      return {
        history,
        now,
        span: { since: since as Instant, until: until as Instant },
        zone,
        hidden: hidden && new Set(hidden),
      }
    })
}

function historyOf(start: Instant, gaps: { gap: number; members: string[] }[]): SwitchPoint[] {
  let timestamp = start
  return gaps.map(({ gap, members }) => {
    timestamp += gap
    return { timestamp, members }
  })
}
