import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { members as memberTable } from '../../../../src/db/tables'
import { formatInstant, type Instant } from '../../../../src/model/core/time'
import { periods } from '../../../../src/model/insights/calendar'
import type { Member } from '../../../../src/model/members/member'
import { dayToV2, hoursToV2, stintToV2, totalsToV2 } from '../../../../src/serializers/fronting'
import { deleteAllSwitches } from '../../../../src/service/front/switches'
import { insertMember } from '../../../../src/service/members/members'
import { insertSwitch } from '../../../../src/store/front/switchChanges'
import { oddMoments, questionsAround } from '../../../model/insights/generatedHistories'
import {
  daysOf,
  hoursOf,
  pairsOf,
  type Question,
  stintsOf,
  totalsOf,
} from '../../../model/insights/oracle'
import { drizzleOn } from '../../../tools/drizzle'
import { rounds } from '../../../tools/rounds'
import { beforeAll, describe, expect, test } from '../../../tools/test'
import { createTestApp, type TestSystem } from '../../../tools/testApp'

/** Clock of the test app; every question sets it. */
let clock: Instant = Date.now() * 1000
const { deps, makeSystem, ask } = createTestApp({ now: () => clock })

let owner: TestSystem
let memberRows: Member[]

beforeAll(async () => {
  owner = await makeSystem()
  const created = await deps.transact('new', async (tx) => [
    await insertMember(tx, owner.id, { name: 'A' }),
    await insertMember(tx, owner.id, { name: 'B' }),
    await insertMember(tx, owner.id, { name: 'C' }),
    await insertMember(tx, owner.id, { name: 'D' }),
    await insertMember(tx, owner.id, { name: 'E' }),
  ])
  memberRows = created.sort((a, b) => (a.hid < b.hid ? -1 : 1))
})

describe.each(oddMoments)('fronting in %s around %s', (zone, anomaly, odd) => {
  test(`fronting of random histories in ${zone} around ${anomaly} matches the oracle for all callers`, async () => {
    await fc.assert(
      fc.asyncProperty(questionsAround(zone, odd), fc.constantFrom(...periods), compareAll),
      { numRuns: rounds(4) },
    )
  })
})

async function compareAll(question: Question, by: (typeof periods)[number]): Promise<void> {
  const stored = await storeQuestion(question)
  const { since, until } = stored.span
  const query = new URLSearchParams({
    since: formatInstant(since),
    until: formatInstant(until),
    zone: stored.zone,
  })
  const as = stored.hidden === null ? owner : null
  const get = async (path: string) => {
    const { status, json } = await ask(
      `GET /v2/systems/${owner.hid}/fronting/${path}${path.includes('?') ? '&' : '?'}${query}`,
      { as },
    )
    expect(status).toBe(200)
    return json as unknown
  }
  expect(await get('totals')).toEqual(totalsToV2(totalsOf(stored)))
  expect(await get(`days?by=${by}`)).toEqual(daysOf(stored, by).map(dayToV2))
  expect(await get('pairs')).toEqual(pairsOf(stored))
  expect(await get('stints?limit=1000')).toEqual(stintsOf(stored).map(stintToV2))
  if (until - since < 2 * 24 * 3600 * 1e6)
    expect(await get('hours')).toEqual(hoursToV2(hoursOf(stored)))
  await expectPages(get, stintsOf(stored).map(stintToV2))
}

/** Reads all stints in pages; a page contains all stints that began at the same moment. */
async function expectPages(
  get: (path: string) => Promise<unknown>,
  expected: Record<string, unknown>[],
): Promise<void> {
  const found: Record<string, unknown>[] = []
  for (let before = ''; ; ) {
    const page = (await get(`stints?limit=2${before}`)) as typeof found
    if (page.length === 0) break
    found.push(...page)
    before = `&before=${page.at(-1)?.from}`
  }
  expect(found).toEqual(expected)
}

/** Stores a random history in the test system, and returns it with the members' short IDs. */
async function storeQuestion(question: Question): Promise<Question> {
  const indexes = new Map(
    ['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee'].map((name, index) => [name, index]),
  )
  const memberNamed = (name: string) => memberRows[indexes.get(name) ?? 0] as Member
  clock = question.now
  await deleteAllSwitches(deps, { system: owner.id, platform: null })
  await deps.transact('new', async (tx) => {
    for (const { timestamp, members } of question.history)
      await insertSwitch(deps, tx, owner.id, timestamp, members.map(memberNamed))
    for (const name of indexes.keys()) {
      const visibility = question.hidden?.has(name) ? 'private' : 'public'
      await drizzleOn(tx)
        .update(memberTable)
        .set({ visibility })
        .where(eq(memberTable.id, memberNamed(name).id))
    }
  })
  return {
    ...question,
    history: question.history.map(({ timestamp, members }) => ({
      timestamp,
      members: members.map((name) => memberNamed(name).hid),
    })),
    hidden: question.hidden && new Set([...question.hidden].map((name) => memberNamed(name).hid)),
  }
}
