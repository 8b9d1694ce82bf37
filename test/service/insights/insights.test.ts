import { anonymousViewer } from '../../../src/model/core/privacy'
import { DAY, HOUR, type Instant, MINUTE } from '../../../src/model/core/time'
import type { SwitchPoint } from '../../../src/model/insights/replay'
import type { Member } from '../../../src/model/members/member'
import {
  getCalendar,
  getHours,
  getTotals,
  listDays,
  listPairs,
  listStints,
} from '../../../src/service/insights/insights'
import { insertMember } from '../../../src/service/members/members'
import { pairsOf, type Question, stintsOf, totalsOf } from '../../model/insights/oracle'
import { insert, insertAll, rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const { deps, makeSystem } = createTestApp({ now: () => NOW })

/** Creates a system whose members take turns, except one who fronts until the last switch. */
async function makeHistory(count: number): Promise<{ of: TestSystem; history: SwitchPoint[] }> {
  const of = await makeSystem()
  const history: SwitchPoint[] = []
  const switches: { uuid: string; system_id: number; timestamp: Instant }[] = []
  const fronters: { timestamp: Instant; position: number; member_id: number }[] = []
  await deps.transact('new', async (tx) => {
    const created: Member[] = []
    for (const name of ['A', 'B', 'C', 'D']) created.push(await insertMember(tx, of.id, { name }))
    for (let at = 0; at < count; at++) {
      const timestamp = NOW - (count - at) * MINUTE
      const [constant, ...others] = created as [Member, ...Member[]]
      const changing = others.filter((_, index) => (at >> index) % 3 === 0)
      const members = at === count - 1 ? changing : [constant, ...changing]
      switches.push({ uuid: crypto.randomUUID(), system_id: of.id, timestamp })
      for (const [position, { id }] of members.entries())
        fronters.push({ timestamp, position, member_id: id })
      history.push({ timestamp, members: members.map(({ hid }) => hid) })
    }
    await insertAll(tx, 'switches', switches)
    const inserted = await rows<{ id: number; timestamp: Instant }>(
      tx,
      'select id, timestamp from switches where system_id = :system',
      { system: of.id },
    )
    const idAt = new Map(inserted.map(({ id, timestamp }) => [timestamp, id]))
    await insertAll(
      tx,
      'switch_members',
      fronters.map(({ timestamp, ...rest }) => ({ ...rest, switch_id: idAt.get(timestamp) ?? 0 })),
    )
  })
  return { of, history }
}

const month = { since: NOW - 30 * DAY, until: null }

describe('a history of several pages', () => {
  test('sums like the reference implementation and finds stints that cross the span', async () => {
    const { of, history } = await makeHistory(400)
    const span = { since: NOW - 5 * HOUR, until: NOW - 4 * HOUR }
    const question: Question = { history, now: NOW, span, zone: 'UTC', hidden: new Set() }
    const query = { ...span, before: null, limit: 1000, member: null }
    expect(await getTotals(deps, anonymousViewer, of.hid, span)).toEqual(totalsOf(question))
    expect(await listPairs(deps, anonymousViewer, of.hid, span)).toEqual(pairsOf(question))
    expect(await listStints(deps, anonymousViewer, of.hid, query)).toEqual(stintsOf(question))
  })

  test.each([
    ['a span in the middle', { since: NOW - 5 * HOUR, until: NOW - 4 * HOUR }],
    ['a span until now', { since: NOW - HOUR, until: NOW }],
  ])(
    'renders the stints of the reference implementation in the calendar of %s',
    async (_, span) => {
      const { of, history } = await makeHistory(400)
      const question: Question = { history, now: NOW, span, zone: 'UTC', hidden: new Set() }
      const text = new TextDecoder().decode(await getCalendar(deps, anonymousViewer, of.hid, span))
      const events = text.split('BEGIN:VEVENT').slice(1).map(eventOf)
      const expected = stintsOf(question).map(({ member, from, to }) => ({
        uid: `${member}-${from}@multitude`,
        start: calendarTime(from),
        end: calendarTime(to ?? NOW),
        status: to === null ? 'TENTATIVE' : 'CONFIRMED',
      }))
      expect(expected).not.toBeEmpty()
      expect(events.toSorted(byUid)).toEqual(expected.toSorted(byUid))
    },
  )

  test('reads a history of several pages on one snapshot while other requests write', async () => {
    const { of } = await makeHistory(4000)
    let begin = () => {}
    const watched: typeof deps = {
      ...deps,
      snapshot: (work) =>
        deps.snapshot(async (db) => {
          await rows(db, 'select id from systems limit 1')
          begin()
          return work(db)
        }),
    }
    const reads = [
      () => getTotals(watched, anonymousViewer, of.hid, month),
      () => listDays(deps, anonymousViewer, of.hid, { ...month, zone: 'Europe/Berlin', by: 'day' }),
      () => getHours(deps, anonymousViewer, of.hid, { ...month, zone: 'Europe/Berlin' }),
      () => listPairs(deps, anonymousViewer, of.hid, month),
      () => getCalendar(deps, anonymousViewer, of.hid, month),
    ]
    const before = await Promise.all(reads.map((read) => read()))
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const again = Promise.all(reads.map((read) => read()))
    await begun
    // Written while the reads run, so they must not see it.
    await deps.transact('new', async (tx) => {
      const timestamp = NOW - MINUTE / 2
      await insert(tx, 'switches', { uuid: crypto.randomUUID(), system_id: of.id, timestamp })
    })
    const [first] = await again
    expect(first).toEqual(before[0])
    expect(await getTotals(deps, anonymousViewer, of.hid, month)).toMatchObject({
      switches: 4001,
      nobody: 30,
    })
  })

  test('yields to the event loop while it reads a history of several pages', async () => {
    const { of } = await makeHistory(1_000)
    // Each check of the time finds that the turn is over, however fast the machine is.
    let time = 0
    const clock = { ...deps.clock, monotonic: () => (time += 1_000) }
    let turns = 0
    let isDone = false
    const counting = (async () => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve))
        turns++
      }
    })()
    await getTotals({ ...deps, clock }, anonymousViewer, of.hid, month)
    isDone = true
    await counting
    // Without yielding it would be one or two.
    expect(turns).toBeGreaterThan(2)
  })
})

function eventOf(text: string) {
  const [uid, start, end, status] = ['UID', 'DTSTART', 'DTEND', 'STATUS'].map(
    (name) => text.match(new RegExp(`^${name}:(.*)`, 'm'))?.[1] ?? '',
  )
  return { uid, start, end, status }
}

function calendarTime(at: Instant): string {
  return new Date(at / 1000).toISOString().replace(/[-:]|\.\d+/g, '')
}

function byUid(a: { uid?: string | undefined }, b: { uid?: string | undefined }): number {
  return (a.uid ?? '') < (b.uid ?? '') ? -1 : 1
}
