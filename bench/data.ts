import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrations } from '../src/db/migrations'
import { openStorage } from '../src/db/open'
import { createDecoder } from '../src/db/query'
import { renderAndStore, renderedTables } from '../src/db/renderedJson'
import { visibleRows } from '../src/db/visible'
import { keysOfTag } from '../src/model/proxy/tags'
import { renderRowJson } from '../src/serializers/v2'
import { hashSecret } from '../src/store/access/secrets'

/** Size of a data set. docs/performance.md reports the full set; CI uses the small one. */
export interface Size {
  systems: number
  bigMembers: number
  bigGroups: number
  bigSwitches: number
  messages: number
}

export const full: Size = {
  systems: 10_000,
  bigMembers: 1000,
  bigGroups: 250,
  bigSwitches: 100_000,
  messages: 1_000_000,
}

export const small: Size = {
  systems: 50,
  bigMembers: 100,
  bigGroups: 25,
  bigSwitches: 1000,
  messages: 1000,
}

/** IDs and secrets that the benchmarks use. System 1 is the big one, 2 has 20 members. */
export const known = {
  bigToken: 'bench-big-token',
  token: 'bench-token',
  botKey: 'bench-bot-key',
  big: hidOf(1),
  typical: hidOf(2),
  bigAccount: accountOf(1),
  account: accountOf(2),
  guild: '900000000000000001',
  channel: '900000000000000002',
}

const START = Date.UTC(2020, 0, 1) * 1000

/** Folder for files that later runs reuse. */
export const folder = join(tmpdir(), 'multitude-bench')
mkdirSync(folder, { recursive: true })

/** Returns a writable copy of the data set, which is created on the first run. */
export async function copyData(size: Size, name: string): Promise<string> {
  await createData(dataFile(size), size)
  const file = join(folder, name)
  removeData(file)
  copyFileSync(dataFile(size), file)
  return file
}

export function removeData(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

/** Path of a data set. Its name has the number of migrations, so a new schema gets a new set. */
export function dataFile({ systems, bigMembers, messages }: Size): string {
  return join(folder, `${systems}-${bigMembers}-${messages}-${migrations.length}.db`)
}

/** Creates the data set unless it exists. It is always the same. */
async function createData(path: string, size: Size): Promise<void> {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.unfinished`
  removeData(unfinished)
  await openStorage(`file:${unfinished}`, { durability: 'normal' }).close()
  const db = new Database(unfinished)
  db.run('PRAGMA synchronous = off')
  // No other process opens the file before it is renamed.
  db.run('PRAGMA journal_mode = memory')
  db.run('PRAGMA cache_size = -1000000')
  db.run('PRAGMA foreign_keys = off')
  db.run('BEGIN')
  const members = fillSystems(db, size)
  fillMessages(db, size, members)
  db.run('COMMIT')
  db.run('ANALYZE')
  db.close()
  await fillRenderedJson(unfinished)
  leaveWalMode(unfinished)
  renameSync(unfinished, path)
}

function leaveWalMode(path: string): void {
  const db = new Database(path)
  db.run('PRAGMA journal_mode = DELETE')
  db.close()
}

/** Stores the rendered JSON of all rows, as the server would have done. */
async function fillRenderedJson(path: string): Promise<void> {
  const storage = openStorage(`file:${path}`, { durability: 'normal', renderJson: renderRowJson })
  for (const table of renderedTables) {
    const decode = createDecoder<{ id: number }>(visibleRows[table]._.selectedFields)
    for (let last = 0; ; ) {
      const rows = await storage.db.driver
        .query<{ id: number }>(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT 5000`)
        .all([last])
      if (rows.length === 0) break
      await storage.transact(
        'new',
        async (tx) => {
          for (const row of rows) await renderAndStore(tx, table, decode ? decode(row) : row)
        },
        'slice',
      )
      last = rows.at(-1)?.id ?? last
    }
  }
  await storage.close()
}

/** Inserts systems with members, groups and switches, and returns the number of members. */
function fillSystems(db: Database, size: Size): number {
  const random = createRandom(42)
  const addSystem = db.prepare(
    'INSERT INTO systems (id, uuid, hid, name, tag, pronouns, color, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const addSettings = db.prepare('INSERT INTO settings (system_id) VALUES (?)')
  const addAccount = db.prepare('INSERT INTO accounts (id, system_id) VALUES (?, ?)')
  const addMember = db.prepare(
    `INSERT INTO members (id, uuid, hid, system_id, name, display_name, color, birthday, pronouns,
       avatar_url, description, created, proxy_tags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addKey = db.prepare('INSERT INTO proxy_tag_index VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  let member = 0
  for (let id = 1; id <= size.systems; id++) {
    addSystem.run(
      id,
      uuidOf(1, id),
      hidOf(id),
      `System ${id}`,
      `| ${id}`,
      'they/them',
      'f2b632',
      START,
    )
    addSettings.run(id)
    addAccount.run(accountOf(id), id)
    // Most are small, a few are large: 20 members is typical.
    const count = id === 1 ? size.bigMembers : id === 2 ? 20 : Math.ceil(2 + 18 * random() ** 2 * 3)
    const first = member + 1
    for (let at = 0; at < count; at++) {
      member += 1
      const tags = tagsOf(at, id === 1 ? 10 : 2)
      const description = 'Keeps the lamps burning. '.repeat(1 + Math.floor(random() * 8))
      addMember.run(
        member,
        uuidOf(2, member),
        hidOf(member),
        id,
        `Member ${at}`,
        at % 3 === 0 ? `Shown ${at} ✨` : null,
        '88c0a8',
        '0004-11-02',
        'she/her',
        `https://img.example.org/${member}.webp`,
        description,
        START + member,
        JSON.stringify(tags),
      )
      for (const [position, tag] of tags.entries()) {
        const keys = Object.values<string | number>(keysOfTag(tag))
        addKey.run(member, id, position, ...keys)
      }
    }
    if (id <= 2) {
      fillGroups(db, id, id === 1 ? size.bigGroups : 5, first, count)
      fillSwitches(db, id, id === 1 ? size.bigSwitches : 200, first, count)
    }
  }
  const addToken = db.prepare(
    'INSERT INTO tokens (system_id, name, hash, created) VALUES (?, ?, ?, ?)',
  )
  addToken.run(1, 'bench', hashSecret(known.bigToken), START)
  addToken.run(2, 'bench', hashSecret(known.token), START)
  db.prepare('INSERT INTO bots (name, hash, created) VALUES (?, ?, ?)').run(
    'bench',
    hashSecret(known.botKey),
    START,
  )
  return member
}

function fillGroups(db: Database, system: number, count: number, first: number, members: number) {
  const addGroup = db.prepare(
    'INSERT INTO groups (id, uuid, hid, system_id, name, description, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const addPair = db.prepare('INSERT INTO group_members VALUES (?, ?)')
  for (let at = 0; at < count; at++) {
    const id = system * 1000 + at
    addGroup.run(id, uuidOf(3, id), hidOf(id), system, `Group ${at}`, 'Those who sail', START + at)
    for (let offset = at % 7; offset < members; offset += 40) addPair.run(id, first + offset)
  }
}

function fillSwitches(db: Database, system: number, count: number, first: number, members: number) {
  const addSwitch = db.prepare(
    'INSERT INTO switches (id, uuid, system_id, timestamp) VALUES (?, ?, ?, ?)',
  )
  const addMember = db.prepare('INSERT INTO switch_members VALUES (?, ?, ?)')
  for (let at = 0; at < count; at++) {
    const id = system * 1_000_000 + at
    addSwitch.run(id, uuidOf(4, id), system, START + at * 1_000_003)
    addMember.run(id, 0, first + (at % members))
    if (at % 2 === 0) addMember.run(id, 1, first + ((at * 7 + 1) % members))
  }
}

function fillMessages(db: Database, { messages }: Size, members: number) {
  const addMessage = db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const systemOf = db.prepare<{ system_id: number }, [number]>(
    'SELECT system_id FROM members WHERE id = ?',
  )
  const owners = new Map<number, number>()
  for (let at = 0; at < messages; at++) {
    const member = 1 + (at % members)
    const system = owners.get(member) ?? systemOf.get(member)?.system_id ?? 1
    owners.set(member, system)
    const id = messageOf(at)
    addMessage.run(
      id,
      `8${id}`,
      accountOf(system),
      known.channel,
      known.guild,
      system,
      member,
      START + at,
    )
  }
}

/** Returns tags that only this member has. */
export function tagsOf(at: number, count: number) {
  return Array.from({ length: count }, (_, tag) => ({ prefix: `m${at}t${tag}:`, suffix: null }))
}

export function messageOf(at: number): string {
  return String(700_000_000_000_000_000n + BigInt(at))
}

export function accountOf(system: number): string {
  return String(100_000_000_000_000_000n + BigInt(system))
}

export function hidOf(number: number): string {
  let rest = number
  let hid = ''
  for (let at = 0; at < 6; at++) {
    hid = String.fromCharCode(97 + (rest % 26)) + hid
    rest = Math.floor(rest / 26)
  }
  return hid
}

export function uuidOf(kind: number, number: number): string {
  return `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** Returns a random number generator with the same sequence on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** Creates a large data set: `bun bench/data.ts --systems 100000 --messages 20000000 --out FILE`. */
if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      systems: { type: 'string', default: String(full.systems) },
      messages: { type: 'string', default: String(full.messages) },
      out: { type: 'string', default: 'data/bench.db' },
    },
  })
  const [systems, messages] = [Number(values.systems), Number(values.messages)]
  await createData(values.out, { ...full, systems, messages })
}
