import { eq } from 'drizzle-orm'
import { systems } from '../../../src/db/tables'
import type { Entity, Fields } from '../../../src/model/core/entity'
import { errorTable } from '../../../src/model/core/errors'
import type { Field, Kind } from '../../../src/model/core/field'
import { type ListAccess, listAccessRules } from '../../../src/model/core/privacy'
import { formatInstant } from '../../../src/model/core/time'
import { type MemberPatch, member } from '../../../src/model/members/member'
import { type SystemPatch, system } from '../../../src/model/systems/system'
import { updateEntity } from '../../../src/store/core/entityRows'
import { insertSwitch } from '../../../src/store/front/switchChanges'
import { memberRowKind } from '../../../src/store/members/memberRows'
import { drizzleOn } from '../../tools/drizzle'
import {
  allCallers,
  at,
  createFixture,
  type Fixture,
  type Json,
  type Who,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()
const nonOwners: Who[] = ['other', 'anonymous']

/** Reads of version 1 that return the system. */
const systemReads = ['GET /v1/s/<own>', 'GET /v1/a/<account>', 'GET /v1/msg/<message>']
/** Reads of version 1 that return wren while wren fronts. */
const memberReads = [
  'GET /v1/m/<wren>',
  'GET /v1/s/<own>/members',
  'GET /v1/s/<own>/fronters',
  'GET /v1/msg/<message>',
]

const systemLevels = [
  'description_privacy',
  'member_list_privacy',
  'front_privacy',
  'front_history_privacy',
] as const
const memberLevels = [
  'visibility',
  'name_privacy',
  'description_privacy',
  'avatar_privacy',
  'birthday_privacy',
  'pronoun_privacy',
  'metadata_privacy',
] as const

/** Keys of version 1 that each level of a system hides; the remaining levels close lists. */
const hiddenOfSystem: Record<string, string[]> = {
  name_privacy: ['name'],
  description_privacy: ['description'],
  avatar_privacy: ['avatar_url'],
  banner_privacy: ['banner'],
}
const hiddenOfMember: Record<string, string[]> = {
  name_privacy: ['display_name', 'name'],
  description_privacy: ['description'],
  birthday_privacy: ['birthday'],
  pronoun_privacy: ['pronouns'],
  avatar_privacy: ['avatar_url'],
  banner_privacy: ['banner'],
  metadata_privacy: ['created'],
  proxy_privacy: ['prefix', 'proxy_tags', 'suffix'],
}

/** Unique value of each kind of field, as it is stored and as it appears in a response. */
const markers: Partial<Record<Kind, (key: string) => { stored: unknown; shown: string }>> = {
  text: (key) => same(`marker-${key}`),
  url: (key) => same(`https://example.org/marker-${key}.png`),
  date: () => same('1917-03-05'),
  timestamp: (key) => {
    const stored = at('2011-02-03T04:05:06.070809Z') + key.length
    return { stored, shown: formatInstant(stored) }
  },
  count: () => ({ stored: 918273645, shown: '918273645' }),
  proxyTags: (key) => ({
    stored: [{ prefix: `marker-${key}:`, suffix: `:marker-${key}` }],
    shown: `marker-${key}`,
  }),
}

describe('private fields of a system in version 1', () => {
  for (const [key, field] of guarded(system.fields))
    test(`${field.guard} hides ${key} of a system from everyone but its owner`, async () => {
      const fixture = await createFixture(testApp)
      const { stored, shown } = markerOf(key, field)
      await changeSystem(fixture, { [key]: stored, [field.guard ?? '']: 'private' })
      for (const line of systemReads)
        await expectHidden(fixture, line, fixture.owner.hid, key, stored, shown)
    })

  for (const level of system.levels)
    test(`${level} of a system hides only its own fields`, async () => {
      const fixture = await createFixture(testApp)
      await changeSystem(fixture, markersOf(system))
      for (const line of systemReads) {
        const before = await readObject(fixture, line, fixture.owner.hid)
        await changeSystem(fixture, { [level]: 'private' })
        const hidden = changedKeys(before, await readObject(fixture, line, fixture.owner.hid))
        expect(hidden).toEqual(hiddenOfSystem[level] ?? [])
        await changeSystem(fixture, { [level]: 'public' })
      }
    })
})

describe('private fields of a member in version 1', () => {
  for (const [key, field] of guarded(member.fields))
    test(`${field.guard} hides ${key} of a member from everyone but its owner`, async () => {
      const fixture = await createFrontingFixture()
      const { stored, shown } = markerOf(key, field)
      const names = { name: 'Wren', display_name: 'Somebody' }
      await changeMember(fixture, { ...names, [key]: stored, [field.guard ?? '']: 'private' })
      for (const line of memberReads)
        await expectHidden(fixture, line, fixture.wren.hid, key, stored, shown)
    })

  for (const level of member.levels.filter((name) => name !== 'visibility'))
    test(`${level} of a member hides only its own fields`, async () => {
      const fixture = await createFrontingFixture()
      await changeMember(fixture, markersOf(member))
      for (const line of memberReads) {
        const before = await readObject(fixture, line, fixture.wren.hid)
        await changeMember(fixture, { [level]: 'private' })
        const hidden = changedKeys(before, await readObject(fixture, line, fixture.wren.hid))
        expect(hidden).toEqual(hiddenOfMember[level] ?? [])
        await changeMember(fixture, { [level]: 'public' })
      }
    })

  test('name_privacy of a member keeps the name when there is no display name', async () => {
    const fixture = await createFrontingFixture()
    await changeMember(fixture, { name_privacy: 'private' })
    for (const line of memberReads)
      expect(await readObject(fixture, line, fixture.wren.hid)).toMatchObject({
        name: 'Wren',
        display_name: null,
      })
  })
})

describe('privacy levels in version 1', () => {
  for (const value of ['public', 'private'] as const) {
    test(`${value} levels of a system are returned to its owner only`, async () => {
      const fixture = await createFixture(testApp)
      await changeSystem(fixture, Object.fromEntries(system.levels.map((name) => [name, value])))
      for (const line of systemReads)
        await expectLevels(fixture, line, fixture.owner.hid, systemLevels, value)
    })

    test(`${value} levels of a member are returned to its owner only`, async () => {
      const fixture = await createFrontingFixture()
      await changeMember(fixture, Object.fromEntries(member.levels.map((name) => [name, value])))
      // Once the member is hidden, other callers do not get it in the list.
      const reads = memberReads.filter((line) => value === 'public' || !line.endsWith('/members'))
      for (const line of reads)
        await expectLevels(fixture, line, fixture.wren.hid, [...memberLevels, 'privacy'], value)
    })
  }
})

/** List endpoints of version 1, which has no groups and no endpoint for a single switch. */
const lists: Partial<Record<ListAccess, string>> = {
  members: 'GET /v1/s/<own>/members',
  fronters: 'GET /v1/s/<own>/fronters',
  history: 'GET /v1/s/<own>/switches',
}

describe('private lists in version 1', () => {
  for (const level of system.levels)
    test(`${level} closes no list but its own, and that one to everyone but the owner`, async () => {
      const fixture = await createFixture(testApp)
      await changeSystem(fixture, { [level]: 'private' })
      for (const [access, { level: closingLevel, deniedError }] of Object.entries(
        listAccessRules,
      )) {
        const line = lists[access as ListAccess]
        if (line === undefined) continue
        expect((await fixture.ask(line)).status).toBe(200)
        for (const who of nonOwners) {
          const { status, json } = await fixture.ask(line, undefined, who)
          if (closingLevel !== level) expect(status).toBe(200)
          else
            expect({ status, code: json.code }).toEqual({ status: 403, code: codeOf(deniedError) })
        }
      }
    })

  test('lists of version 1 are closed by the levels that version 1 has', () => {
    const closingLevels: string[] = Object.keys(lists).map(
      (access) => listAccessRules[access as ListAccess].level,
    )
    expect(closingLevels.toSorted()).toEqual(systemLevels.slice(1).toSorted())
  })

  test('private fronters of a system without switches return 403, not 404, to other callers', async () => {
    const owner = await testApp.makeSystem()
    await testApp.ask('PATCH /v1/s', { as: owner, body: { front_privacy: 'private' } })
    expect((await testApp.ask(`GET /v1/s/${owner.hid}/fronters`)).status).toBe(403)
    expect((await testApp.ask(`GET /v1/s/${owner.hid}/fronters`, { as: owner })).status).toBe(404)
  })
})

describe('a hidden member in version 1', () => {
  test('a hidden member is listed for its owner only', async () => {
    const fixture = await createFrontingFixture()
    await changeMember(fixture, { visibility: 'private' })
    const namesFor = async (who: Who) =>
      (await fixture.get<Json[]>('GET /v1/s/<own>/members', who)).map(({ name }) => name)
    expect(await namesFor('owner')).toEqual(['Wren', 'Finch', 'Heron'])
    for (const who of nonOwners) expect(await namesFor(who)).toEqual(['Finch', 'Heron'])
  })

  test('a hidden member is returned by ID and in fronters, switches and messages', async () => {
    const fixture = await createFrontingFixture()
    await changeMember(fixture, { visibility: 'private' })
    for (const who of nonOwners) {
      for (const line of memberReads.filter((read) => !read.endsWith('/members')))
        expect(await readObject(fixture, line, fixture.wren.hid, who)).toMatchObject({
          name: 'Wren',
        })
      const [latest] = await fixture.get<Json[]>('GET /v1/s/<own>/switches', who)
      expect(latest).toMatchObject({ members: [fixture.wren.hid] })
    }
  })
})

async function expectHidden(
  fixture: Fixture,
  line: string,
  id: string,
  key: string,
  stored: unknown,
  shown: string,
): Promise<void> {
  const forOwner = await readObject(fixture, line, id, 'owner')
  // Version 1 has no key for some fields; their values must not appear anywhere either.
  if (key in forOwner) expect(JSON.stringify(forOwner[key])).toContain(shown)
  for (const who of nonOwners) {
    const { text, json } = await fixture.ask(line, undefined, who)
    const object = objectIn(json, id)
    if (key === 'display_name') {
      // Other callers get the display name in place of the private name.
      expect(object).toMatchObject({ name: stored, display_name: null })
      continue
    }
    expect(text, `${line} for ${who}`).not.toContain(shown)
    if (key === 'name' && 'display_name' in forOwner)
      expect(object).toMatchObject({ name: 'Somebody', display_name: null })
    else if (key in forOwner) expect(object[key]).toEqual(key === 'proxy_tags' ? [] : null)
  }
}

async function expectLevels(
  fixture: Fixture,
  line: string,
  id: string,
  levels: readonly string[],
  value: string,
): Promise<void> {
  for (const who of allCallers) {
    const object = await readObject(fixture, line, id, who)
    const actual = Object.fromEntries(levels.map((level) => [level, object[level]]))
    const expected = levels.map((level) => [level, who === 'owner' ? value : null])
    expect(actual, `${line} for ${who}`).toEqual(Object.fromEntries(expected))
  }
}

/** Creates a fixture in which wren fronts, so that all of `memberReads` return wren. */
async function createFrontingFixture(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  const { owner, wren } = fixture
  await testApp.deps.transact('new', (tx) =>
    insertSwitch(testApp.deps, tx, owner.id, at('2025-01-01'), [wren]),
  )
  return fixture
}

async function changeSystem({ owner }: Fixture, patch: SystemPatch): Promise<void> {
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx).update(systems).set(patch).where(eq(systems.id, owner.id))
  })
}

async function changeMember({ wren }: Fixture, patch: MemberPatch): Promise<void> {
  await testApp.deps.transact('new', (tx) => updateEntity(tx, memberRowKind, wren, patch))
}

async function readObject(
  fixture: Fixture,
  line: string,
  id: string,
  who: Who = 'anonymous',
): Promise<Json> {
  return objectIn((await fixture.ask<unknown>(line, undefined, who)).json, id)
}

/** Returns the object with this ID, at any depth of a response. */
function objectIn(json: unknown, id: string): Json {
  const found = objectsIn(json).find((object) => object.id === id)
  if (!found) throw new Error(`${id} is not in ${JSON.stringify(json)}`)
  return found
}

function objectsIn(json: unknown): Json[] {
  if (Array.isArray(json)) return json.flatMap(objectsIn)
  if (typeof json !== 'object' || json === null) return []
  return [json as Json, ...Object.values(json).flatMap(objectsIn)]
}

function guarded(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, field]) => field.guard !== undefined)
}

/** Returns a marker for every field whose kind has one, guarded or not. */
function markersOf({ fields }: Entity): Json {
  const known = Object.entries(fields).filter(([, { kind }]) => kind in markers)
  return Object.fromEntries(known.map(([key, field]) => [key, markerOf(key, field).stored]))
}

function markerOf(key: string, { kind }: Field) {
  const marker = markers[kind]
  if (!marker) throw new Error(`no marker for the kind ${kind}`)
  return marker(key)
}

function changedKeys(before: Json, after: Json): string[] {
  expect(Object.keys(after)).toEqual(Object.keys(before))
  return Object.keys(before)
    .filter((key) => !Bun.deepEquals(before[key], after[key]))
    .toSorted()
}

function codeOf(kind: keyof typeof errorTable): number {
  return errorTable[kind].code
}

function same(text: string) {
  return { stored: text, shown: text }
}
