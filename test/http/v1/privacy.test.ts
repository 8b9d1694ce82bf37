import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systems } from '../../../src/db/tables'
import type { Entity, Fields } from '../../../src/model/entity'
import { errorTable } from '../../../src/model/errors'
import type { Field, Kind } from '../../../src/model/field'
import { type MemberPatch, member } from '../../../src/model/member'
import { type ListAccess, listAccessRules } from '../../../src/model/privacy'
import { type SystemPatch, system } from '../../../src/model/system'
import { formatInstant } from '../../../src/model/time'
import { updateMember } from '../../../src/service/members'
import { insertSwitch } from '../../../src/service/switches'
import { at, createFixture, everyone, type Fixture, type Json, type Who } from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp()
const strangers: Who[] = ['other', 'nobody']

/** Every read of version 1 that shows a system, and every one that shows a member. */
const systemReads = ['GET /v1/s/<own>', 'GET /v1/a/<account>', 'GET /v1/msg/<message>']
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

/** What each level hides, in the words of version 1; the other levels close lists. */
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

/** A value of each kind that occurs nowhere else, and how it looks in an answer. */
const marks: Partial<Record<Kind, (key: string) => { stored: unknown; shown: string }>> = {
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

describe('a private value of a system', () => {
  for (const [key, field] of guarded(system.fields))
    test(`is shown to its owner alone: ${key}, by ${field.guard}`, async () => {
      const world = await createFixture(house)
      const { stored, shown } = markOf(key, field)
      await changeSystem(world, { [key]: stored, [field.guard ?? '']: 'private' })
      for (const line of systemReads)
        await expectHidden(world, line, world.owner.hid, key, stored, shown)
    })

  for (const level of system.levels)
    test(`hides nothing but what its level names: ${level}`, async () => {
      const world = await createFixture(house)
      await changeSystem(world, marked(system))
      for (const line of systemReads) {
        const before = await shownBy(world, line, world.owner.hid)
        await changeSystem(world, { [level]: 'private' })
        const hidden = changedKeys(before, await shownBy(world, line, world.owner.hid))
        expect(hidden).toEqual(hiddenOfSystem[level] ?? [])
        await changeSystem(world, { [level]: 'public' })
      }
    })
})

describe('a private value of a member', () => {
  for (const [key, field] of guarded(member.fields))
    test(`is shown to its owner alone: ${key}, by ${field.guard}`, async () => {
      const world = await fronting()
      const { stored, shown } = markOf(key, field)
      const others = { name: 'Wren', display_name: 'Somebody' }
      await changeMember(world, { ...others, [key]: stored, [field.guard ?? '']: 'private' })
      for (const line of memberReads)
        await expectHidden(world, line, world.wren.hid, key, stored, shown)
    })

  for (const level of member.levels.filter((name) => name !== 'visibility'))
    test(`hides nothing but what its level names: ${level}`, async () => {
      const world = await fronting()
      await changeMember(world, marked(member))
      for (const line of memberReads) {
        const before = await shownBy(world, line, world.wren.hid)
        await changeMember(world, { [level]: 'private' })
        const hidden = changedKeys(before, await shownBy(world, line, world.wren.hid))
        expect(hidden).toEqual(hiddenOfMember[level] ?? [])
        await changeMember(world, { [level]: 'public' })
      }
    })

  test('leaves the name where there is no display name to stand in for it', async () => {
    const world = await fronting()
    await changeMember(world, { name_privacy: 'private' })
    for (const line of memberReads)
      expect(await shownBy(world, line, world.wren.hid)).toMatchObject({
        name: 'Wren',
        display_name: null,
      })
  })
})

describe('a privacy level', () => {
  for (const value of ['public', 'private'] as const) {
    test(`of a system that is ${value} is told to its owner alone`, async () => {
      const world = await createFixture(house)
      await changeSystem(world, Object.fromEntries(system.levels.map((name) => [name, value])))
      for (const line of systemReads)
        await expectLevels(world, line, world.owner.hid, systemLevels, value)
    })

    test(`of a member that is ${value} is told to its owner alone`, async () => {
      const world = await fronting()
      await changeMember(world, Object.fromEntries(member.levels.map((name) => [name, value])))
      // Others do not even find the member in the list once it is hidden.
      const reads = memberReads.filter((line) => value === 'public' || !line.endsWith('/members'))
      for (const line of reads)
        await expectLevels(world, line, world.wren.hid, [...memberLevels, 'privacy'], value)
    })
  }
})

/** The lists that version 1 has; it knows neither groups nor single switches. */
const lists: Partial<Record<ListAccess, string>> = {
  members: 'GET /v1/s/<own>/members',
  fronters: 'GET /v1/s/<own>/fronters',
  history: 'GET /v1/s/<own>/switches',
}

describe('a hidden list', () => {
  for (const level of system.levels)
    test(`is closed to everyone but its owner, and no other with it: ${level}`, async () => {
      const world = await createFixture(house)
      await changeSystem(world, { [level]: 'private' })
      for (const [gate, { level: closing, deniedError }] of Object.entries(listAccessRules)) {
        const line = lists[gate as ListAccess]
        if (line === undefined) continue
        expect((await world.ask(line)).status).toBe(200)
        for (const who of strangers) {
          const { status, json } = await world.ask(line, undefined, who)
          if (closing !== level) expect(status).toBe(200)
          else
            expect({ status, code: json.code }).toEqual({ status: 403, code: codeOf(deniedError) })
        }
      }
    })

  test('is closed by the levels that version 1 names itself', () => {
    const closing: string[] = Object.keys(lists).map(
      (gate) => listAccessRules[gate as ListAccess].level,
    )
    expect(closing.toSorted()).toEqual(systemLevels.slice(1).toSorted())
  })

  test('of a system without switches is closed before they are missed', async () => {
    const owner = await house.makeSystem()
    await house.ask('PATCH /v1/s', { as: owner, body: { front_privacy: 'private' } })
    expect((await house.ask(`GET /v1/s/${owner.hid}/fronters`)).status).toBe(403)
    expect((await house.ask(`GET /v1/s/${owner.hid}/fronters`, { as: owner })).status).toBe(404)
  })
})

describe('a hidden member', () => {
  test('is left out of the list for everyone but its owner', async () => {
    const world = await fronting()
    await changeMember(world, { visibility: 'private' })
    const listed = async (who: Who) =>
      (await world.get<Json[]>('GET /v1/s/<own>/members', who)).map(({ name }) => name)
    expect(await listed('owner')).toEqual(['Wren', 'Finch', 'Heron'])
    for (const who of strangers) expect(await listed(who)).toEqual(['Finch', 'Heron'])
  })

  test('is still found by its ID, among the fronters, in switches and messages', async () => {
    const world = await fronting()
    await changeMember(world, { visibility: 'private' })
    for (const who of strangers) {
      for (const line of memberReads.filter((read) => !read.endsWith('/members')))
        expect(await shownBy(world, line, world.wren.hid, who)).toMatchObject({ name: 'Wren' })
      const [latest] = await world.get<Json[]>('GET /v1/s/<own>/switches', who)
      expect(latest).toMatchObject({ members: [world.wren.hid] })
    }
  })
})

async function expectHidden(
  world: Fixture,
  line: string,
  id: string,
  key: string,
  stored: unknown,
  shown: string,
): Promise<void> {
  const own = await shownBy(world, line, id, 'owner')
  // Version 1 has no key for some of them; hidden they are all the same.
  if (key in own) expect(JSON.stringify(own[key])).toContain(shown)
  for (const who of strangers) {
    const { text, json } = await world.ask(line, undefined, who)
    const seen = objectIn(json, id)
    if (key === 'display_name') {
      // It is what others see in place of the private name.
      expect(seen).toMatchObject({ name: stored, display_name: null })
      continue
    }
    expect(text, `${line} for ${who}`).not.toContain(shown)
    if (key === 'name' && 'display_name' in own)
      expect(seen).toMatchObject({ name: 'Somebody', display_name: null })
    else if (key in own) expect(seen[key]).toEqual(key === 'proxy_tags' ? [] : null)
  }
}

async function expectLevels(
  world: Fixture,
  line: string,
  id: string,
  levels: readonly string[],
  value: string,
): Promise<void> {
  for (const who of everyone) {
    const seen = await shownBy(world, line, id, who)
    const told = Object.fromEntries(levels.map((level) => [level, seen[level]]))
    const expected = levels.map((level) => [level, who === 'owner' ? value : null])
    expect(told, `${line} for ${who}`).toEqual(Object.fromEntries(expected))
  }
}

/** A world in which wren fronts, so that every read that shows a member shows this one. */
async function fronting(): Promise<Fixture> {
  const world = await createFixture(house)
  const { owner, wren } = world
  await house.deps.transact('new', (tx) =>
    insertSwitch(house.deps, tx, owner.id, at('2025-01-01'), [wren]),
  )
  return world
}

async function changeSystem({ owner }: Fixture, patch: SystemPatch): Promise<void> {
  await house.deps.transact('new', async (tx) => {
    await tx.update(systems).set(patch).where(eq(systems.id, owner.id))
  })
}

async function changeMember({ wren }: Fixture, patch: MemberPatch): Promise<void> {
  await house.deps.transact('new', (tx) => updateMember(tx, wren, patch))
}

async function shownBy(
  world: Fixture,
  line: string,
  id: string,
  who: Who = 'nobody',
): Promise<Json> {
  return objectIn((await world.ask<unknown>(line, undefined, who)).json, id)
}

/** The object with that ID, wherever it lies in an answer. */
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

/** A value in every field that has a marker, guarded or not. */
function marked({ fields }: Entity): Json {
  const known = Object.entries(fields).filter(([, { kind }]) => kind in marks)
  return Object.fromEntries(known.map(([key, field]) => [key, markOf(key, field).stored]))
}

function markOf(key: string, { kind }: Field) {
  const mark = marks[kind]
  if (!mark) throw new Error(`there is no marker for the kind ${kind}`)
  return mark(key)
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
