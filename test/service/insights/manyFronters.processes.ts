import { anonymousViewer } from '../../../src/model/core/privacy'
import { type Instant, MINUTE } from '../../../src/model/core/time'
import { daysToV2, dayToV2 } from '../../../src/serializers/fronting'
import {
  getCalendar,
  getHours,
  getTotals,
  listDays,
  listPairs,
  listStints,
} from '../../../src/service/insights/insights'
import { insertMember } from '../../../src/service/members/members'
import { outcomeOf } from '../../tools/outcomeOf'
import { execute, insertAll } from '../../tools/rawSql'
import { beforeAll, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const { deps, makeSystem } = createTestApp({ now: () => NOW })

const MEMBERS = 150

/** Number of times that all members enter and leave the front: just over 500,000 stints. */
const TIMES = 3350

/** Number of these times in the span of most tests. */
const SOME = 1000

let of: TestSystem
const full = { since: NOW - 2 * TIMES * MINUTE, until: null }
const long = { since: NOW - 2 * SOME * MINUTE, until: null }
const short = { since: NOW - 200 * MINUTE, until: null }

/** All members enter the front every other minute and leave it in the next one. */
beforeAll(async () => {
  of = await makeSystem()
  await deps.transact(
    'new',
    async (tx) => {
      for (let at = 0; at < MEMBERS; at++) await insertMember(tx, of.id, { name: `Member ${at}` })
      const switches = Array.from({ length: 2 * TIMES }, (_, at) => ({
        uuid: `${at % 2 === 0 ? 'anonymous' : 'everybody'}-${at}`,
        system_id: of.id,
        timestamp: NOW - (at + 1) * MINUTE,
      }))
      await insertAll(tx, 'switches', switches)
      await execute(
        tx,
        `insert into switch_members (switch_id, position, member_id)
         select s.id, m.id, m.id from switches s join members m on m.system_id = s.system_id
         where s.system_id = :system and s.uuid like 'everybody-%'`,
        { system: of.id },
      )
    },
    'long',
  )
})

/** Counts the turns of the event loop during the work. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      turns++
    }
  })()
  await work()
  isDone = true
  await counting
  return turns
}

describe('a history with 150 fronters at a time', () => {
  test('sums pairs of 150 fronters by time and count, and yields to the event loop', async () => {
    let pairs: Awaited<ReturnType<typeof listPairs>> = []
    const turns = await countTurns(async () => {
      pairs = await listPairs(deps, anonymousViewer, of.hid, long)
    })
    expect(pairs).toHaveLength(50)
    for (const { time, times } of pairs)
      expect({ time, times }).toEqual({ time: SOME * 60, times: SOME })
    // Without yielding it would be one or two.
    expect(turns).toBeGreaterThan(10)
  })

  test('sums days and hours of 150 fronters and serializes day by day', async () => {
    const query = { ...long, zone: 'UTC' }
    const list = () => listDays(deps, anonymousViewer, of.hid, { ...query, by: 'day' })
    const days = await Array.fromAsync(await list())
    expect(days).toHaveLength(2)
    expect(days[1]?.members).toHaveLength(MEMBERS)
    expect(new Set(days[1]?.members.map(([, seconds]) => seconds))).toEqual(new Set([12 * 3600]))
    const json = await daysToV2(await list())
    expect(JSON.parse(json)).toEqual(days.map(dayToV2))
    const { members } = await getHours(deps, anonymousViewer, of.hid, query)
    expect(members).toHaveLength(MEMBERS)
  })

  test('lists the newest stints of 150 fronters', async () => {
    const query = { ...long, before: null, limit: 100, member: null }
    expect(await listStints(deps, anonymousViewer, of.hid, query)).toHaveLength(MEMBERS)
  })

  test('refuses totals of more than 500,000 stints and sums those of a shorter span', async () => {
    expect(await outcomeOf(getTotals(deps, anonymousViewer, of.hid, full))).toThrow(
      'there are more than 500000 stints; ask for a shorter span',
    )
    const { members } = await getTotals(deps, anonymousViewer, of.hid, short)
    expect(members).toHaveLength(MEMBERS)
    expect(members[0]).toMatchObject({ stints: 100, median: 60 })
  })

  test('refuses a calendar of more than 50 MB and renders one of a shorter span', async () => {
    expect(await outcomeOf(getCalendar(deps, anonymousViewer, of.hid, full))).toThrow(
      'the calendar has more than 50000000 bytes; ask for a shorter span',
    )
    const text = new TextDecoder().decode(await getCalendar(deps, anonymousViewer, of.hid, short))
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(100 * MEMBERS)
  })
})
