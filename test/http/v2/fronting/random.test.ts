import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { members as memberTable } from '../../../../src/db/tables'
import { periods } from '../../../../src/model/fronting/calendar'
import type { Member } from '../../../../src/model/member'
import { formatInstant, type Instant } from '../../../../src/model/time'
import { dayToV2, hoursToV2, stintToV2, totalsToV2 } from '../../../../src/serializers/fronting'
import { insertMember } from '../../../../src/service/members'
import { deleteAllSwitches, insertSwitch } from '../../../../src/service/switches'
import {
  daysOf,
  hoursOf,
  pairsOf,
  type Question,
  stintsOf,
  totalsOf,
} from '../../../model/fronting/oracle'
import { oddMoments, questionsAround } from '../../../model/fronting/worlds'
import { createTestApp, type TestSystem } from '../../../testApp'

/** What the clock shows, where a question says so. */
let clock: Instant = Date.now() * 1000
const { deps, makeSystem, ask } = createTestApp({ now: () => clock })

let owner: TestSystem
let people: Member[]

beforeAll(async () => {
  owner = await makeSystem()
  const made = await deps.transact('new', async (tx) => [
    await insertMember(tx, owner.id, { name: 'A' }),
    await insertMember(tx, owner.id, { name: 'B' }),
    await insertMember(tx, owner.id, { name: 'C' }),
    await insertMember(tx, owner.id, { name: 'D' }),
    await insertMember(tx, owner.id, { name: 'E' }),
  ])
  people = made.sort((a, b) => (a.hid < b.hid ? -1 : 1))
})

describe.each(oddMoments)('in %s around %s', (zone, _, odd) => {
  test('random histories are answered as the slow way finds, for owner and stranger', async () => {
    await fc.assert(
      fc.asyncProperty(questionsAround(zone, odd), fc.constantFrom(...periods), compareAll),
      { numRuns: 12 },
    )
  }, 60_000)
})

async function compareAll(question: Question, by: (typeof periods)[number]): Promise<void> {
  const asked = await bringAbout(question)
  const { since, until } = asked.span
  const query = new URLSearchParams({
    since: formatInstant(since),
    until: formatInstant(until),
    zone: asked.zone,
  })
  const as = asked.hidden === null ? owner : null
  const get = async (path: string) => {
    const { status, json } = await ask(
      `GET /v2/systems/${owner.hid}/fronting/${path}${path.includes('?') ? '&' : '?'}${query}`,
      { as },
    )
    expect(status).toBe(200)
    return json as unknown
  }
  expect(await get('totals')).toEqual(totalsToV2(totalsOf(asked)))
  expect(await get(`days?by=${by}`)).toEqual(daysOf(asked, by).map(dayToV2))
  expect(await get('pairs')).toEqual(pairsOf(asked))
  expect(await get('stints?limit=1000')).toEqual(stintsOf(asked).map(stintToV2))
  if (until - since < 2 * 24 * 3600 * 1e6)
    expect(await get('hours')).toEqual(hoursToV2(hoursOf(asked)))
  await expectPages(get, stintsOf(asked).map(stintToV2))
}

/** Page by page, each with whoever began at the same moment. */
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

/** Makes a random history the system's own, its members called by their short IDs here. */
async function bringAbout(question: Question): Promise<Question> {
  const names = new Map(['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee'].map((name, at) => [name, at]))
  const one = (name: string) => people[names.get(name) ?? 0] as Member
  clock = question.now
  await deleteAllSwitches(deps, { system: owner.id, platform: null })
  await deps.transact('new', async (tx) => {
    for (const { timestamp, members } of question.history)
      await insertSwitch(deps, tx, owner.id, timestamp, members.map(one))
    for (const name of names.keys()) {
      const visibility = question.hidden?.has(name) ? 'private' : 'public'
      await tx
        .update(memberTable)
        .set({ visibility })
        .where(eq(memberTable.id, one(name).id))
    }
  })
  return {
    ...question,
    history: question.history.map(({ timestamp, members }) => ({
      timestamp,
      members: members.map((name) => one(name).hid),
    })),
    hidden: question.hidden && new Set([...question.hidden].map((name) => one(name).hid)),
  }
}
