import { beforeAll, describe, expect, test } from 'bun:test'
import { anonymousViewer } from '../../../src/model/privacy'
import { type Instant, MINUTE } from '../../../src/model/time'
import { daysToV2, dayToV2 } from '../../../src/serializers/fronting'
import {
  getCalendar,
  getHours,
  getTotals,
  listDays,
  listPairs,
  listStints,
} from '../../../src/service/fronting/fronting'
import { insertMember } from '../../../src/service/members'
import { change, insertAll } from '../../rawSql'
import { createTestApp, type TestSystem } from '../../testApp'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const { deps, makeSystem } = createTestApp({ now: () => NOW })

const MEMBERS = 150

/** Times that all of them come and go: a little more than half a million stints. */
const TIMES = 3350

/** How many of these most of the questions are about. */
const SOME = 1000

let of: TestSystem
const whole = { since: NOW - 2 * TIMES * MINUTE, until: null }
const long = { since: NOW - 2 * SOME * MINUTE, until: null }
const short = { since: NOW - 200 * MINUTE, until: null }

/** All members come each other minute, and go in the next one. */
beforeAll(async () => {
  of = await makeSystem()
  await deps.transact(
    'new',
    async (tx) => {
      for (let at = 0; at < MEMBERS; at++) await insertMember(tx, of.id, { name: `Member ${at}` })
      const switches = Array.from({ length: 2 * TIMES }, (_, at) => ({
        uuid: `${at % 2 === 0 ? 'nobody' : 'everybody'}-${at}`,
        system_id: of.id,
        timestamp: NOW - (at + 1) * MINUTE,
      }))
      await insertAll(tx, 'switches', switches)
      await change(
        tx,
        `insert into switch_members (switch_id, position, member_id)
         select s.id, m.id, m.id from switches s join members m on m.system_id = s.system_id
         where s.system_id = :system and s.uuid like 'everybody-%'`,
        { system: of.id },
      )
    },
    'long',
  )
}, 120_000)

/** How often others had their turn meanwhile. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      turns++
    }
  })()
  await work()
  isDone = true
  await others
  return turns
}

describe('a crowd that comes and goes', () => {
  test('has pairs for how long and how often, and others have their turn', async () => {
    let pairs: Awaited<ReturnType<typeof listPairs>> = []
    const turns = await countTurns(async () => {
      pairs = await listPairs(deps, anonymousViewer, of.hid, long)
    })
    expect(pairs).toHaveLength(50)
    for (const { time, times } of pairs)
      expect({ time, times }).toEqual({ time: SOME * 60, times: SOME })
    // In one go it would be one, or two.
    expect(turns).toBeGreaterThan(10)
  }, 60_000)

  test('has days and hours, which are written a day at a time', async () => {
    const asked = { ...long, zone: 'UTC' }
    const list = () => listDays(deps, anonymousViewer, of.hid, { ...asked, by: 'day' })
    const days = await Array.fromAsync(await list())
    expect(days).toHaveLength(2)
    expect(days[1]?.members).toHaveLength(MEMBERS)
    expect(new Set(days[1]?.members.map(([, seconds]) => seconds))).toEqual(new Set([12 * 3600]))
    const json = await daysToV2(await list())
    expect(JSON.parse(new TextDecoder().decode(json))).toEqual(days.map(dayToV2))
    const { members } = await getHours(deps, anonymousViewer, of.hid, asked)
    expect(members).toHaveLength(MEMBERS)
  }, 60_000)

  test('has stints, of which the newest are kept', async () => {
    const asked = { ...long, before: null, limit: 100, member: null }
    expect(await listStints(deps, anonymousViewer, of.hid, asked)).toHaveLength(MEMBERS)
  }, 60_000)

  test('is refused totals of more stints than are remembered, but not of a shorter span', async () => {
    await expect(getTotals(deps, anonymousViewer, of.hid, whole)).rejects.toThrow(
      'there are more than 500000 stints; ask for a shorter span',
    )
    const { members } = await getTotals(deps, anonymousViewer, of.hid, short)
    expect(members).toHaveLength(MEMBERS)
    expect(members[0]).toMatchObject({ stints: 100, median: 60 })
  }, 60_000)

  test('is refused a calendar that is too large, but not one of a shorter span', async () => {
    await expect(getCalendar(deps, anonymousViewer, of.hid, whole)).rejects.toThrow(
      'the calendar has more than 50000000 bytes; ask for a shorter span',
    )
    const text = new TextDecoder().decode(await getCalendar(deps, anonymousViewer, of.hid, short))
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(100 * MEMBERS)
  }, 60_000)
})
