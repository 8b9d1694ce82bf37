import type { Db } from '../../src/db/types'
import { inspect } from '../../src/doctor/sqliteDoctor'
import type { JsonObject } from '../../src/model/core/entity'
import { operator, type Viewer } from '../../src/model/core/privacy'
import { renderRowJson } from '../../src/serializers/v2'
import { linkAccount } from '../../src/service/access/accounts'
import type { Deps } from '../../src/service/core/deps'
import { deleteAllSwitches } from '../../src/service/front/switches'
import { deleteMember } from '../../src/service/members/members'
import { purgeDeleted } from '../../src/service/systems/purge'
import { deleteSystem } from '../../src/service/systems/systems'
import { readStream } from '../events/readStream'
import { currentSchema } from '../tools/currentSchema'
import { fillSystem, START } from '../tools/fillSystem'
import { createBot } from '../tools/operatorActions'
import { rows } from '../tools/rawSql'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import {
  dump,
  exportText,
  importInto,
  withRawDatabase,
  withRawDatabaseAsync,
} from './transfer/importFixture'

const testApp = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  RATE_LIMIT: 'off',
  events: { heartbeatMs: 40 },
})
const { app, ask, deps } = testApp
const { location: path } = app.storage
const address = app.listen()

/** A system with a long history: Wren is in every switch and has all messages, Ash is in some. */
interface LargeSystem extends TestSystem {
  viewer: Viewer
  account: string
  wren: string
  ash: string
  group: string
}

async function makeLargeSystem(size: number): Promise<LargeSystem> {
  const one = await testApp.makeSystem('Lantern Hill')
  const viewer = { ...operator, system: one.id }
  const account = String(500_000_000_000_000_000n + BigInt(one.id))
  await linkAccount(deps, viewer, account)
  const create = async (line: string, body: JsonObject) =>
    String((await ask(line, { as: one, body })).json.id)
  const wren = await create('POST /v2/members', { name: 'Wren', proxy_tags: [{ prefix: 'w:' }] })
  const ash = await create('POST /v2/members', { name: 'Ash', proxy_tags: [{ prefix: 'a:' }] })
  const group = await create('POST /v2/groups', { name: 'Keepers' })
  await ask(`POST /v2/groups/${group}/members/add`, { as: one, body: [wren, ash] })
  withRawDatabase(path, (database) => fillSystem(database, one.id, size))
  return { ...one, viewer, account, wren, ash, group }
}

const switchOf = (system: number, at: number) =>
  `0000000${system % 10}-0000-4000-8000-${String(system * 1_000_000 + at).padStart(12, '0')}`

const messageOf = (system: number, at: number) =>
  String(700_000_000_000_000_000n + BigInt(system * 1_000_000 + at))

type Delete = (deps: Deps, large: LargeSystem) => Promise<void>

/** Deletions, smallest first, and the single statement with the same effect. */
const deletions: [noun: string, remove: Delete, statement: string][] = [
  [
    'a member',
    (deps, { viewer, wren }) => deleteMember(deps, viewer, wren),
    'DELETE FROM members WHERE id = (SELECT min(id) FROM members WHERE system_id = $system)',
  ],
  [
    'all switches',
    (deps, { viewer }) => deleteAllSwitches(deps, viewer),
    'DELETE FROM switches WHERE system_id = $system',
  ],
  [
    'a system',
    (deps, { viewer }) => deleteSystem(deps, viewer),
    'DELETE FROM systems WHERE id = $system',
  ],
]

/** Counts the rows that each transaction changes, including cascades. */
function watchChanges(): { watched: Deps; changes: number[] } {
  const changes: number[] = []
  const total = async (tx: Db) => {
    const [row] = await rows<{ all: number }>(tx, 'SELECT total_changes() AS "all"')
    return row?.all ?? 0
  }
  const watched: Deps = {
    ...deps,
    transact: (of, work, kind) =>
      deps.transact(
        of,
        async (tx) => {
          const before = await total(tx)
          const result = await work(tx)
          changes.push((await total(tx)) - before)
          return result
        },
        kind,
      ),
  }
  return { watched, changes }
}

/** Reads everything about a system, as its owner and anonymously. */
async function readAll({ hid, uuid, account, wren, ash, group, id, ...as }: LargeSystem) {
  const paths = [
    ...[hid, uuid, account, '@me'].flatMap((ref) =>
      ['', '/members', '/groups?with_members=true', '/switches?limit=3', '/fronters'].map(
        (rest) => `/v2/systems/${ref}${rest}`,
      ),
    ),
    `/v2/systems/${hid}/switches/${switchOf(id, 7)}`,
    `/v2/systems/${hid}/fronting?since=2020-01-01T00:00:00Z&until=2020-01-01T01:00:00Z`,
    `/v2/members/${wren}`,
    `/v2/members/${wren}/groups`,
    `/v2/members/${ash}/groups`,
    `/v2/groups/${group}`,
    `/v2/groups/${group}/members`,
    `/v2/messages/${messageOf(id, 7)}`,
    `/v1/s/${hid}/switches`,
    `/v1/s/${hid}/fronters`,
    `/v1/msg/${messageOf(id, 7)}`,
  ]
  const responses: Record<string, string> = {}
  for (const path of paths)
    for (const caller of [null, { ...as, hid, uuid, id }]) {
      const { status, text } = await ask(`GET ${path}`, { as: caller })
      responses[`${path} ${caller ? 'as owner' : 'anonymously'}`] = `${status} ${text}`
    }
  return responses
}

async function findProblems(): Promise<string[]> {
  const found = await withRawDatabaseAsync(path, (database) =>
    inspect(database, renderRowJson, currentSchema),
  )
  return found.map(({ problem }) => problem)
}

test('deletes 8,000 switches in small batches between which other requests are answered', async () => {
  const large = await makeLargeSystem(8_000)
  const other = await testApp.makeSystem('Elsewhere')
  for (const [, remove] of deletions) {
    const { watched, changes } = watchChanges()
    let isDone = false
    let answered = 0
    const requests = (async () => {
      while (!isDone) {
        const body = { tag: `${answered}` }
        const { status } = await ask('PATCH /v2/systems/@me', { as: other, body })
        expect(status).toBe(200)
        answered += 1
      }
    })()
    await remove(watched, large)
    await purgeDeleted(watched)
    isDone = true
    await requests
    expect(Math.max(...changes)).toBeLessThan(5000)
    expect(answered).toBeGreaterThan(8)
  }
})

describe.each(deletions)('deleting %s', (noun, remove, statement) => {
  test(`hides ${noun} at once, and leaves the same rows in the end as a single statement`, async () => {
    // Other tests leave hidden rows, which the twin would keep.
    await purgeDeleted(deps)
    const large = await makeLargeSystem(1500)
    const twin = `${path} before ${noun}`
    withRawDatabase(path, (database) => database.query('VACUUM INTO ?').run(twin))
    const before = await readAll(large)
    withRawDatabase(twin, (database) => {
      database.run('PRAGMA foreign_keys = ON')
      database.query(statement).run({ $system: large.id })
    })
    await remove(deps, large)
    const deleted = await readAll(large)
    expect(deleted).not.toEqual(before)
    expect(await findProblems()).toEqual([])

    // Each round removes some batches and stops, like a process that is killed.
    for (const most of [2, 6, 6]) {
      const { watched, changes } = watchChanges()
      await purgeDeleted(watched, () => changes.filter((count) => count >= 100).length >= most)
      expect(await readAll(large)).toEqual(deleted)
      expect(await findProblems()).toEqual([])
    }
    await purgeDeleted(deps)
    expect(await readAll(large)).toEqual(deleted)
    expect(await findProblems()).toEqual([])
    // The single statement records no event and increments no counter.
    const { events: _e1, change_counters: _m1, sqlite_sequence: _s1, ...left } = dump(path)
    const { events: _e2, change_counters: _m2, sqlite_sequence: _s2, ...expected } = dump(twin)
    expect(left).toEqual(expected)
  })
})

test('hides a deleted system, refuses its tokens and ends its streams', async () => {
  const large = await makeLargeSystem(700)
  const open = [
    await readStream(`${address}/v2/systems/${large.hid}/fronters/stream`),
    await readStream(`${address}/v2/systems/@me/events`, { token: large.token }),
  ]
  const bot = await createBot(deps, 'remover')
  const headers = { authorization: `Bot ${bot}` }
  expect((await ask(`DELETE /bot/systems/${large.hid}`, { headers })).status).toBe(204)
  const answers = Object.entries(await readAll(large))
  expect(answers.filter(([, answer]) => !/^40[14] /.test(answer))).toEqual([])
  expect(await Promise.all(open.map(({ ended }) => ended))).toEqual(['ended', 'ended'])
  expect((await ask(`DELETE /bot/systems/${large.hid}`, { headers })).status).toBe(404)
  const accounts = await ask(`GET /bot/accounts/${large.account}`, { headers })
  expect(accounts.status).toBe(404)
})

test('removes a deleted member from the front for switches and autoproxy', async () => {
  const large = await makeLargeSystem(700)
  const guild = '600000000000000001'
  await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, {
    as: large,
    body: { autoproxy_mode: 'front' },
  })
  await deleteMember(deps, large.viewer, large.wren)
  const again = { as: large, body: { members: [large.ash] } }
  expect((await ask('POST /v2/systems/@me/switches', again)).json).toHaveProperty('code', 40004)
  const headers = { authorization: `Bot ${await createBot(deps, 'listener')}` }
  const body = { content: 'hello', account_id: large.account, guild_id: guild, channel_id: '2' }
  const proxied = await ask('POST /bot/proxy', { headers, body })
  expect(proxied.json).toMatchObject({ action: 'proxy', member: { id: large.ash } })
})

describe('hidden rows of a deletion', () => {
  test('does not block the IDs of a hidden system for an import of it', async () => {
    const large = await makeLargeSystem(1500)
    const file = await exportText(deps, large.id)
    await deleteSystem(deps, large.viewer)
    const report = await importInto(testApp, 'new', Buffer.from(file), { isPublic: true })
    expect(report).toMatchObject({ system: large.hid, renamed: [], switches: { added: 1500 } })
    const imported = { ...large, token: report.token ?? '' }
    const restored = await readAll(imported)
    expect(restored[`/v2/systems/@me as owner`]).toStartWith('200 ')
    expect(restored[`/v2/systems/${large.account}/switches?limit=3 as owner`]).toContain(
      switchOf(large.id, 1499),
    )
    await purgeDeleted(deps)
    expect(await readAll(imported)).toEqual(restored)
    expect(await findProblems()).toEqual([])
  })

  test('does not block times and UUIDs of hidden switches for logged and imported ones', async () => {
    const large = await makeLargeSystem(1500)
    const file = await exportText(deps, large.id)
    await deleteAllSwitches(deps, large.viewer)
    const timestamp = new Date(START / 1000 + 5000).toISOString()
    const logged = await ask('POST /v2/systems/@me/switches', {
      as: large,
      body: { timestamp, members: [large.ash] },
    })
    expect(logged.status).toBe(200)
    const moved = await ask(`PATCH /v2/systems/@me/switches/${logged.json.id}`, {
      as: large,
      body: { timestamp: new Date(START / 1000 + 6000).toISOString() },
    })
    expect(moved.status).toBe(200)
    const report = await importInto(testApp, large, Buffer.from(file))
    expect(report.renamed).toEqual([])
    expect(report.switches).toMatchObject({ added: 1499, unchanged: 1 })
    const again = await exportText(deps, large.id)
    await purgeDeleted(deps)
    const switchesOf = (text: string) => JSON.parse(text).switches
    expect(switchesOf(await exportText(deps, large.id))).toEqual(switchesOf(again))
    expect(switchesOf(again)).toHaveLength(1500)
  })

  test('deletes switches logged since with the hidden ones when all are deleted again', async () => {
    const large = await makeLargeSystem(700)
    const history = async () => (await ask('GET /v2/systems/@me/switches', { as: large })).json
    await deleteAllSwitches(deps, large.viewer)
    for (const members of [[large.wren], [large.ash]])
      await ask('POST /v2/systems/@me/switches', { as: large, body: { members } })
    expect(await history()).toHaveLength(2)
    await deleteAllSwitches(deps, large.viewer)
    expect(await history()).toEqual([] as never)
    await purgeDeleted(deps)
    const pending = 'SELECT 1 FROM systems WHERE deleted_through_switch_id > 0'
    expect(withRawDatabase(path, (db) => db.query(pending).all())).toEqual([])
    const left = `SELECT 1 FROM switches WHERE system_id = ${large.id}`
    expect(withRawDatabase(path, (db) => db.query(left).all())).toEqual([])
  })

  test('stay hidden when the history is deleted again while they are removed', async () => {
    const large = await makeLargeSystem(700)
    await deleteAllSwitches(deps, large.viewer)
    let isRepeated = false
    const interrupted: Deps = {
      ...deps,
      async transact(of, work, kind) {
        if (!isRepeated) {
          isRepeated = true
          const body = { members: [large.wren] }
          await ask('POST /v2/systems/@me/switches', { as: large, body })
          await deleteAllSwitches(deps, large.viewer)
        }
        return deps.transact(of, work, kind)
      },
    }
    await purgeDeleted(interrupted)
    const { json } = await ask('GET /v2/systems/@me/switches', { as: large })
    expect(json).toEqual([] as never)
    await purgeDeleted(deps)
    const left = `SELECT 1 FROM switches WHERE system_id = ${large.id}`
    expect(withRawDatabase(path, (db) => db.query(left).all())).toEqual([])
  })

  test('does not block the ID of a hidden message for another system', async () => {
    const large = await makeLargeSystem(700)
    const other = await makeLargeSystem(10)
    await deleteSystem(deps, large.viewer)
    const headers = { authorization: `Bot ${await createBot(deps, 'again')}` }
    const id = messageOf(large.id, 7)
    const body = { id, original: id, sender: other.account, channel: '2', member: other.ash }
    expect((await ask('POST /bot/messages', { headers, body })).status).toBe(201)
    await purgeDeleted(deps)
    const { json } = await ask(`GET /v2/messages/${id}`)
    expect(json).toMatchObject({ id, member: { id: other.ash } })
  })
})
