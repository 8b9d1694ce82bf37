import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  entityOf,
  type RenderedTable,
  renderedTableOf,
  renderedTables,
} from '../src/db/renderedJson'
import { createDecoder } from '../src/db/rows'
import { inspect, repair } from '../src/db/sqlite/doctor'
import type { Entity, JsonObject } from '../src/model/entity'
import { text } from '../src/model/field'
import { member } from '../src/model/member'
import { schemaHash } from '../src/model/renderedJson'
import { renderRowJson } from '../src/serializers/v2'
import { createCacheRefresher } from '../src/service/read/cacheRefresher'
import { createBot } from './operatorActions'
import {
  importInto,
  pluralkit,
  withRawDatabase,
  withRawDatabaseAsync,
} from './service/transfer/importFixture'
import { createTestApp, type TestSystem } from './testApp'

const place = createTestApp()
const { deps, ask } = place
const path = place.app.storage.location
const bot = `Bot ${await createBot(deps, 'faces')}`

const levels = [...member.levels]

/** Wren and Ash with a group, fronting, one of them heard; and a stranger who looks on. */
interface Scene {
  me: TestSystem
  stranger: TestSystem
  wren: string
  ash: string
  group: string
}

async function makeScene(): Promise<Scene> {
  const me = await place.makeSystem('Lantern')
  const stranger = await place.makeSystem('Stranger')
  const make = async (line: string, body: object) =>
    (await ask<{ id: string }>(line, { as: me, body })).json.id
  const tags = [{ prefix: 'w:', suffix: null }]
  const wren = await make('POST /v2/members', {
    name: 'Wren "W" \\ \u2028',
    display_name: 'Shown 🦊',
    description: 'SECRET\n\t\u0007',
    proxy_tags: tags,
  })
  const ash = await make('POST /v2/members', { name: 'Ash', birthday: '0004-11-02' })
  const group = await make('POST /v2/groups', { name: 'Keepers', description: 'Keepers of lamps' })
  await ask(`POST /v2/groups/${group}/members/add`, { as: me, body: [wren, ash] })
  await ask('POST /v2/systems/@me/switches', { as: me, body: { members: [wren, ash] } })
  return { me, stranger, wren, ash, group }
}

/** Every GET that shows a system, a member or a group. */
const questions = [
  'GET /v2/systems/SYSTEM',
  'GET /v2/systems/SYSTEM/members',
  'GET /v2/systems/SYSTEM/groups',
  'GET /v2/systems/SYSTEM/groups?with_members=true',
  'GET /v2/systems/SYSTEM/switches',
  'GET /v2/systems/SYSTEM/fronters',
  'GET /v2/systems/SYSTEM/switches/SWITCH',
  'GET /v2/members/WREN',
  'GET /v2/members/ASH',
  'GET /v2/members/WREN/groups',
  'GET /v2/groups/GROUP',
  'GET /v2/groups/GROUP/members',
  'GET /v2/messages/MESSAGE',
]

async function answers({ me, stranger, wren, ash, group }: Scene): Promise<string[]> {
  const found = withRawDatabase(path, (database) => ({
    uuid: database
      .query<{ uuid: string }, [number]>('SELECT uuid FROM switches WHERE system_id = ? LIMIT 1')
      .get(me.id)?.uuid,
    message: database
      .query<{ id: string }, [number]>('SELECT id FROM messages WHERE system_id = ? LIMIT 1')
      .get(me.id)?.id,
  }))
  const told: string[] = []
  for (const question of questions)
    for (const as of [me, stranger, null]) {
      const line = question
        .replace('SYSTEM', me.hid)
        .replace('SWITCH', found.uuid ?? crypto.randomUUID())
        .replace('WREN', wren)
        .replace('ASH', ash)
        .replace('GROUP', group)
        .replace('MESSAGE', found.message ?? '1')
      const { status, text } = await ask(line, { as })
      told.push(`${line} as ${as?.hid ?? 'nobody'}: ${status} ${text}`)
    }
  return told
}

function removeFaces(): void {
  withRawDatabase(path, (database) => {
    for (const table of renderedTables) database.run(`DELETE FROM ${renderedTableOf(table)}`)
  })
}

/** Every face that a reader would take is what the row shows now. */
function expectRightFaces(): void {
  withRawDatabase(path, (database) => {
    for (const table of renderedTables) {
      const entity: Entity = entityOf(table)
      const rows = database
        .query<{ own: string; others: string; hid: string }, [number]>(
          `SELECT t.*, f.own, f.others FROM ${table} t
           JOIN ${renderedTableOf(table)} f ON f.id = t.id AND f.shape = ?`,
        )
        .all(schemaHash(entity))
      for (const { own, others, ...raw } of rows) {
        const row = createDecoder(entity)(raw)
        expect([own, others]).toEqual([
          renderRowJson(entity, row, 'owner'),
          renderRowJson(entity, row, 'others'),
        ])
      }
    }
  })
}

function countFaces(table: RenderedTable): number {
  return withRawDatabase(
    path,
    (database) => database.query(`SELECT 1 FROM ${renderedTableOf(table)}`).all().length,
  )
}

/** What arrives in one turn of the event loop reads from one snapshot. */
function nextTurn(): Promise<void> {
  return Bun.sleep(5)
}

/** Waits until whoever mends has nothing left to do. */
async function mended(table: RenderedTable, count: number): Promise<void> {
  for (let time = 0; time < 1000 && countFaces(table) < count; time++) await Bun.sleep(5)
}

describe('a bot', () => {
  test('is answered the same where the member who speaks has no face, which is then mended', async () => {
    const { me } = await makeScene()
    const headers = { authorization: bot }
    const account_id = '700000000000000001'
    await ask(`PUT /bot/systems/${me.hid}/accounts/${account_id}`, { headers })
    const body = { account_id, guild_id: '1', channel_id: '2', content: 'w:hello' }
    const decide = () => ask<{ action: string }>('POST /bot/proxy', { headers, body })
    const withFace = await decide()
    expect(withFace.json.action).toBe('proxy')
    removeFaces()
    await nextTurn()
    const withoutFace = await decide()
    expect(withoutFace.text).toBe(withFace.text)
    await mended('members', 1)
    expectRightFaces()
    expect(countFaces('members')).toBe(1)
  })
})

describe('whatever is done', () => {
  /** Verbs in any order: each says which of the scene it changes, and how. */
  const level = fc.constantFrom('public', 'private', null)
  const verb = fc.oneof(
    fc.record({
      line: fc.constantFrom('PATCH /v2/members/WREN', 'PATCH /v2/members/ASH'),
      body: fc.record(
        {
          name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
          display_name: fc.option(fc.string({ maxLength: 20 })),
          description: fc.option(fc.string({ unit: 'binary-ascii', maxLength: 40 })),
          privacy: fc.dictionary(fc.constantFrom(...levels), level, { maxKeys: 4 }),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      line: fc.constant('PATCH /v2/groups/GROUP'),
      body: fc.record(
        {
          name: fc.string({ minLength: 1, maxLength: 20 }),
          privacy: fc.dictionary(
            fc.constantFrom('name_privacy', 'list_privacy', 'visibility', 'metadata_privacy'),
            level,
          ),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      line: fc.constant('PATCH /v2/systems/@me'),
      body: fc.record(
        {
          name: fc.option(fc.string({ maxLength: 20 })),
          tag: fc.option(fc.string({ maxLength: 10 })),
          privacy: fc.dictionary(
            fc.constantFrom('name_privacy', 'member_list_privacy', 'front_privacy'),
            level,
          ),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      line: fc.constantFrom(
        'POST /private/bulk_privacy/member',
        'POST /private/bulk_privacy/group',
      ),
      body: fc.dictionary(fc.constantFrom('name_privacy', 'visibility'), level),
    }),
    fc.constantFrom(
      { line: 'RECORD', body: {} },
      { line: 'IMPORT', body: {} },
      { line: 'FORGET', body: {} },
    ),
  )

  test('no face is ever other than what its row shows, and answers are the same without faces', async () => {
    let messages = 0
    await fc.assert(
      fc.asyncProperty(fc.array(verb, { minLength: 1, maxLength: 6 }), async (verbs) => {
        const scene = await makeScene()
        const { me, wren, ash, group } = scene
        const account = `8${String(me.id).padStart(17, '0')}`
        for (const { line, body } of verbs) {
          if (line === 'FORGET') removeFaces()
          else if (line === 'IMPORT')
            await importInto(
              place,
              me,
              pluralkit({ members: [{ id: wren, name: 'Imported' }, { name: 'New' }] }),
            )
          else if (line === 'RECORD') {
            const headers = { authorization: bot }
            await ask(`PUT /bot/systems/${me.hid}/accounts/${account}`, { headers })
            const id = `9${String(messages++).padStart(17, '0')}`
            const record = { id, original: `${id}1`, sender: account, channel: '5', member: wren }
            const { status } = await ask('POST /bot/messages', { headers, body: record })
            expect(status).toBe(201)
          } else
            await ask(line.replace('WREN', wren).replace('ASH', ash).replace('GROUP', group), {
              as: me,
              body,
            })
          expectRightFaces()
        }
        const withFaces = await answers(scene)
        removeFaces()
        await nextTurn()
        expect(await answers(scene)).toEqual(withFaces)
        expectRightFaces()
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  test('what is read without a face gets one, and then shows the same', async () => {
    const scene = await makeScene()
    removeFaces()
    const before = await answers(scene)
    await mended('members', 2)
    expect([countFaces('systems'), countFaces('members'), countFaces('groups')]).toEqual([1, 2, 1])
    expect(await answers(scene)).toEqual(before)
  })
})

describe('a row that is changed by plain SQL', () => {
  const changes: [says: string, sql: string][] = [
    ['a value', "UPDATE members SET name = 'Changed' WHERE hid = ?"],
    [
      'a value and its face of before',
      "UPDATE members SET name = 'Changed', hid = hid WHERE hid = ?",
    ],
    [
      'all of it',
      `REPLACE INTO members (id, uuid, hid, system_id, name, display_name)
       SELECT id, uuid, hid, system_id, 'Changed', NULL FROM members WHERE hid = ?`,
    ],
  ]

  test.each(changes)('shows %s', async (_, sql) => {
    const { me, wren } = await makeScene()
    await ask(`GET /v2/members/${wren}`, { as: me })
    withRawDatabase(path, (database) => database.query(sql).run(wren))
    await nextTurn()
    const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
    expect(json.name).toBe('Changed')
  })

  test('hides what it made private, from then on and for ever', async () => {
    const scene = await makeScene()
    const { stranger, wren } = scene
    expect((await ask(`GET /v2/members/${wren}`, { as: stranger })).text).toContain('SECRET')
    withRawDatabase(path, (database) =>
      database.query("UPDATE members SET description_privacy = 'private' WHERE hid = ?").run(wren),
    )
    for (let time = 0; time < 3; time++) {
      await nextTurn()
      const told = (await answers(scene)).filter((line) => !line.includes(`as ${scene.me.hid}`))
      expect(told.join('\n')).not.toContain('SECRET')
    }
  })
})

test('a field that becomes private while its face is mended stays hidden', async () => {
  const { me, stranger, wren } = await makeScene()
  removeFaces()
  // A reader who saw it public asks for the face; before anybody mends it, the owner hides it.
  const noted: [RenderedTable, number][] = []
  const slow = {
    ...deps,
    scheduleRender: (table: RenderedTable, id: number) => void noted.push([table, id]),
  }
  const { renderMember } = await import('../src/service/read/v2Fallback')
  const viewer = { system: null, platform: null }
  expect(await renderMember(slow, viewer, wren)).toContain('SECRET')
  const body = { privacy: { description_privacy: 'private' } }
  await ask(`PATCH /v2/members/${wren}`, { as: me, body })
  removeFaces()
  const mender = createCacheRefresher(deps)
  for (const [table, id] of noted) mender.enqueue(table, id)
  await mended('members', 1)
  await mender.stop()
  expect(countFaces('members')).toBe(1)
  expect((await ask(`GET /v2/members/${wren}`, { as: stranger })).text).not.toContain('SECRET')
  expectRightFaces()
})

describe('a face of another shape', () => {
  test('is none: two releases on one file each show their own', async () => {
    const { me, wren } = await makeScene()
    withRawDatabase(path, (database) =>
      database.run(`UPDATE member_faces SET shape = shape + 1, own = '"x":1', others = '"x":1'`),
    )
    const { json } = await ask<JsonObject>(`GET /v2/members/${wren}`, { as: me })
    expect(json.name).toBe('Wren "W" \\ \u2028')
    expect(json).not.toHaveProperty('x')
  })

  test('comes with every change of the table', () => {
    const shapes = [
      member,
      { ...member, levels: [...member.levels, 'tea_privacy'] },
      { ...member, entries: [...member.entries, ['tea', text({ max: 5, doc: 'Tea' })] as const] },
      { ...member, entries: member.entries.slice(1) },
      {
        ...member,
        entries: member.entries.map(([key, field]) =>
          key === 'color'
            ? ([key, { ...field, guard: 'name_privacy' }] as const)
            : ([key, field] as const),
        ),
      },
    ].map((entity) => schemaHash(entity as Entity))
    expect(new Set(shapes).size).toBe(shapes.length)
    expect(schemaHash(member)).toBe(shapes[0] ?? 0)
  })
})

test('doctor finds a face that shows otherwise than its row, and takes it away', async () => {
  const { wren } = await makeScene()
  await withRawDatabaseAsync(path, async (database) => {
    // What the tests before have left.
    expect(await repair(database, renderRowJson)).toEqual([])
    database
      .query(
        `UPDATE member_faces SET others = '"name":"SECRET"'
         WHERE id = (SELECT id FROM members WHERE hid = ?)`,
      )
      .run(wren)
    const found = await inspect(database, renderRowJson)
    expect(found.map(({ check, problem }) => `${check}: ${problem}`)).toEqual([
      `rendered JSON: the cached JSON of member ${wren} is stale`,
    ])
    expect(await repair(database, renderRowJson)).toEqual([])
  })
  expectRightFaces()
})
