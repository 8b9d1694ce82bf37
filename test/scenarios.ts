import { expect, test } from 'bun:test'
import { gt, max } from 'drizzle-orm'
import { events } from '../src/db/tables'
import type { Entity, JsonObject } from '../src/model/entity'
import type { Group } from '../src/model/group'
import type { Member } from '../src/model/member'
import type { Instant } from '../src/model/time'
import { parseInstant } from '../src/model/time'
import { insertAccount } from '../src/service/accounts'
import { insertGroup } from '../src/service/groups'
import { insertMember } from '../src/service/members'
import { addPair } from '../src/service/memberships'
import { insertMessage } from '../src/service/messages'
import { type Front, insertSwitch } from '../src/service/switches'
import { document } from './openapiDocument'
import { versionOf } from './rawSql'
import type { Answer, TestApp, TestSystem } from './testApp'

export type Who = 'owner' | 'other' | 'nobody'
export const everyone: Who[] = ['owner', 'other', 'nobody']

/** What is told of a change: its type, whom it is about, and the new values. */
export type ExpectedEvent = [type: string, subject: string | null, data: unknown]

/**
 * Two systems that know nothing of each other. Of the owner: the members wren, finch and heron,
 * the groups keepers (wren, finch) and dreamers (nobody), the switches first (wren, finch) and
 * latest (finch), an account and a message of wren. Of the other: the member stray, the group
 * circle (stray), the switch theirs (stray).
 */
export interface Fixture {
  home: TestApp
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
  theirs: Front
  account: string
  message: string
  original: string
  /** Asks as the owner, or as whoever is named; `<wren>` and the like are filled in. */
  ask<T = Json>(line: string, body?: unknown, as?: Who): Promise<Answer<T>>
  /** The same for what must succeed: gives the answer's JSON. */
  get<T = Json>(line: string, as?: Who): Promise<T>
  do<T = Json>(line: string, body?: unknown, as?: Who): Promise<T>
  /** Puts in what the tests cannot know before: `<wren>`, `<wren.uuid>`, `<own.dashed>` … */
  fill<T>(value: T): T
}

/** An answer, as far as a test looks into it. */
export type Json = Record<string, unknown>

export interface Scenario {
  /** Who asks; the owner unless said. */
  as?: Who | Who[]
  /** What was done before. */
  given?: (world: Fixture) => Promise<unknown>
  ask: string
  body?: unknown
  /** 200 unless said. */
  status?: number
  /** The number of the error, its words, the keys that have a problem. */
  code?: number
  message?: string | RegExp
  problems?: string[]
  /** The whole answer. */
  json?: unknown
  /** What the answer must and must not have among others. */
  has?: unknown
  lacks?: string[]
  /** Everything that was told, in order; nothing unless said. */
  events?: ExpectedEvent[]
  /** What is so afterwards. */
  after?: After
}

export type After = (world: Fixture, answer: Answer<Json>) => Promise<unknown>

export type Scenarios = Record<string, Scenario>

export const FIRST = '2024-01-01T10:00:00.000001Z'
export const LATEST = '2024-01-02T10:00:00.5Z'
export const SAID = '2024-01-02T11:30:00Z'

/** One test for each scenario. Its name is a sentence of the domain. */
export function runScenarios(home: TestApp, scenarios: Scenarios): void {
  // What changes nothing shares a world; that it changed nothing is part of its test.
  let shared: Promise<Fixture> | undefined
  const worldOf = (scenario: Scenario) => {
    if (scenario.given || !changesNothing(scenario)) return createFixture(home)
    shared ??= createFixture(home)
    return shared
  }
  for (const [sentence, scenario] of Object.entries(scenarios))
    for (const who of [scenario.as ?? 'owner'].flat())
      test(Array.isArray(scenario.as) ? `${sentence} (${who})` : sentence, async () => {
        await runScenario(await worldOf(scenario), scenario, who)
      })
}

function changesNothing({ ask, status = 200 }: Scenario): boolean {
  return status >= 400 || ask.startsWith('GET')
}

async function runScenario(world: Fixture, scenario: Scenario, who: Who): Promise<void> {
  const { status = 200, code, message, problems, json, has, lacks = [] } = world.fill(scenario)
  await scenario.given?.(world)
  const before = await stateOf(world.home)
  const answer = await world.ask(scenario.ask, scenario.body, who)
  const told = await eventsSince(world, before.lastEvent)
  const seen = { status: answer.status, code: answer.json?.code ?? 0 }
  expect(seen, answer.text).toEqual({ status, code: code ?? 0 })
  if (typeof message === 'string') expect(answer.json.message).toBe(message)
  if (message instanceof RegExp) expect(answer.json.message).toMatch(message)
  if (problems) expect(Object.keys(answer.json.errors as Json).toSorted()).toEqual(sorted(problems))
  // Read anew: Bun puts matchers into the object that they were held against.
  if (json !== undefined) expect(JSON.parse(answer.text)).toEqual(json)
  if (has !== undefined) expect(JSON.parse(answer.text)).toMatchObject(has as Json)
  for (const text of lacks) expect(answer.text).not.toContain(text)
  if (status === 204) expect(answer.text).toBe('')
  if (status >= 400) expectNumbered(world.fill(scenario.ask), status, code ?? 0)
  expect(told).toEqual(world.fill(scenario.events ?? []))
  if (changesNothing(scenario)) expect((await stateOf(world.home)).version).toBe(before.version)
  await scenario.after?.(world, answer)
}

let fixtures = 0

export async function createFixture(home: TestApp): Promise<Fixture> {
  const owner = await home.makeSystem('Lantern Hill')
  const other = await home.makeSystem('Harbour')
  const number = String(++fixtures).padStart(6, '0')
  const account = `90000000000${number}`
  const message = `70000000000${number}`
  const original = `60000000000${number}`
  const things = await home.deps.transact('new', async (tx) => {
    const member = (name: string, of = owner) =>
      insertMember(tx, of.id, { name, created: home.deps.now() })
    const group = (name: string, of = owner) =>
      insertGroup(tx, of.id, { name, created: home.deps.now() })
    const front = (time: string, members: Member[], of = owner) =>
      insertSwitch(home.deps, tx, of.id, at(time), members)
    const wren = await member('Wren')
    const finch = await member('Finch')
    const heron = await member('Heron')
    const stray = await member('Stray', other)
    const keepers = await group('Keepers')
    const dreamers = await group('Dreamers')
    const circle = await group('Circle', other)
    for (const { id } of [wren, finch]) await addPair(tx).run({ group: keepers.id, member: id })
    await addPair(tx).run({ group: circle.id, member: stray.id })
    const first = await front(FIRST, [wren, finch])
    const latest = await front(LATEST, [finch])
    const theirs = await front(FIRST, [stray], other)
    await insertAccount(home.deps, tx, owner.id, account)
    await insertMessage(tx, {
      id: message,
      original,
      sender: account,
      channel: '222',
      guild: '333',
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(SAID),
    })
    return { wren, finch, heron, stray, keepers, dreamers, circle, first, latest, theirs }
  })

  const names = { own: owner, other, ...things }
  const fill = <T>(value: T): T => fillIn(value, names, { account, message, original })
  const world: Fixture = {
    home,
    owner,
    other,
    ...things,
    account,
    message,
    original,
    fill,
    ask: (line, body, as = 'owner') =>
      home.ask(fill(line), {
        as: as === 'nobody' ? null : { owner, other }[as],
        ...(body !== undefined && { body: fill(body) }),
      }),
    get: (line, as = 'owner') => world.do(line, undefined, as),
    async do<T>(line: string, body?: unknown, as: Who = 'owner') {
      const { status, json, text } = await world.ask<T>(line, body, as)
      expect(status, `${line}: ${text}`).toBeLessThan(300)
      return json
    },
  }
  return world
}

/** What every key holds of a new one that was given nothing. */
export function initialOf({ entries }: Entity): JsonObject {
  return Object.fromEntries(entries.map(([key, { defaultValue }]) => [key, defaultValue]))
}

/** The time that an ISO 8601 text means. */
export function at(text: string): Instant {
  const instant = parseInstant(text)
  if (instant === null) throw new Error(`no time: ${text}`)
  return instant
}

/** Everything that a system's events told since the last one of that number. */
export async function eventsSince(
  { home }: { home: TestApp },
  last: number,
): Promise<ExpectedEvent[]> {
  const rows = await home.deps.db
    .select()
    .from(events)
    .where(gt(events.id, last))
    .orderBy(events.id)
    .all()
  return rows.map(({ type, subject, data }) => [type, subject, data])
}

export async function stateOf(home: TestApp) {
  const row = await home.deps.db
    .select({ last: max(events.id) })
    .from(events)
    .get()
  return { lastEvent: row?.last ?? 0, version: await versionOf(home.deps.db) }
}

interface Named {
  hid?: string
  uuid: string
}

function fillIn<T>(value: T, names: Record<string, Named>, ids: Record<string, string>): T {
  if (typeof value === 'string') {
    const filled = value.replace(/<(\w+)(?:\.(\w+))?>/g, (_, name: string, form?: string) => {
      const found = ids[name] ?? (names[name] && formsOf(names[name])[form ?? 'id'])
      if (found === undefined) throw new Error(`nothing is called <${name}.${form}>`)
      return found
    })
    return filled as T
  }
  if (value instanceof RegExp || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => fillIn(item, names, ids)) as T
  // What is not plain, such as an expectation, has nothing to fill in.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([key, item]) => [
    fillIn(key, names, ids),
    fillIn(item, names, ids),
  ])
  return Object.fromEntries(entries) as T
}

/** Every way a thing can be named; a switch has its UUID only. */
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

/** Fails unless the documentation of the route names this number for this status. */
function expectNumbered(line: string, status: number, code: number): void {
  const [method = '', target = ''] = line.split(' ')
  const [path = ''] = target.replace(/^(?!\/v2\/)/, '/v2').split('?')
  const [, methods] =
    Object.entries(document.paths)
      .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
      .find(([known]) => new RegExp(`^${known.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`).test(path)) ??
    []
  const answer = methods?.[method.toLowerCase()]?.responses[status]
  if (methods?.[method.toLowerCase()])
    expect(JSON.stringify(answer), `${line} does not document ${code}`).toContain(`\`${code}\` `)
}

function sorted(words: readonly string[]): string[] {
  return words.toSorted()
}
