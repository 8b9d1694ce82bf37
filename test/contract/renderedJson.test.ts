import fc from 'fast-check'
import { createDecoder } from '../../src/db/query'
import { entityOf, type RenderedTable, renderedTables } from '../../src/db/renderedJson'
import { visibleRows } from '../../src/db/visible'
import { inspect, repair } from '../../src/doctor/sqliteDoctor'
import type { Entity, JsonObject } from '../../src/model/core/entity'
import { text } from '../../src/model/core/field'
import { anonymousViewer } from '../../src/model/core/privacy'
import { schemaHash } from '../../src/model/core/schemaHash'
import { member } from '../../src/model/members/member'
import { renderRowJson } from '../../src/serializers/v2'
import { createCacheRefresher } from '../../src/service/reads/cacheRefresher'
import { readMember } from '../../src/service/reads/objects'
import {
  importInto,
  pluralkit,
  withRawDatabase,
  withRawDatabaseAsync,
} from '../service/transfer/importFixture'
import { currentSchema } from '../tools/currentSchema'
import { createBot } from '../tools/operatorActions'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { until } from '../tools/until'

const testApp = createTestApp()
const { deps, ask } = testApp
const path = testApp.app.storage.location
const bot = `Bot ${await createBot(deps, 'rendered')}`

const levels = [...member.levels]

/** Wren and Ash, who front and are in a group; and another system as a second viewer. */
interface Scene {
  me: TestSystem
  stranger: TestSystem
  wren: string
  ash: string
  group: string
}

async function createScene(): Promise<Scene> {
  const me = await testApp.makeSystem('Lantern')
  const stranger = await testApp.makeSystem('Stranger')
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

/** All GET requests that return a system, a member or a group. */
const requests = [
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

async function collectResponses({ me, stranger, wren, ash, group }: Scene): Promise<string[]> {
  const found = withRawDatabase(path, (database) => ({
    uuid: database
      .query<{ uuid: string }, [number]>('SELECT uuid FROM switches WHERE system_id = ? LIMIT 1')
      .get(me.id)?.uuid,
    message: database
      .query<{ id: string }, [number]>('SELECT id FROM messages WHERE system_id = ? LIMIT 1')
      .get(me.id)?.id,
  }))
  const responses: string[] = []
  for (const template of requests)
    for (const as of [me, stranger, null]) {
      const line = template
        .replace('SYSTEM', me.hid)
        .replace('SWITCH', found.uuid ?? crypto.randomUUID())
        .replace('WREN', wren)
        .replace('ASH', ash)
        .replace('GROUP', group)
        .replace('MESSAGE', found.message ?? '1')
      const { status, text } = await ask(line, { as })
      responses.push(`${line} as ${as?.hid ?? 'nobody'}: ${status} ${text}`)
    }
  return responses
}

function deleteCachedJson(): void {
  withRawDatabase(path, (database) => {
    for (const table of renderedTables) database.run(`DELETE FROM rendered_${table}`)
  })
}

/** Expects that all cached JSON that reads would use equals the JSON of its row. */
function expectCurrentJson(): void {
  withRawDatabase(path, (database) => {
    for (const table of renderedTables) {
      const entity: Entity = entityOf(table)
      const rows = database
        .query<{ owner_json: string; public_json: string; hid: string }, [number]>(
          `SELECT t.*, f.owner_json, f.public_json FROM ${table} t
           JOIN rendered_${table} f ON f.id = t.id AND f.schema_hash = ?`,
        )
        .all(schemaHash(entity))
      for (const { owner_json, public_json, ...raw } of rows) {
        const decode = createDecoder<typeof raw>(visibleRows[table]._.selectedFields)
        const row = decode ? decode(raw) : raw
        expect([owner_json, public_json]).toEqual([
          renderRowJson(entity, row, 'owner'),
          renderRowJson(entity, row, 'public'),
        ])
      }
    }
  })
}

function countCached(table: RenderedTable): number {
  return withRawDatabase(
    path,
    (database) => database.query(`SELECT 1 FROM rendered_${table}`).all().length,
  )
}

/** Waits for the next turn of the event loop, because requests of one turn read one snapshot. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Waits until the background refresh has cached the JSON of so many rows. */
async function untilCached(table: RenderedTable, count: number): Promise<void> {
  await until(() => countCached(table) >= count)
}

describe('bot API', () => {
  test('answers a bot the same when the JSON of the proxied member is not cached, and caches it', async () => {
    const { me } = await createScene()
    const headers = { authorization: bot }
    const account_id = '700000000000000001'
    await ask(`PUT /bot/systems/${me.hid}/accounts/${account_id}`, { headers })
    const body = { account_id, guild_id: '1', channel_id: '2', content: 'w:hello' }
    const decide = () => ask<{ action: string }>('POST /bot/proxy', { headers, body })
    const cached = await decide()
    expect(cached.json.action).toBe('proxy')
    deleteCachedJson()
    await nextTurn()
    const uncached = await decide()
    expect(uncached.text).toBe(cached.text)
    await untilCached('members', 1)
    expectCurrentJson()
    expect(countCached('members')).toBe(1)
  })
})

describe('random changes', () => {
  /** Change of one row of the scene, or a recorded message, an import or a deletion of the cache. */
  const level = fc.constantFrom('public', 'private', null)
  const action = fc.oneof(
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

  test('never caches stale JSON, and answers the same without the cache', async () => {
    let messages = 0
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), async (actions) => {
        const scene = await createScene()
        const { me, wren, ash, group } = scene
        const account = `8${String(me.id).padStart(17, '0')}`
        for (const { line, body } of actions) {
          if (line === 'FORGET') deleteCachedJson()
          else if (line === 'IMPORT')
            await importInto(
              testApp,
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
          expectCurrentJson()
        }
        const cached = await collectResponses(scene)
        deleteCachedJson()
        await nextTurn()
        expect(await collectResponses(scene)).toEqual(cached)
        expectCurrentJson()
      }),
      { numRuns: rounds(5) },
    )
  })

  test('caches the JSON of rows that were read without it, and answers the same then', async () => {
    const scene = await createScene()
    deleteCachedJson()
    const before = await collectResponses(scene)
    await untilCached('members', 2)
    expect([countCached('systems'), countCached('members'), countCached('groups')]).toEqual([
      1, 2, 1,
    ])
    expect(await collectResponses(scene)).toEqual(before)
  })
})

describe('row that plain SQL changes', () => {
  const changes: [what: string, sql: string][] = [
    ['a value', "UPDATE members SET name = 'Changed' WHERE hid = ?"],
    [
      'a value and its unchanged ID',
      "UPDATE members SET name = 'Changed', hid = hid WHERE hid = ?",
    ],
    [
      'the whole row',
      `REPLACE INTO members (id, uuid, hid, system_id, name, display_name)
       SELECT id, uuid, hid, system_id, 'Changed', NULL FROM members WHERE hid = ?`,
    ],
  ]

  test.each(changes)(
    'does not answer from the cache after plain SQL has changed %s',
    async (_, sql) => {
      const { me, wren } = await createScene()
      await ask(`GET /v2/members/${wren}`, { as: me })
      withRawDatabase(path, (database) => database.query(sql).run(wren))
      await nextTurn()
      const { json } = await ask(`GET /v2/members/${wren}`, { as: me })
      expect(json.name).toBe('Changed')
    },
  )

  test('hides a field from then on when plain SQL makes it private', async () => {
    const scene = await createScene()
    const { stranger, wren } = scene
    expect((await ask(`GET /v2/members/${wren}`, { as: stranger })).text).toContain('SECRET')
    withRawDatabase(path, (database) =>
      database.query("UPDATE members SET description_privacy = 'private' WHERE hid = ?").run(wren),
    )
    for (let time = 0; time < 3; time++) {
      await nextTurn()
      const responses = (await collectResponses(scene)).filter(
        (line) => !line.includes(`as ${scene.me.hid}`),
      )
      expect(responses.join('\n')).not.toContain('SECRET')
    }
  })
})

test('hides a field that becomes private while the refresh of its JSON waits', async () => {
  const { me, stranger, wren } = await createScene()
  deleteCachedJson()
  // A read of the public field enqueues the refresh; the owner hides the field before it runs.
  const enqueued: [RenderedTable, number][] = []
  const depsWithoutRefresh = {
    ...deps,
    scheduleRender: (table: RenderedTable, id: number) => void enqueued.push([table, id]),
  }
  const json = await readMember(depsWithoutRefresh, anonymousViewer, wren)
  expect(new TextDecoder().decode(json)).toContain('SECRET')
  const body = { privacy: { description_privacy: 'private' } }
  await ask(`PATCH /v2/members/${wren}`, { as: me, body })
  deleteCachedJson()
  const refresher = createCacheRefresher(deps)
  for (const [table, id] of enqueued) refresher.enqueue(table, id)
  await untilCached('members', 1)
  await refresher.stop()
  expect(countCached('members')).toBe(1)
  expect((await ask(`GET /v2/members/${wren}`, { as: stranger })).text).not.toContain('SECRET')
  expectCurrentJson()
})

describe('schema hash', () => {
  test('ignores cached JSON of a release with another schema', async () => {
    const { me, wren } = await createScene()
    withRawDatabase(path, (database) =>
      database.run(
        `UPDATE rendered_members SET schema_hash = schema_hash + 1, owner_json = '"x":1', public_json = '"x":1'`,
      ),
    )
    const { json } = await ask<JsonObject>(`GET /v2/members/${wren}`, { as: me })
    expect(json.name).toBe('Wren "W" \\ \u2028')
    expect(json).not.toHaveProperty('x')
  })

  test('changes the schema hash with every change of the field table', () => {
    const hashes = [
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
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(schemaHash(member)).toBe(hashes[0] ?? 0)
  })
})

test('finds and deletes stale cached JSON with the doctor', async () => {
  const { wren } = await createScene()
  await withRawDatabaseAsync(path, async (database) => {
    // Removes findings that earlier tests left.
    expect(await repair(database, renderRowJson, currentSchema)).toEqual([])
    database
      .query(
        `UPDATE rendered_members SET public_json = '"name":"SECRET"'
         WHERE id = (SELECT id FROM members WHERE hid = ?)`,
      )
      .run(wren)
    const found = await inspect(database, renderRowJson, currentSchema)
    expect(found.map(({ check, problem }) => `${check}: ${problem}`)).toEqual([
      `rendered JSON: the cached JSON of member ${wren} is stale`,
    ])
    expect(await repair(database, renderRowJson, currentSchema)).toEqual([])
  })
  expectCurrentJson()
})
