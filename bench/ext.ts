/**
 * Measures the extension API: the list of members with custom fields against the v2 list, changes of
 * members, new notes, and how long other requests wait during a search and a deletion. Run it with
 * `bun bench/ext.ts`; `--postgres` measures on PostgreSQL, `--short` checks that it works.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app/app'
import type { Value } from '../src/db/types'
import { parseConfig } from '../src/runtime/config/config'
import type { Deps } from '../src/service/core/deps'
import { insertMember } from '../src/service/members/members'
import { insertToken } from '../src/store/access/tokenRows'
import { insertSystem } from '../src/store/systems/systemRows'
import { makeEngine, onServer } from '../test/postgres/engine'
import { countRows, insertAll, rows } from '../test/tools/rawSql'
import { tagsOf } from './data'
import {
  type Figure,
  figure,
  measureWaits,
  percentileOf,
  printFigures,
  startLoad,
  startProduct,
} from './measure'

const { values: flags } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
  },
})

const MEMBERS = flags.short ? 100 : 1000
const FIELDS = 20
const NOTES = flags.short ? 500 : 20_000
const NOTE_LENGTH = 2_000
const POSTS = flags.short ? 2_000 : 50_000
const ROUNDS = flags.short ? 2 : 9
const SECONDS = flags.short ? 0.2 : 0.6

/** How many times as long as the v2 list the list with fields may take. */
const LIST_TARGET = 1.3
/** How long another request may wait. */
const WAIT_MS = 200

/** Number of the next request, so that each changes something. */
let next = 1

const folder = mkdtempSync(join(tmpdir(), 'multitude-ext-'))
const engine = flags.postgres ? await makeEngine() : null
await engine?.start()
const load = startLoad()
try {
  const database = await createDatabase()
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL: database, DURABILITY: 'normal' }))
  await storage.ready
  const data = await fill(deps)
  const server = await startProduct(join(folder, 'log'), { DATABASE_URL: database })
  try {
    printFigures(
      `Extension API on ${flags.postgres ? 'PostgreSQL' : 'SQLite'}`,
      await measure(server.port, data, deps),
    )
  } finally {
    server.process.kill('SIGTERM')
    await server.process.exited
    await storage.close()
  }
} finally {
  load.process.kill()
  await engine?.stop('immediate')
  engine?.remove()
  rmSync(folder, { recursive: true })
}

async function createDatabase(): Promise<string> {
  if (!engine) return `file:${join(folder, 'bench.db')}`
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
  return engine.addressOf('bench')
}

interface Data {
  readonly token: string
  /** Token of another system, whose requests must not wait. */
  readonly otherToken: string
  readonly withExt: string
  readonly withoutExt: string
  readonly room: string
  readonly roomId: number
}

/** Creates a system with members, fields, notes and a room with posts, and another system. */
function fill(deps: Deps): Promise<Data> {
  return deps.transact(
    'new',
    async (tx) => {
      const { id: system_id } = await insertSystem(tx, { name: 'Bench' })
      const other = await insertSystem(tx, { name: 'Other' })
      const members: { id: number; uuid: string }[] = []
      for (let at = 0; at < MEMBERS; at++)
        members.push(await insertMember(tx, system_id, draftOf(at)))
      const plain = await insertMember(tx, other.id, draftOf(0))
      const owned = () => ({ uuid: crypto.randomUUID(), system_id })
      const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
      await insertAll(
        tx,
        'fields',
        numbers(FIELDS).map((at) => ({ ...owned(), name: `Field ${at}`, position: at })),
      )
      const fields = await rows<{ id: number }>(tx, 'select id from fields order by id')
      const values = members.flatMap(({ id }, at) =>
        fields.map(
          (field): Record<string, Value> => ({
            member_id: id,
            field_id: field.id,
            value: JSON.stringify(`value ${at}`),
          }),
        ),
      )
      await insertAll(tx, 'field_values', values)
      await insertAll(
        tx,
        'member_ext',
        members.map(({ id }, at) => ({
          member_id: id,
          kind: at % 50 === 0 ? 'custom_front' : 'member',
          announce_front: at % 2,
        })),
      )
      const text = 'A quiet morning by the harbour. '.repeat(NOTE_LENGTH / 32)
      await insertAll(
        tx,
        'notes',
        numbers(NOTES).map((at) => ({ ...owned(), title: `Note ${at}`, text, date: at * 1e6 })),
      )
      const room = crypto.randomUUID()
      await insertAll(tx, 'rooms', [{ uuid: room, system_id, name: 'General' }])
      const [found] = await rows<{ id: number }>(tx, 'select id from rooms')
      const roomId = found?.id ?? 0
      await insertAll(
        tx,
        'posts',
        numbers(POSTS).map((at) => ({ ...owned(), room_id: roomId, text: 'Hello', written: at })),
      )
      const counted = { text_bytes: 0, notes: NOTES, posts: POSTS, front_notes: 0 }
      await insertAll(tx, 'ext_usage', [{ system_id, ...counted }])
      return {
        token: await insertToken(deps, tx, system_id, 'bench'),
        otherToken: await insertToken(deps, tx, other.id, 'bench'),
        withExt: members[1]?.uuid ?? '',
        withoutExt: plain.uuid,
        room,
        roomId,
      }
    },
    'long',
  )
}

/** Values of a member like those of the other benchmarks. */
function draftOf(at: number) {
  return {
    name: `Member ${at}`,
    display_name: `Shown ${at} ✨`,
    description: 'Keeps the lamps burning. '.repeat(1 + (at % 8)),
    color: '88c0a8',
    birthday: '0004-11-02',
    pronouns: 'she/her',
    avatar_url: `https://img.example.org/${at}.webp`,
    proxy_tags: tagsOf(at, 10),
  }
}

async function measure(port: number, data: Data, deps: Deps): Promise<Figure[]> {
  const { token, otherToken, withExt, withoutExt, room, roomId } = data
  const ask = async (line: string, as = token) => {
    const [method = 'GET', path = ''] = line.split(' ')
    const headers = { authorization: as }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
    return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
  }
  const requests = {
    reader: () => ask('GET /v2/systems/@me', otherToken),
    health: () => ask('GET /health', otherToken),
  }
  const waitsDuring = async (work: () => Promise<{ status: number }>) => {
    const waits = { reader: 0, health: 0 }
    const { status, took } = await measureWaits(waits, work, requests)
    if (status >= 400) throw new Error(`the request was answered with ${status}`)
    return { longest: Math.max(waits.reader, waits.health), took }
  }

  const v2 = 'GET /v2/systems/@me/members'
  const ext = 'GET /ext/v1/systems/@me/members'
  const growth = (await ask(ext)).bytes / (await ask(v2)).bytes
  // The cached JSON is rendered in the background after the first request.
  while ((await countRows(deps.db, ['rendered_member_ext'])).rendered_member_ext !== MEMBERS)
    await Bun.sleep(50)
  const undisturbed = await waitsDuring(async () => {
    await Bun.sleep(SECONDS * 5_000)
    return { status: 200 }
  })
  const body = '{"pronouns":"they/{n}"}'
  const [v2List = 0, extList = 0, plainPatch = 0, extPatch = 0, note = 0] = await medians(port, [
    [token, v2],
    [token, ext],
    [otherToken, `PATCH /v2/members/${withoutExt}`, body],
    [token, `PATCH /v2/members/${withExt}`, body],
    [otherToken, 'POST /ext/v1/systems/@me/notes', '{"title":"Note {n}","text":"Quiet morning"}'],
  ])
  const search = await waitsDuring(() =>
    ask('GET /ext/v1/systems/@me/notes?search=nowhere%20to%20be%20found'),
  )
  const deletion = await waitsDuring(async () => {
    const { status } = await ask(`DELETE /ext/v1/rooms/${room}`)
    while ((await countRows(deps.db, ['rooms'])).rooms !== 0) await Bun.sleep(50)
    return { status }
  })
  if ((await rows(deps.db, `select 1 from posts where room_id = ${roomId} limit 1`)).length > 0)
    throw new Error('posts of the deleted room are left')
  return [
    figure(`v2 list of ${MEMBERS} members`, v2List, null, 'ms', 2),
    figure(`list with ${FIELDS} fields each`, extList, null, 'ms', 2),
    figure('  compared with the v2 list', extList / v2List, LIST_TARGET, 'times', 2),
    figure('  bytes compared with the v2 list', growth, null, 'times', 2),
    figure('v2 PATCH of a member without extensions', plainPatch, null, 'ms', 2),
    figure('v2 PATCH of a member with extensions', extPatch, null, 'ms', 2),
    figure('longest wait of a request without other work', undisturbed.longest, null, 'ms', 0),
    figure(`search of ${NOTES} notes`, search.took * 1000, null, 'ms', 0),
    figure('  longest wait of another request', search.longest, WAIT_MS, 'ms', 0),
    figure(`deletion of a room with ${POSTS} posts`, deletion.took * 1000, null, 'ms', 0),
    figure('  longest wait of another request', deletion.longest, WAIT_MS, 'ms', 0),
    figure('new note', note, null, 'ms', 2),
  ]
}

/**
 * Sends requests on one connection, in rounds that alternate, so that other programs disturb all of
 * them. Returns the median of the rounds in milliseconds, each with the median of its requests.
 */
async function medians(
  port: number,
  requests: readonly [token: string, line: string, body?: string][],
): Promise<number[]> {
  const times = requests.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, [token, line, body = null]] of requests.entries()) {
      const [method = 'GET', path = ''] = line.split(' ')
      const headers = { authorization: token, 'x-forwarded-for': '203.0.113.7' }
      const result = await load.run({
        ...{ port, connections: 1, seconds: SECONDS, method, path, headers, body },
        ...{ from: next, members: MEMBERS },
      })
      next = result.next
      if (result.failures > 0) throw new Error(`${line}: ${result.firstFailure}`)
      times[at]?.push(result.p50)
    }
  return times.map((all) => percentileOf(all, 0.5))
}
