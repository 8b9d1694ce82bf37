import { gt, max } from 'drizzle-orm'
import { events } from '../../src/db/tables'
import type { Entity, JsonObject } from '../../src/model/core/entity'
import type { Instant } from '../../src/model/core/time'
import { parseInstant } from '../../src/model/core/time'
import type { Front } from '../../src/model/front/switch'
import type { Group } from '../../src/model/groups/group'
import type { Member } from '../../src/model/members/member'
import { notifyFriends } from '../../src/service/friends/friendNotifications'
import { insertGroup } from '../../src/service/groups/groups'
import { insertMember } from '../../src/service/members/members'
import { insertAccount } from '../../src/store/access/accountRows'
import { insertSwitch } from '../../src/store/front/switchChanges'
import { insertMembership } from '../../src/store/groups/membershipRows'
import { insertMessage } from '../../src/store/proxy/messageRows'
import { drizzleOn } from './drizzle'
import { findOperation } from './openapiDocument'
import { versionOf } from './rawSql'
import { expect, test } from './test'
import type { TestApp, TestResponse, TestSystem } from './testApp'

export type Who = 'owner' | 'other' | 'anonymous'
export const allCallers: Who[] = ['owner', 'other', 'anonymous']

/** Expected event: its type, the UUID of its subject, and the new values. */
export type ExpectedEvent = [type: string, subject: string | null, data: unknown]

/**
 * Two unrelated systems. The owner has the members wren, finch and heron, the groups keepers (wren,
 * finch) and dreamers (empty), the switches first (wren, finch) and latest (finch), an account and a
 * message of wren. The other has the member stray, the group circle (stray), the switch otherSwitch (stray).
 */
export interface Fixture {
  testApp: TestApp
  owner: TestSystem
  other: TestSystem
  wren: Member
  finch: Member
  heron: Member
  stray: Member
  keepers: Group
  dreamers: Group
  circle: Group
  first: Front
  latest: Front
  otherSwitch: Front
  account: string
  message: string
  original: string
  /** Sends a request as the owner or another caller; placeholders such as `<wren>` are filled in. */
  ask<T = Json>(line: string, body?: unknown, as?: Who): Promise<TestResponse<T>>
  /** Like `ask`, but expects success and returns the JSON of the response. */
  get<T = Json>(line: string, as?: Who): Promise<T>
  do<T = Json>(line: string, body?: unknown, as?: Who): Promise<T>
  /** Replaces placeholders by IDs: `<wren>`, `<wren.uuid>`, `<own.dashed>` … */
  fill<T>(value: T): T
  /** Makes the ID of an object that `given` created available as a placeholder. */
  remember(name: string, id: unknown): void
}

/** JSON object of a response. */
export type Json = Record<string, unknown>

export interface Scenario {
  /** Caller; the owner by default. */
  as?: Who | Who[]
  /** Prepares the fixture before the request. */
  given?: (fixture: Fixture) => Promise<unknown>
  ask: string
  body?: unknown
  /** 200 by default. */
  status?: number
  /** Code and message of the error, and the keys with problems. */
  code?: number
  message?: string | RegExp
  problems?: string[]
  /** Expected JSON of the whole response. */
  json?: unknown
  /** Part that the response must contain, and texts that it must not contain. */
  has?: unknown
  lacks?: string[]
  /** All recorded events in order; none by default. */
  events?: ExpectedEvent[]
  /** Checks the state after the request. */
  after?: After
}

export type After = (fixture: Fixture, answer: TestResponse<Json>) => Promise<unknown>

export type Scenarios = Record<string, Scenario>

export const FIRST = '2024-01-01T10:00:00.000001Z'
export const LATEST = '2024-01-02T10:00:00.5Z'
export const MESSAGE_TIME = '2024-01-02T11:30:00Z'

/** Creates one test for each scenario, with its key as title. */
export function runScenarios(testApp: TestApp, scenarios: Scenarios): void {
  // Scenarios that change nothing share a fixture; their tests check that nothing changed.
  let shared: Promise<Fixture> | undefined
  const fixtureFor = (scenario: Scenario) => {
    if (scenario.given || !changesNothing(scenario)) return createFixture(testApp)
    shared ??= createFixture(testApp)
    return shared
  }
  for (const [title, scenario] of Object.entries(scenarios))
    for (const who of [scenario.as ?? 'owner'].flat())
      test(Array.isArray(scenario.as) ? `${title} (${who})` : title, async () => {
        await runScenario(await fixtureFor(scenario), scenario, who)
      })
}

function changesNothing({ ask, status = 200 }: Scenario): boolean {
  return status >= 400 || ask.startsWith('GET')
}

async function runScenario(fixture: Fixture, scenario: Scenario, who: Who): Promise<void> {
  await scenario.given?.(fixture)
  const { status = 200, code, message, problems, json, has, lacks = [] } = fixture.fill(scenario)
  const before = await stateOf(fixture.testApp)
  const answer = await fixture.ask(scenario.ask, scenario.body, who)
  const recorded = await eventsSince(fixture, before.lastEvent)
  const actual = { status: answer.status, code: answer.json?.code ?? 0 }
  expect(actual, answer.text).toEqual({ status, code: code ?? 0 })
  if (typeof message === 'string') expect(answer.json.message).toBe(message)
  if (message instanceof RegExp) expect(answer.json.message).toMatch(message)
  if (problems) expect(Object.keys(answer.json.errors as Json).toSorted()).toEqual(sorted(problems))
  // Parsed again, because Bun inserts matchers into the object that they are compared with.
  if (json !== undefined) expect(JSON.parse(answer.text)).toEqual(json)
  if (has !== undefined) expect(JSON.parse(answer.text)).toMatchObject(has as Json)
  for (const text of lacks) expect(answer.text).not.toContain(text)
  if (status === 204) expect(answer.text).toBe('')
  if (status >= 400) expectDocumentedCode(fixture.fill(scenario.ask), status, code ?? 0)
  expect(recorded).toEqual(fixture.fill(scenario.events ?? []))
  if (changesNothing(scenario))
    expect((await stateOf(fixture.testApp)).version).toBe(before.version)
  await scenario.after?.(fixture, answer)
}

let fixtures = 0

export async function createFixture(testApp: TestApp): Promise<Fixture> {
  const owner = await testApp.makeSystem('Lantern Hill')
  const other = await testApp.makeSystem('Harbour')
  const number = String(++fixtures).padStart(6, '0')
  const account = `90000000000${number}`
  const message = `70000000000${number}`
  const original = `60000000000${number}`
  const entities = await testApp.deps.transact('new', async (tx) => {
    const member = (name: string, of = owner) =>
      insertMember(tx, of.id, { name, created: testApp.deps.now() })
    const group = (name: string, of = owner) =>
      insertGroup(tx, of.id, { name, created: testApp.deps.now() })
    const front = (time: string, members: Member[], of = owner) =>
      insertSwitch(testApp.deps, tx, of.id, at(time), members)
    const wren = await member('Wren')
    const finch = await member('Finch')
    const heron = await member('Heron')
    const stray = await member('Stray', other)
    const keepers = await group('Keepers')
    const dreamers = await group('Dreamers')
    const circle = await group('Circle', other)
    for (const { id } of [wren, finch]) await insertMembership(tx, keepers.id, id)
    await insertMembership(tx, circle.id, stray.id)
    const first = await front(FIRST, [wren, finch])
    const latest = await front(LATEST, [finch])
    const otherSwitch = await front(FIRST, [stray], other)
    await insertAccount(testApp.deps, tx, owner.id, account)
    await insertMessage(tx, {
      id: message,
      original,
      sender: account,
      channel: '222',
      guild: '333',
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(MESSAGE_TIME),
    })
    return { wren, finch, heron, stray, keepers, dreamers, circle, first, latest, otherSwitch }
  })

  const names: Record<string, Named> = { own: owner, other, ...entities }
  const fill = <T>(value: T): T => fillIn(value, names, { account, message, original })
  const fixture: Fixture = {
    testApp: testApp,
    owner,
    other,
    ...entities,
    account,
    message,
    original,
    fill,
    remember: (name, id) => {
      names[name] = { uuid: String(id) }
    },
    ask: (line, body, as = 'owner') =>
      testApp.ask(fill(line), {
        as: as === 'anonymous' ? null : { owner, other }[as],
        ...(body !== undefined && { body: fill(body) }),
      }),
    get: (line, as = 'owner') => fixture.do(line, undefined, as),
    async do<T>(line: string, body?: unknown, as: Who = 'owner') {
      const { status, json, text } = await fixture.ask<T>(line, body, as)
      expect(status, `${line}: ${text}`).toBeLessThan(300)
      return json
    },
  }
  return fixture
}

/** Returns the default value of every key. */
export function defaultsOf({ entries }: Entity): JsonObject {
  return Object.fromEntries(entries.map(([key, { defaultValue }]) => [key, defaultValue]))
}

/** Parses an ISO 8601 text. */
export function at(text: string): Instant {
  const instant = parseInstant(text)
  if (instant === null) throw new Error(`invalid time: ${text}`)
  return instant
}

/** Lists the events with a higher ID. */
export async function eventsSince(
  { testApp }: { testApp: TestApp },
  last: number,
): Promise<ExpectedEvent[]> {
  const rows = await drizzleOn(testApp.deps.db)
    .select()
    .from(events)
    .where(gt(events.id, last))
    .orderBy(events.id)
    .all()
  return rows.map(({ type, subject, data }) => [type, subject, data])
}

/**
 * Returns the last event and the state of the database. Fronts of friends are compared first, because
 * the server would do so in the background between two states.
 */
export async function stateOf(testApp: TestApp) {
  await notifyFriends(testApp.deps)
  const row = await drizzleOn(testApp.deps.db)
    .select({ last: max(events.id) })
    .from(events)
    .get()
  return { lastEvent: row?.last ?? 0, version: await versionOf(testApp.deps.db) }
}

interface Named {
  hid?: string
  uuid: string
}

function fillIn<T>(value: T, names: Record<string, Named>, ids: Record<string, string>): T {
  if (typeof value === 'string') {
    const filled = value.replace(/<(\w+)(?:\.(\w+))?>/g, (_, name: string, form?: string) => {
      const found = ids[name] ?? (names[name] && formsOf(names[name])[form ?? 'id'])
      if (found === undefined) throw new Error(`unknown placeholder <${name}.${form}>`)
      return found
    })
    return filled as T
  }
  if (value instanceof RegExp || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => fillIn(item, names, ids)) as T
  // Objects that are not plain, such as matchers, contain no placeholders.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([key, item]) => [
    fillIn(key, names, ids),
    fillIn(item, names, ids),
  ])
  return Object.fromEntries(entries) as T
}

/** Returns all notations of an ID; a switch has only its UUID. */
function formsOf({ hid, uuid }: Named): Record<string, string> {
  const id = hid ?? uuid
  return {
    id,
    uuid,
    upper: id.toUpperCase(),
    dashed: `${id.slice(0, 3)}-${id.slice(3)}`,
    upperDashed: `${id.slice(0, 3)}-${id.slice(3)}`.toUpperCase(),
    upperUuid: uuid.toUpperCase(),
  }
}

/** Fails unless the API document of the route lists this error code for this status. */
function expectDocumentedCode(line: string, status: number, code: number): void {
  const [method = '', target = ''] = line.split(' ')
  const [path = ''] = target.split('?')
  const match = findOperation(method, path)
  if (match)
    expect(
      JSON.stringify(match.operation.responses[status]),
      `${line} does not document ${code}`,
    ).toContain(`\`${code}\` `)
}

function sorted(keys: readonly string[]): string[] {
  return keys.toSorted()
}
