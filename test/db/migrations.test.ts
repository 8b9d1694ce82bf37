import { Database } from 'bun:sqlite'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { openStorage, type Storage } from '../../src/db/open'
import { bots, pollVoteCounts, proxyTagIndex, systems } from '../../src/db/tables'
import { StorageError } from '../../src/db/types'
import type { ProxyTag } from '../../src/model/core/validation'
import { keysOfTag } from '../../src/model/proxy/tags'
import { drizzleOn } from '../tools/drizzle'
import { afterAll, describe, expect, test } from '../tools/test'
import { makeOlder } from './olderDatabase'

const root = mkdtempSync(join(tmpdir(), 'multitude-storage-'))
const opened: Storage[] = []
let created = 0

afterAll(async () => {
  for (const storage of opened) await storage.close()
  rmSync(root, { recursive: true })
})

describe('migrations', () => {
  const newest = newPath()
  open(newest)
  const newestSchema = schemaOf(newest)

  test('applies all migrations to a new database, in order and once', () => {
    const path = newPath()
    open(path)
    const first = applied(path)
    expect(first.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
    open(path)
    expect(applied(path)).toEqual(first)
  })

  test('applies all migrations to a signed database that has none of them', () => {
    const path = newPath()
    makeOlder(path, 0).close()
    open(path)
    expect(schemaOf(path)).toEqual(newestSchema)
    expect(applied(path).filter((row) => row.applied === 'before')).toEqual([])
  })

  test('adds keys for the proxy tags of existing members', async () => {
    const path = newPath()
    const tags: ProxyTag[] = [
      { prefix: '🐦 ', suffix: null },
      { prefix: 'İ{ \t', suffix: ' }' },
      { prefix: null, suffix: '"Q\\' },
      { prefix: '<', suffix: '>' },
    ]
    const other = makeOlder(
      path,
      migrations.findIndex(({ name }) => name.endsWith('_proxy_tags')),
    )
    other.run("INSERT INTO systems (id, uuid, hid) VALUES (1, 'u', 'abcde')")
    const addMember = other.query(
      'INSERT INTO members (id, uuid, hid, system_id, name, proxy_tags) VALUES (?, ?, ?, 1, ?, ?)',
    )
    addMember.run(1, 'a', 'aaaaa', 'Wren', JSON.stringify(tags))
    addMember.run(2, 'b', 'bbbbb', 'Damaged', 'no JSON')
    for (const [position, tag] of tags.entries()) {
      const { prefix_key, suffix_key, trimmed_key } = keysOfTag(tag)
      other
        .query('INSERT INTO proxy_tag_keys VALUES (1, 1, ?, ?, ?, ?)')
        .run(position, prefix_key, suffix_key, trimmed_key)
    }
    other.close()
    const { db } = open(path)
    const rows = await drizzleOn(db)
      .select()
      .from(proxyTagIndex)
      .orderBy(proxyTagIndex.position)
      .all()
    expect(rows).toEqual(
      tags.map((tag, position) => ({ member_id: 1, index_id: 1, position, ...keysOfTag(tag) })),
    )
  })

  test('assigns existing bots and systems to Discord when platforms are introduced', async () => {
    const path = newPath()
    const other = makeOlder(
      path,
      migrations.findIndex(({ name }) => name.endsWith('_platforms')),
    )
    other.run("INSERT INTO systems (id, uuid, hid) VALUES (1, 'u', 'abcde')")
    other.run("INSERT INTO bots (name, hash, created) VALUES ('old', 'h', 1)")
    other.close()
    const { db } = open(path)
    expect(await drizzleOn(db).select({ on: bots.platform }).from(bots).all()).toEqual([
      { on: 'discord' },
    ])
    expect(
      await drizzleOn(db).select({ on: systems.created_on_platform }).from(systems).all(),
    ).toEqual([{ on: 'discord' }])
  })

  test('counts the votes of existing polls', async () => {
    const path = newPath()
    const other = makeOlder(
      path,
      migrations.findIndex(({ name }) => name.endsWith('_counts')),
    )
    other.run("INSERT INTO systems (id, uuid, hid) VALUES (1, 'u', 'abcde')")
    other.run("INSERT INTO polls (id, uuid, system_id) VALUES (1, 'a', 1), (2, 'b', 1)")
    for (const option of ['yes', 'no', 'yes'])
      other.query('INSERT INTO poll_votes (poll_id, option_id) VALUES (2, ?)').run(option)
    other.close()
    const { db } = open(path)
    const counts = await drizzleOn(db).select().from(pollVoteCounts).all()
    expect(counts.toSorted((a, b) => a.votes - b.votes)).toEqual([
      { poll_id: 2, option_id: 'no', votes: 1 },
      { poll_id: 2, option_id: 'yes', votes: 2 },
    ])
  })

  const failing: [problem: string, sql: string, message: RegExp][] = [
    [
      'has a syntax error',
      'CREATE TABLE half (a);--> statement-breakpoint\nNONSENSE',
      /syntax error/,
    ],
    [
      'violates a foreign key',
      "CREATE TABLE half (a);--> statement-breakpoint\nINSERT INTO link_codes VALUES (1, 99, 'h', 1)",
      /9999_test would break references/,
    ],
  ]

  test.each(failing)('rolls back all pending migrations when one %s', (_, text, message) => {
    const path = newPath()
    open(path)
    const before = schemaOf(path)
    migrations.push({ name: '9999_test', sql: text })
    try {
      expect(() => openStorage(`file:${path}`)).toThrow(message)
    } finally {
      migrations.pop()
    }
    expect(schemaOf(path)).toEqual(before)
    expect(applied(path).map(({ name }) => name)).not.toContain('9999_test')
  })
})

describe('unusable file', () => {
  const makers: [what: string, make: (path: string) => void | Promise<void>, message: RegExp][] = [
    [
      'of a newer release',
      async (path) => {
        await openStorage(`file:${path}`).close()
        change(path, "INSERT INTO migrations VALUES ('9999_future', '')")
      },
      /made by a newer Multitude \(9999_future\); update this program/,
    ],
    [
      'with tables of another program',
      (path) => change(path, 'CREATE TABLE theirs (a)'),
      /is a database of another program/,
    ],
    [
      'with the application ID of another program',
      (path) => change(path, 'CREATE TABLE migrations (name); PRAGMA application_id = 7'),
      /is a database of another program/,
    ],
    [
      'that is plain text',
      (path) => writeFileSync(path, 'a diary\n'),
      /is not a Multitude database/,
    ],
    [
      'with random bytes',
      (path) => writeFileSync(path, Buffer.alloc(50_000, 'noise')),
      /is not a Multitude database/,
    ],
    ['that is a folder', (path) => mkdirSync(path), /is not a file/],
  ]

  test.each(makers)(
    'rejects a file %s with one line, and does not change it',
    async (_, make, message) => {
      const path = newPath()
      await make(path)
      const before = contentOf(path)
      expect(() => openStorage(`file:${path}`)).toThrow(StorageError)
      expect(() => openStorage(`file:${path}`)).toThrow(message)
      expect(() => openStorage(`file:${path}`)).toThrow(/^[^\n]+\.$/)
      expect(contentOf(path)).toBe(before)
    },
  )

  test('rejects a path whose folder is a file', () => {
    const path = newPath()
    writeFileSync(path, '')
    expect(() => openStorage(`file:${join(path, 'below', 'data.db')}`)).toThrow(
      /cannot be written: check the folder’s permissions\.$/,
    )
  })

  test.skipIf(process.getuid?.() === 0)('rejects a path in a read-only folder', () => {
    const folder = newPath()
    mkdirSync(folder)
    chmodSync(folder, 0o555)
    expect(() => openStorage(`file:${join(folder, 'data.db')}`)).toThrow(/cannot be written/)
  })

  test.each(['', 'data.db', 'file:', 'libsql://host'])(
    'rejects the malformed database address %p',
    (url) => {
      expect(() => openStorage(url)).toThrow(/must look like file:data\/multitude\.db/)
    },
  )
})

function newPath(): string {
  return join(root, `${++created}.db`)
}

function open(path: string): Storage {
  const storage = openStorage(`file:${path}`, { durability: 'normal' })
  opened.push(storage)
  return storage
}

/** Changes the file like another program. */
function change(path: string, statements: string): void {
  const other = new Database(path)
  for (const statement of statements.split(';')) other.run(statement)
  other.close()
}

function applied(path: string): { name: string; applied: string }[] {
  return queryRows(path, 'SELECT name, applied FROM migrations ORDER BY rowid')
}

function schemaOf(path: string): string[] {
  return queryRows<{ sql: string }>(path, 'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL')
    .map((row) => row.sql)
    .toSorted()
}

function queryRows<T>(path: string, query: string): T[] {
  const other = new Database(path, { readonly: true })
  const rows = other.query<T, []>(query).all()
  other.close()
  return rows
}

function contentOf(path: string): string {
  if (!statSync(path).isFile()) return 'a folder'
  expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0)
  return readFileSync(path, 'hex')
}
