import { eq } from 'drizzle-orm'
import { groups, members, systems } from '../../../src/db/tables'
import type { Entity, JsonObject } from '../../../src/model/core/entity'
import { formatInstant } from '../../../src/model/core/time'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { system } from '../../../src/model/systems/system'
import { drizzleOn } from '../../tools/drizzle'
import { at, createFixture, type Fixture, type Who } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

/** Requests that return the system, wren or keepers. */
const reads = {
  system: [
    'GET /v2/systems/<own>',
    'GET /v2/systems/<own.uuid>',
    'GET /v2/systems/<account>',
    'GET /v2/messages/<message>',
  ],
  member: [
    'GET /v2/members/<wren>',
    'GET /v2/members/<wren.uuid>',
    'GET /v2/systems/<own>/members',
    'GET /v2/groups/<keepers>/members',
    'GET /v2/systems/<own>/fronters',
    'GET /v2/systems/<own>/switches/<first>',
    'GET /v2/messages/<message>',
  ],
  group: [
    'GET /v2/groups/<keepers>',
    'GET /v2/groups/<keepers.uuid>',
    'GET /v2/systems/<own>/groups',
    'GET /v2/systems/<own>/groups?with_members=true',
    'GET /v2/members/<wren>/groups',
  ],
}

/** Reads that return none of them, and requests that must be refused without revealing anything. */
const otherRequests: [line: string, body?: unknown][] = [
  ['GET /v2/systems/<own>/settings'],
  ['GET /v2/systems/<own>/switches'],
  ['PATCH /v2/systems/<own>', { tag: 'x' }],
  ['PATCH /v2/members/<wren>', { name: 'x' }],
  ['PATCH /v2/groups/<keepers>', { name: 'x' }],
  ['POST /v2/systems/@me/switches', { members: ['<wren>'] }],
  ['POST /v2/groups/<circle>/members/add', ['<wren>']],
  ['POST /v2/members/<stray>/groups/add', ['<keepers>']],
  ['DELETE /v2/members/<wren>'],
  ['DELETE /v2/groups/<keepers>'],
]

const nonOwners: Who[] = ['other', 'anonymous']

const subjects = [
  { noun: 'system', entity: system, write: 'PATCH /v2/systems/@me' },
  { noun: 'member', entity: member, write: 'PATCH /v2/members/<wren>' },
  { noun: 'group', entity: group, write: 'PATCH /v2/groups/<keepers>' },
] as const

describe.each(subjects)('privacy of a $noun', ({ noun, entity, write }) => {
  const fields = entity.entries
  const guarded = fields.filter(([, { guard }]) => guard !== undefined)
  /** Fields that each level hides; levels that close lists hide none. */
  const hides = entity.levels.map((level): [level: string, keys: string[]] => [
    level,
    guarded.filter(([, { guard }]) => guard === level).map(([key]) => key),
  ])

  test(`public fields of a ${noun} are returned to all callers`, async () => {
    const fixture = await createMarkedFixture()
    for (const line of reads[noun])
      for (const who of ['owner', ...nonOwners] as Who[]) {
        const { text } = await fixture.ask(line, undefined, who)
        for (const [key] of guarded) expect(text, line).toContain(markerTextOf(entity, key))
      }
  })

  const levels = hides.filter(([, keys]) => keys.length > 0)

  test.each(levels)(
    `%s of a ${noun} hides %p from other callers, and nothing else`,
    async (level, hidden) => {
      const fixture = await createMarkedFixture()
      await fixture.do(write, { privacy: { [level]: 'private' } })
      const lines = [...new Set(Object.values(reads).flat())].map((line) => [line] as [string])
      for (const who of nonOwners)
        for (const [line, body] of [...lines, ...otherRequests]) {
          const { text, json } = await fixture.ask(line, body, who)
          for (const [key] of guarded) {
            const markerText = markerTextOf(entity, key)
            // The display name replaces a private name, so it may appear, but not under its own key.
            if (hidden.includes(key) && key === 'display_name')
              expect(valuesAt(json, key), line).not.toContain(markerOf(entity, key))
            else if (hidden.includes(key))
              expect(text, `${line} as ${who}`).not.toContain(markerText)
            else if (reads[noun].includes(line)) expect(text, line).toContain(markerText)
          }
        }
      for (const line of reads[noun]) {
        const { text } = await fixture.ask(line)
        for (const [key] of guarded) expect(text, line).toContain(markerTextOf(entity, key))
      }
    },
  )

  test(`a ${noun} that is all private has the same keys for other callers, all empty`, async () => {
    const fixture = await createMarkedFixture()
    const [line = ''] = reads[noun]
    const ownerJson = await fixture.get(line)
    const allPrivate = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
    await fixture.do(write, { privacy: allPrivate })
    for (const who of nonOwners) {
      const expected: JsonObject = { ...ownerJson, privacy: null }
      for (const [key, { kind, fallback, guard, ownerOnly }] of fields) {
        if (ownerOnly === 'absent') delete expected[key]
        else if (ownerOnly === 'null') expected[key] = null
        else if (fallback) expected[key] = ownerJson[fallback]
        else if (guard) expected[key] = kind === 'proxyTags' ? [] : null
      }
      expect(await fixture.get(line, who)).toEqual(expected)
    }
    expect(await fixture.get(line)).toEqual({ ...ownerJson, privacy: allPrivate })
  })

  test(`a ${noun} that is all private keeps unguarded fields and never shows owner-only ones`, async () => {
    const fixture = await createMarkedFixture()
    const allPrivate = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
    await fixture.do(write, { ...unguardedValues(entity), privacy: allPrivate })
    for (const who of nonOwners) {
      const json = await fixture.get(reads[noun][0] ?? '', who)
      expect(json).toMatchObject(unguardedValues(entity))
      expect(json.privacy).toBeNull()
      expect(json).not.toHaveProperty('webhook_url')
      if (noun === 'member') expect(json.autoproxy_enabled).toBeNull()
    }
  })

  test(`privacy levels of a ${noun} are returned to the owner only, also in lists`, async () => {
    const fixture = await createMarkedFixture()
    for (const line of reads[noun]) {
      const { text } = await fixture.ask(line)
      for (const level of entity.levels) expect(text, line).toContain(`"${level}":`)
      for (const who of nonOwners) {
        const answer = await fixture.ask(line, undefined, who)
        for (const level of entity.levels) expect(answer.text, line).not.toContain(`"${level}":`)
        expect(valuesAt(answer.json, 'privacy').filter((value) => value !== null)).toEqual([])
      }
    }
  })
})

describe.each(subjects.slice(1))('the private name of a $noun', ({ noun, write }) => {
  const read = reads[noun][0] ?? ''

  test(`the private name of a ${noun} is replaced by its display name`, async () => {
    const fixture = await createFixture(testApp)
    const privacy = { name_privacy: 'private' }
    await fixture.do(write, { name: 'Secret', display_name: 'Shown', privacy })
    for (const who of nonOwners) {
      const shown = { name: 'Shown', display_name: null }
      expect(await fixture.get(read, who)).toMatchObject(shown)
    }
    expect(await fixture.get(read)).toMatchObject({ name: 'Secret', display_name: 'Shown' })
  })

  test(`the private name of a ${noun} is kept when there is no display name`, async () => {
    const fixture = await createFixture(testApp)
    await fixture.do(write, { name: 'Secret', privacy: { name_privacy: 'private' } })
    for (const who of nonOwners)
      expect(await fixture.get(read, who)).toMatchObject({ name: 'Secret', display_name: null })
  })

  test(`the public name of a ${noun} is not replaced`, async () => {
    const fixture = await createFixture(testApp)
    await fixture.do(write, { name: 'Known', display_name: 'Shown' })
    for (const who of nonOwners)
      expect(await fixture.get(read, who)).toMatchObject({ name: 'Known', display_name: 'Shown' })
  })
})

test('the URL of the webhook is returned to the owner only', async () => {
  const fixture = await createFixture(testApp)
  const hook = 'https://marker.example/hook'
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systems)
      .set({ webhook_url: hook })
      .where(eq(systems.id, fixture.owner.id))
  })
  for (const line of reads.system) {
    expect((await fixture.ask(line)).text).toContain(hook)
    for (const who of nonOwners)
      expect((await fixture.ask(line, undefined, who)).text).not.toContain(hook)
  }
})

/** Creates a fixture in which every guarded field of the system, wren and keepers has a unique value. */
async function createMarkedFixture(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systems)
      .set(markersOf(system))
      .where(eq(systems.id, fixture.owner.id))
    await drizzleOn(tx)
      .update(members)
      .set(markersOf(member))
      .where(eq(members.id, fixture.wren.id))
    await drizzleOn(tx)
      .update(groups)
      .set(markersOf(group))
      .where(eq(groups.id, fixture.keepers.id))
  })
  return fixture
}

function markersOf(entity: Entity): JsonObject {
  const guarded = entity.entries.filter(([, { guard }]) => guard !== undefined)
  return Object.fromEntries(guarded.map(([key]) => [key, markerOf(entity, key)]))
}

/** Returns a value that no other field has. */
function markerOf({ name, fields }: Entity, key: string): unknown {
  const marker = `${name} marker ${key}`
  switch (fields[key]?.kind) {
    case 'url':
      return `https://${name}.example/${key}.png`
    case 'date':
      return '1987-03-05'
    case 'timestamp':
      return at('2011-11-11T11:11:11Z') + key.length + 1000 * name.length
    case 'count':
      return 918_273_645
    case 'proxyTags':
      return [{ prefix: `${marker}:`, suffix: null }]
    default:
      return `${marker}.`
  }
}

/** Returns the text of that value in a response. */
function markerTextOf(entity: Entity, key: string): string {
  const marker = markerOf(entity, key)
  const kind = entity.fields[key]?.kind
  if (kind === 'timestamp') return formatInstant(marker as number)
  return kind === 'proxyTags' ? `${entity.name} marker ${key}:` : String(marker)
}

/** Returns all values of a key, at any depth. */
function valuesAt(json: unknown, key: string): unknown[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesAt(value, key),
  ])
}

function unguardedValues({ fields }: Entity): JsonObject {
  const values = { tag: '| always', color: 'abcdef', keep_proxy: true, tts: true }
  return Object.fromEntries(Object.entries(values).filter(([key]) => key in fields))
}
