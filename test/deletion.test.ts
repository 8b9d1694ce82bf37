import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inspect } from '../src/db/sqlite/doctor'
import type { Db } from '../src/db/types'
import type { JsonObject } from '../src/model/entity'
import { operator, type Viewer } from '../src/model/privacy'
import { renderRowJson } from '../src/serializers/v2'
import { linkAccount } from '../src/service/accounts'
import { purgeDeleted } from '../src/service/deletion'
import type { Deps } from '../src/service/deps'
import { deleteMember } from '../src/service/members'
import { deleteAllSwitches } from '../src/service/switches'
import { deleteSystem } from '../src/service/systems'
import { readStream } from './events/readStream'
import { until } from './events/receiver'
import { createBot } from './operatorActions'
import { rows } from './rawSql'
import { commandLine, emptyFolder } from './serverProcess'
import {
  dump,
  exportText,
  importInto,
  withRawDatabase,
  withRawDatabaseAsync,
} from './service/transfer/importFixture'
import { createTestApp, type TestSystem } from './testApp'

const { run, runJson, startServer } = await commandLine()

const place = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  RATE_LIMIT: 'off',
  events: { heartbeatMs: 40 },
})
const { app, ask, deps } = place
const { location: path } = app.storage
const address = app.listen()

const START = Date.UTC(2020, 0, 1) * 1000

/** A system with a long past: Wren is in every switch and said all there is, Ash is in some. */
interface Crowd extends TestSystem {
  viewer: Viewer
  account: string
  wren: string
  ash: string
  group: string
}

async function makeCrowd(size: number): Promise<Crowd> {
  const one = await place.makeSystem('Lantern Hill')
  const viewer = { ...operator, system: one.id }
  const account = String(500_000_000_000_000_000n + BigInt(one.id))
  await linkAccount(deps, viewer, account)
  const make = async (line: string, body: JsonObject) =>
    String((await ask(line, { as: one, body })).json.id)
  const wren = await make('POST /v2/members', { name: 'Wren', proxy_tags: [{ prefix: 'w:' }] })
  const ash = await make('POST /v2/members', { name: 'Ash', proxy_tags: [{ prefix: 'a:' }] })
  const group = await make('POST /v2/groups', { name: 'Keepers' })
  await ask(`POST /v2/groups/${group}/members/add`, { as: one, body: [wren, ash] })
  withRawDatabase(path, (database) => fill(database, one.id, size))
  return { ...one, viewer, account, wren, ash, group }
}

const switchOf = (system: number, at: number) =>
  `0000000${system % 10}-0000-4000-8000-${String(system * 1_000_000 + at).padStart(12, '0')}`

const messageOf = (system: number, at: number) =>
  String(700_000_000_000_000_000n + BigInt(system * 1_000_000 + at))

/** Behind the program's back, because as requests it would take an hour. */
function fill(database: Database, system: number, size: number): void {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $size - 1)`
  const wren = `(SELECT min(id) FROM members WHERE system_id = $system)`
  const ash = `(SELECT max(id) FROM members WHERE system_id = $system)`
  const rows: [into: string, from: string][] = [
    [
      'switches (uuid, system_id, timestamp)',
      `printf('0000000%d-0000-4000-8000-%012d', $system % 10, $system * 1000000 + i), $system, ${START} + i * 1000000 FROM n`,
    ],
    [
      'messages (id, original, sender, channel, system_id, member_id, timestamp)',
      `700000000000000000 + $system * 1000000 + i, 800000000000000000 + $system * 1000000 + i, 1, 2, $system, ${wren}, ${START} + i FROM n`,
    ],
    [
      'events (system_id, type, at)',
      `$system, 'UPDATE_SYSTEM', ${START} + i FROM n WHERE i < $size / 10`,
    ],
    [
      'archive (system_id, collection, content, digest)',
      `$system, 'notes', '{}', i FROM n WHERE i < $size / 10`,
    ],
  ]
  const values = { $system: system, $size: size }
  const insert = (into: string, from: string) =>
    database.query(`INSERT INTO ${into} ${numbers} SELECT ${from}`).run(values)
  database.transaction(() => {
    for (const [into, from] of rows) insert(into, from)
    const ofSystem = `FROM switches WHERE system_id = $system`
    const add = 'INSERT INTO switch_members (switch_id, position, member_id)'
    database.query(`${add} SELECT id, 0, ${wren} ${ofSystem}`).run({ $system: system })
    database
      .query(`${add} SELECT id, 1, ${ash} ${ofSystem} AND timestamp / 1000000 % 2`)
      .run({ $system: system })
    database.query(`UPDATE members SET message_count = $size WHERE id = ${wren}`).run(values)
  })()
}

type Delete = (deps: Deps, crowd: Crowd) => Promise<void>

/** What is deleted, the smallest first, and how one statement would do it. */
const deletions: [what: string, by: Delete, atOnce: string][] = [
  [
    'a member',
    (through, { viewer, wren }) => deleteMember(through, viewer, wren),
    'DELETE FROM members WHERE id = (SELECT min(id) FROM members WHERE system_id = $system)',
  ],
  [
    'all switches',
    (through, { viewer }) => deleteAllSwitches(through, viewer),
    'DELETE FROM switches WHERE system_id = $system',
  ],
  [
    'a system',
    (through, { viewer }) => deleteSystem(through, viewer),
    'DELETE FROM systems WHERE id = $system',
  ],
]

/** Counts the rows that each transaction changes, with all that goes along. */
function watch(): { watched: Deps; changes: number[] } {
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

/** Everything that can be asked of it, with what was answered. */
async function lookAt({ hid, uuid, account, wren, ash, group, id, ...as }: Crowd) {
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
  const answers: Record<string, string> = {}
  for (const path of paths)
    for (const who of [null, { ...as, hid, uuid, id }]) {
      const { status, text } = await ask(`GET ${path}`, { as: who })
      answers[`${path} ${who ? 'as itself' : 'as nobody'}`] = `${status} ${text}`
    }
  return answers
}

async function diagnose(): Promise<string[]> {
  const found = await withRawDatabaseAsync(path, (database) => inspect(database, renderRowJson))
  return found.map(({ problem }) => problem)
}

/** How many rows each table has. */
function countRows(file: string): Record<string, number> {
  return Object.fromEntries(Object.entries(dump(file)).map(([table, rows]) => [table, rows.length]))
}

test('with 100,000 rows, each is deleted in small pieces, between which others are answered', async () => {
  const crowd = await makeCrowd(100_000)
  const other = await place.makeSystem('Elsewhere')
  for (const [, remove] of deletions) {
    const { watched, changes } = watch()
    let isDone = false
    let answered = 0
    const others = (async () => {
      while (!isDone) {
        const body = { tag: `${answered}` }
        const { status } = await ask('PATCH /v2/systems/@me', { as: other, body })
        expect(status).toBe(200)
        answered += 1
      }
    })()
    await remove(watched, crowd)
    await purgeDeleted(watched)
    isDone = true
    await others
    expect(Math.max(...changes)).toBeLessThan(5000)
    expect(answered).toBeGreaterThan(20)
  }
})

describe.each(deletions)('deleting %s', (what, remove, atOnce) => {
  test('is so for everybody at once, and in the end nothing else is left than if it had been', async () => {
    const crowd = await makeCrowd(3000)
    const twin = `${path} before ${what}`
    withRawDatabase(path, (database) => database.query('VACUUM INTO ?').run(twin))
    const before = await lookAt(crowd)
    withRawDatabase(twin, (database) => {
      database.run('PRAGMA foreign_keys = ON')
      database.query(atOnce).run({ $system: crowd.id })
    })
    await remove(deps, crowd)
    const gone = await lookAt(crowd)
    expect(gone).not.toEqual(before)
    expect(await diagnose()).toEqual([])

    // Some more of it is removed, and then whoever did it is killed.
    for (const most of [2, 6, 6]) {
      const { watched, changes } = watch()
      await purgeDeleted(watched, () => changes.filter((count) => count >= 100).length >= most)
      expect(await lookAt(crowd)).toEqual(gone)
      expect(await diagnose()).toEqual([])
    }
    await purgeDeleted(deps)
    expect(await lookAt(crowd)).toEqual(gone)
    expect(await diagnose()).toEqual([])
    // One statement tells nobody, and counts nothing.
    const { events: _told, marks: _up, sqlite_sequence: _drawn, ...left } = dump(path)
    const { events: _heard, marks: _count, sqlite_sequence: _numbers, ...expected } = dump(twin)
    expect(left).toEqual(expected)
  })
})

test('a deleted system is not found by any name, its tokens are refused, and its streams end', async () => {
  const crowd = await makeCrowd(1000)
  const open = [
    await readStream(`${address}/v2/systems/${crowd.hid}/fronters/stream`),
    await readStream(`${address}/v2/systems/@me/events`, { token: crowd.token }),
  ]
  const bot = await createBot(deps, 'remover')
  const headers = { authorization: `Bot ${bot}` }
  expect((await ask(`DELETE /bot/systems/${crowd.hid}`, { headers })).status).toBe(204)
  const answers = Object.entries(await lookAt(crowd))
  expect(answers.filter(([, answer]) => !/^40[14] /.test(answer))).toEqual([])
  expect(await Promise.all(open.map(({ ended }) => ended))).toEqual(['ended', 'ended'])
  expect((await ask(`DELETE /bot/systems/${crowd.hid}`, { headers })).status).toBe(404)
  const accounts = await ask(`GET /bot/accounts/${crowd.account}`, { headers })
  expect(accounts.status).toBe(404)
})

test('a deleted member is in front no more, whatever asks for that', async () => {
  const crowd = await makeCrowd(1000)
  const guild = '600000000000000001'
  await ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, {
    as: crowd,
    body: { autoproxy_mode: 'front' },
  })
  await deleteMember(deps, crowd.viewer, crowd.wren)
  const again = { as: crowd, body: { members: [crowd.ash] } }
  expect((await ask('POST /v2/systems/@me/switches', again)).json).toHaveProperty('code', 40004)
  const headers = { authorization: `Bot ${await createBot(deps, 'listener')}` }
  const body = { content: 'hello', account_id: crowd.account, guild_id: guild, channel_id: '2' }
  const said = await ask('POST /bot/proxy', { headers, body })
  expect(said.json).toMatchObject({ action: 'proxy', member: { id: crowd.ash } })
})

describe('what was deleted, and is not removed yet,', () => {
  test('leaves its names to a file that brings it again', async () => {
    const crowd = await makeCrowd(3000)
    const file = await exportText(deps, crowd.id)
    await deleteSystem(deps, crowd.viewer)
    const report = await importInto(place, 'new', Buffer.from(file), { isPublic: true })
    expect(report).toMatchObject({ system: crowd.hid, renamed: [], switches: { added: 3000 } })
    const back = { ...crowd, token: report.token ?? '' }
    const seen = await lookAt(back)
    expect(seen[`/v2/systems/@me as itself`]).toStartWith('200 ')
    expect(seen[`/v2/systems/${crowd.account}/switches?limit=3 as itself`]).toContain(
      switchOf(crowd.id, 2999),
    )
    await purgeDeleted(deps)
    expect(await lookAt(back)).toEqual(seen)
    expect(await diagnose()).toEqual([])
  })

  test('leaves its times and UUIDs to new switches, logged or brought', async () => {
    const crowd = await makeCrowd(3000)
    const file = await exportText(deps, crowd.id)
    await deleteAllSwitches(deps, crowd.viewer)
    const timestamp = new Date(START / 1000 + 5000).toISOString()
    const logged = await ask('POST /v2/systems/@me/switches', {
      as: crowd,
      body: { timestamp, members: [crowd.ash] },
    })
    expect(logged.status).toBe(200)
    const moved = await ask(`PATCH /v2/systems/@me/switches/${logged.json.id}`, {
      as: crowd,
      body: { timestamp: new Date(START / 1000 + 6000).toISOString() },
    })
    expect(moved.status).toBe(200)
    const report = await importInto(place, crowd, Buffer.from(file))
    expect(report.renamed).toEqual([])
    expect(report.switches).toMatchObject({ added: 2999, unchanged: 1 })
    const again = await exportText(deps, crowd.id)
    await purgeDeleted(deps)
    const switchesOf = (text: string) => JSON.parse(text).switches
    expect(switchesOf(await exportText(deps, crowd.id))).toEqual(switchesOf(again))
    expect(switchesOf(again)).toHaveLength(3000)
  })

  test('is deleted once more together with what came meanwhile', async () => {
    const crowd = await makeCrowd(1000)
    const history = async () => (await ask('GET /v2/systems/@me/switches', { as: crowd })).json
    await deleteAllSwitches(deps, crowd.viewer)
    for (const members of [[crowd.wren], [crowd.ash]])
      await ask('POST /v2/systems/@me/switches', { as: crowd, body: { members } })
    expect(await history()).toHaveLength(2)
    await deleteAllSwitches(deps, crowd.viewer)
    expect(await history()).toEqual([] as never)
    await purgeDeleted(deps)
    const marks = 'SELECT 1 FROM systems WHERE forgotten_switches > 0'
    expect(withRawDatabase(path, (db) => db.query(marks).all())).toEqual([])
    const left = `SELECT 1 FROM switches WHERE system_id = ${crowd.id}`
    expect(withRawDatabase(path, (db) => db.query(left).all())).toEqual([])
  })

  test('leaves a message’s ID to another system', async () => {
    const crowd = await makeCrowd(1000)
    const other = await makeCrowd(10)
    await deleteSystem(deps, crowd.viewer)
    const headers = { authorization: `Bot ${await createBot(deps, 'again')}` }
    const id = messageOf(crowd.id, 7)
    const body = { id, original: id, sender: other.account, channel: '2', member: other.ash }
    expect((await ask('POST /bot/messages', { headers, body })).status).toBe(201)
    await purgeDeleted(deps)
    const { json } = await ask(`GET /v2/messages/${id}`)
    expect(json).toMatchObject({ id, member: { id: other.ash } })
  })
})

test('after a kill the rest of what was deleted goes by itself, and the doctor is content', async () => {
  const cwd = emptyFolder()
  const file = join(cwd, 'data/multitude.db')
  const { id } = await runJson<{ id: string }>(
    ['system', 'create', '--account', '500000000000000001'],
    { cwd },
  )
  const { key } = await runJson<{ key: string }>(['bot', 'create', '--name', 'one'], { cwd })
  const serve = () =>
    startServer(['--rate-limit', 'off'], { cwd, env: { DURABILITY: 'normal', LEASE_SECONDS: '1' } })
  const doctor = async () => (await run(['doctor'], { cwd })).out
  const size = 20_000
  const server = await serve()
  const ask = (of: typeof server, line: string) => {
    const [method = '', path = ''] = line.split(' ')
    return fetch(`${of.address}${path}`, { method, headers: { authorization: `Bot ${key}` } })
  }
  withRawDatabase(file, (database) => {
    const system = database.query<{ id: number }, []>('SELECT id FROM systems').get()?.id ?? 0
    for (const name of ['wrenst', 'ashest'])
      database
        .query('INSERT INTO members (uuid, hid, system_id, name) VALUES (?, ?, ?, ?)')
        .run(name, name, system, name)
    fill(database, system, size)
  })
  expect((await ask(server, `DELETE /bot/systems/${id}`)).status).toBe(204)
  server.kill('SIGKILL')
  await server.end()
  expect(countRows(file).switches).toBeGreaterThan(0)
  expect(await doctor()).toStartWith('The database is whole.')
  const next = await serve()
  expect((await ask(next, `GET /v2/systems/${id}`)).status).toBe(404)
  await until(() => countRows(file).systems === 0)
  const { switches, switch_members, members, messages, events, archive } = countRows(file)
  expect([switches, switch_members, members, messages, events, archive]).toEqual(Array(6).fill(0))
  expect(await doctor()).toStartWith('The database is whole.')
  next.kill('SIGKILL')
  await next.end()
})
