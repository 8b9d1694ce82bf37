import { compareClocks } from '../../src/dashboard/offline/clocks'
import { isExpired } from '../../src/dashboard/offline/copyExpiry'
import {
  type Answer,
  decideOutcome,
  isSendable,
  isShortWait,
  type Outcome,
  pauseAfter,
  type QueuedSwitch,
} from '../../src/dashboard/offline/queue'
import { DAY, SECOND } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'

const waiting: QueuedSwitch = {
  order: 1,
  uuid: '2f1a0000-0000-4000-8000-000000006f90',
  system: '5a0f0000-0000-4000-8000-000000002b01',
  kind: 'put',
  members: [],
  statuses: [],
  timestamp: 0,
  isTried: false,
  moves: 0,
  leftOut: 0,
  problem: null,
}

const answered = (status: number, code = 0, retryAfterMs = 0): Answer => ({
  status,
  code,
  message: 'why',
  retryAfterMs,
})

const later = (afterMs = 0, isThrottled = false): Outcome => ({
  is: 'later',
  afterMs,
  isThrottled,
})

const refused = (status: number, code = 0): Outcome => ({
  is: 'refused',
  problem: { status, code, message: 'why' },
})

describe('the table of responses', () => {
  test.each<[response: string, answer: Answer, outcome: Outcome]>([
    ['201', answered(201), { is: 'done' }],
    ['200', answered(200), { is: 'done' }],
    ['410', answered(410), { is: 'done' }],
    ['40005', answered(400, 40005), { is: 'moved' }],
    ['409', answered(409), { is: 'taken' }],
    ['20003', answered(404, 20003), { is: 'membersGone' }],
    ['30008', answered(403, 30008), { is: 'membersGone' }],
    ['401', answered(401), { is: 'loggedOut' }],
    ['429', answered(429, 0, 700), later(700, true)],
    ['503', answered(503), later()],
    ['500', answered(500), later()],
    ['502', answered(502), later()],
    ['no response', null, later()],
    ['40001', answered(400, 40001), refused(400, 40001)],
    ['40003', answered(400, 40003), refused(400, 40003)],
    ['another 403', answered(403), refused(403)],
    ['another 404', answered(404), refused(404)],
  ])('decides what happens to a switch after %s', (_, answer, outcome) => {
    expect(decideOutcome(waiting, answer)).toEqual(outcome)
  })

  test.each<[response: string, answer: Answer, outcome: Outcome]>([
    ['204', answered(204), { is: 'done' }],
    ['401', answered(401), { is: 'loggedOut' }],
    ['429', answered(429, 0, 700), later(700, true)],
    ['503', answered(503), later()],
    ['no response', null, later()],
    ['200, which is not the answer to a deletion', answered(200), refused(200)],
    ['40006', answered(400, 40006), refused(400, 40006)],
  ])('decides what happens to an undone switch after %s', (_, answer, outcome) => {
    expect(decideOutcome({ ...waiting, kind: 'delete' }, answer)).toEqual(outcome)
  })

  test('moves a switch at most ten times', () => {
    const moves = Array.from({ length: 12 }, (_, count) => count).filter(
      (count) => decideOutcome({ ...waiting, moves: count }, answered(400, 40005)).is === 'moved',
    )
    expect(moves).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

test.each<[string, Outcome, waits: number, expected: boolean]>([
  ['waits for a server that takes the next switch soon', later(333, true), 0, true],
  ['waits several times', later(2000, true), 4, true],
  ['pauses after many waits without a switch between them', later(333, true), 5, false],
  ['pauses for a server that asks for a long wait', later(2001, true), 0, false],
  ['pauses for a server that cannot write', later(333), 0, false],
  ['does not wait after a switch that was sent', { is: 'done' }, 0, false],
])('isShortWait %s', (_, outcome, waits, expected) => {
  expect(isShortWait(outcome, waits)).toBe(expected)
})

test('isSendable leaves out refused switches and those that are sent', () => {
  const problem = { status: 400, code: 0, message: '' }
  expect(isSendable(waiting)).toBe(true)
  expect(isSendable({ ...waiting, kind: 'delete' })).toBe(true)
  expect(isSendable({ ...waiting, problem })).toBe(false)
  expect(isSendable({ ...waiting, kind: 'sent' })).toBe(false)
})

test('pauseAfter grows like the pauses of the event stream', () => {
  expect([1, 2, 3, 4, 5, 6, 40].map(pauseAfter)).toEqual([
    1000, 2000, 5000, 15_000, 30_000, 30_000, 30_000,
  ])
})

describe('compareClocks', () => {
  const date = 'Thu, 01 Jan 2026 10:00:00 GMT'
  const at = Date.parse(date) * 1000

  test.each<[string, string | null, number, number, number | null]>([
    ['an equal clock', date, at, at, 0],
    ['a clock within the second of the header', date, at + SECOND - 1, at + SECOND - 1, 0],
    ['an answer that was on its way for long', date, at - 20 * SECOND, at + SECOND, 0],
    ['a clock that is behind', date, at - 3 * SECOND, at - 2 * SECOND, 2 * SECOND],
    ['a clock that is ahead', date, at + 5 * SECOND, at + 6 * SECOND, -4 * SECOND],
    ['no header', null, at, at, null],
    ['a header that is no date', 'soon', at, at, null],
  ])('returns the difference for %s', (_, header, sent, received, difference) => {
    expect(compareClocks(header, sent, received)).toBe(difference)
  })
})

describe('isExpired', () => {
  test.each([
    ['after 14 days', 14 * DAY, 0, false],
    ['after more than 14 days', 14 * DAY + 1, 0, true],
    ['by the server’s clock on a device that is ahead', 20 * DAY, -10 * DAY, false],
    ['by the server’s clock on a device that is behind', 5 * DAY, 10 * DAY, true],
  ])('decides %s', (_, deviceTime, clockOffset, expected) => {
    expect(isExpired({ lastContact: 0, clockOffset }, deviceTime)).toBe(expected)
  })
})
