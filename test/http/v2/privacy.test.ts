import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { groups, members, systems } from '../../../src/db/tables'
import type { Entity, JsonObject } from '../../../src/model/entity'
import { group } from '../../../src/model/group'
import { member } from '../../../src/model/member'
import { system } from '../../../src/model/system'
import { formatInstant } from '../../../src/model/time'
import { at, createFixture, type Fixture, type Who } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

/** Where the system, wren and keepers can be read. */
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

/** Reads that show none of them, and requests that must be refused without telling anything. */
const others: [line: string, body?: unknown][] = [
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

const strangers: Who[] = ['other', 'nobody']

const subjects = [
  { noun: 'system', entity: system, write: 'PATCH /v2/systems/@me' },
  { noun: 'member', entity: member, write: 'PATCH /v2/members/<wren>' },
  { noun: 'group', entity: group, write: 'PATCH /v2/groups/<keepers>' },
] as const

describe.each(subjects)('what is private of a $noun', ({ noun, entity, write }) => {
  const fields = entity.entries
  const guarded = fields.filter(([, { guard }]) => guard !== undefined)
  /** What each level hides; those that close whole lists hide no field. */
  const hides = entity.levels.map((level): [level: string, keys: string[]] => [
    level,
    guarded.filter(([, { guard }]) => guard === level).map(([key]) => key),
  ])

  test('is shown to everyone while it is public', async () => {
    const world = await markedWorld()
    for (const line of reads[noun])
      for (const who of ['owner', ...strangers] as Who[]) {
        const { text } = await world.ask(line, undefined, who)
        for (const [key] of guarded) expect(text, line).toContain(traceOf(entity, key))
      }
  })

  const levels = hides.filter(([, keys]) => keys.length > 0)

  test.each(levels)('%s hides %p from others, and nothing else', async (level, hidden) => {
    const world = await markedWorld()
    await world.do(write, { privacy: { [level]: 'private' } })
    const lines = [...new Set(Object.values(reads).flat())].map((line) => [line] as [string])
    for (const who of strangers)
      for (const [line, body] of [...lines, ...others]) {
        const { text, json } = await world.ask(line, body, who)
        for (const [key] of guarded) {
          const trace = traceOf(entity, key)
          // The display name is what stands in for the name: it may be there, but not as itself.
          if (hidden.includes(key) && key === 'display_name')
            expect(valuesAt(json, key), line).not.toContain(markOf(entity, key))
          else if (hidden.includes(key)) expect(text, `${line} as ${who}`).not.toContain(trace)
          else if (reads[noun].includes(line)) expect(text, line).toContain(trace)
        }
      }
    for (const line of reads[noun]) {
      const { text } = await world.ask(line)
      for (const [key] of guarded) expect(text, line).toContain(traceOf(entity, key))
    }
  })

  test('leaves a stranger the same keys, all empty, when everything is private', async () => {
    const world = await markedWorld()
    const [line = ''] = reads[noun]
    const owned = await world.get(line)
    const all = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
    await world.do(write, { privacy: all })
    for (const who of strangers) {
      const expected: JsonObject = { ...owned, privacy: null }
      for (const [key, { kind, fallback, guard, ownerOnly }] of fields) {
        if (ownerOnly === 'absent') delete expected[key]
        else if (ownerOnly === 'null') expected[key] = null
        else if (fallback) expected[key] = owned[fallback]
        else if (guard) expected[key] = kind === 'proxyTags' ? [] : null
      }
      expect(await world.get(line, who)).toEqual(expected)
    }
    expect(await world.get(line)).toEqual({ ...owned, privacy: all })
  })

  test('what is always shown stays, and what is the owner’s alone never is', async () => {
    const world = await markedWorld()
    const all = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
    await world.do(write, { ...alwaysShown(entity), privacy: all })
    for (const who of strangers) {
      const seen = await world.get(reads[noun][0] ?? '', who)
      expect(seen).toMatchObject(alwaysShown(entity))
      expect(seen.privacy).toBeNull()
      expect(seen).not.toHaveProperty('webhook_url')
      if (noun === 'member') expect(seen.autoproxy_enabled).toBeNull()
    }
  })

  test('the levels themselves are the owner’s alone, also in lists', async () => {
    const world = await markedWorld()
    for (const line of reads[noun]) {
      const { text } = await world.ask(line)
      for (const level of entity.levels) expect(text, line).toContain(`"${level}":`)
      for (const who of strangers) {
        const answer = await world.ask(line, undefined, who)
        for (const level of entity.levels) expect(answer.text, line).not.toContain(`"${level}":`)
        expect(valuesAt(answer.json, 'privacy').filter((value) => value !== null)).toEqual([])
      }
    }
  })
})

describe.each(subjects.slice(1))('the private name of a $noun', ({ noun, write }) => {
  const read = reads[noun][0] ?? ''

  test('is replaced by the display name', async () => {
    const world = await createFixture(place)
    const privacy = { name_privacy: 'private' }
    await world.do(write, { name: 'Secret', display_name: 'Shown', privacy })
    for (const who of strangers) {
      const shown = { name: 'Shown', display_name: null }
      expect(await world.get(read, who)).toMatchObject(shown)
    }
    expect(await world.get(read)).toMatchObject({ name: 'Secret', display_name: 'Shown' })
  })

  test('stays where there is no display name', async () => {
    const world = await createFixture(place)
    await world.do(write, { name: 'Secret', privacy: { name_privacy: 'private' } })
    for (const who of strangers)
      expect(await world.get(read, who)).toMatchObject({ name: 'Secret', display_name: null })
  })

  test('is not replaced while it is public', async () => {
    const world = await createFixture(place)
    await world.do(write, { name: 'Known', display_name: 'Shown' })
    for (const who of strangers)
      expect(await world.get(read, who)).toMatchObject({ name: 'Known', display_name: 'Shown' })
  })
})

test('the address of the webhook is shown to the owner only', async () => {
  const world = await createFixture(place)
  const hook = 'https://marker.example/hook'
  await place.deps.transact('new', async (tx) => {
    await tx.update(systems).set({ webhook_url: hook }).where(eq(systems.id, world.owner.id))
  })
  for (const line of reads.system) {
    expect((await world.ask(line)).text).toContain(hook)
    for (const who of strangers)
      expect((await world.ask(line, undefined, who)).text).not.toContain(hook)
  }
})

/** A world in which every field of the system, of wren and of keepers is a mark of its own. */
async function markedWorld(): Promise<Fixture> {
  const world = await createFixture(place)
  await world.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
  await place.deps.transact('new', async (tx) => {
    await tx.update(systems).set(marksOf(system)).where(eq(systems.id, world.owner.id))
    await tx.update(members).set(marksOf(member)).where(eq(members.id, world.wren.id))
    await tx.update(groups).set(marksOf(group)).where(eq(groups.id, world.keepers.id))
  })
  return world
}

function marksOf(entity: Entity): JsonObject {
  const guarded = entity.entries.filter(([, { guard }]) => guard !== undefined)
  return Object.fromEntries(guarded.map(([key]) => [key, markOf(entity, key)]))
}

/** A value that nothing else has. */
function markOf({ name, fields }: Entity, key: string): unknown {
  const mark = `${name} marker ${key}`
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
      return [{ prefix: `${mark}:`, suffix: null }]
    default:
      return `${mark}.`
  }
}

/** How that value looks in an answer. */
function traceOf(entity: Entity, key: string): string {
  const mark = markOf(entity, key)
  const kind = entity.fields[key]?.kind
  if (kind === 'timestamp') return formatInstant(mark as number)
  return kind === 'proxyTags' ? `${entity.name} marker ${key}:` : String(mark)
}

/** Every value that stands under a key, however deep. */
function valuesAt(json: unknown, key: string): unknown[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesAt(value, key),
  ])
}

function alwaysShown({ fields }: Entity): JsonObject {
  const values = { tag: '| always', color: 'abcdef', keep_proxy: true, tts: true }
  return Object.fromEntries(Object.entries(values).filter(([key]) => key in fields))
}
