import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
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
import { bots, proxyTagKeys, systems } from '../../src/db/tables'
import { StorageError } from '../../src/db/types'
import { keysOfTag } from '../../src/model/proxy/tags'
import type { ProxyTag } from '../../src/model/validation'
import { makeOlder } from './olderDatabase'

const root = mkdtempSync(join(tmpdir(), 'multitude-storage-'))
const opened: Storage[] = []
let made = 0

afterAll(async () => {
  for (const storage of opened) await storage.close()
  rmSync(root, { recursive: true })
})

describe('migrations', () => {
  test('are all applied to a new database, in order, and once', () => {
    const path = fresh()
    open(path)
    const first = applied(path)
    expect(first.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
    open(path)
    expect(applied(path)).toEqual(first)
  })

  test.each(migrations.map((_, at) => at))(
    'are made up for by a database that has %d of them, which keeps its rows',
    async (has) => {
      const path = fresh()
      const other = makeOlder(path, has)
      if (has > 0) other.run("INSERT INTO bots (name, hash, created) VALUES ('old', 'h', 1)")
      other.close()
      const { db } = open(path)
      const rows = await db.select({ name: bots.name }).from(bots).all()
      expect(rows).toEqual(has > 0 ? [{ name: 'old' }] : [])
      const whole = fresh()
      open(whole)
      expect(schemaOf(path)).toEqual(schemaOf(whole))
      expect(applied(path).filter((row) => row.applied === 'before')).toHaveLength(has)
    },
  )

  test('find the tags of members that were there before', async () => {
    const path = fresh()
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
      const { prefix_key, suffix_key, bare_key } = keysOfTag(tag)
      other
        .query('INSERT INTO proxy_tag_keys VALUES (1, 1, ?, ?, ?, ?)')
        .run(position, prefix_key, suffix_key, bare_key)
    }
    other.close()
    const { db } = open(path)
    const rows = await db.select().from(proxyTagKeys).orderBy(proxyTagKeys.position).all()
    expect(rows).toEqual(
      tags.map((tag, position) => ({ member_id: 1, set_id: 1, position, ...keysOfTag(tag) })),
    )
  })

  test('leave to Discord what is older than platforms', async () => {
    const path = fresh()
    const other = makeOlder(
      path,
      migrations.findIndex(({ name }) => name.endsWith('_platforms')),
    )
    other.run("INSERT INTO systems (id, uuid, hid) VALUES (1, 'u', 'abcde')")
    other.run("INSERT INTO bots (name, hash, created) VALUES ('old', 'h', 1)")
    other.close()
    const { db } = open(path)
    expect(await db.select({ on: bots.platform }).from(bots).all()).toEqual([{ on: 'discord' }])
    expect(await db.select({ on: systems.made_on }).from(systems).all()).toEqual([
      { on: 'discord' },
    ])
  })

  const failing: [says: string, sql: string, complaint: RegExp][] = [
    ['is wrong', 'CREATE TABLE half (a);--> statement-breakpoint\nNONSENSE', /syntax error/],
    [
      'leaves references dangling',
      "CREATE TABLE half (a);--> statement-breakpoint\nINSERT INTO link_codes VALUES (1, 99, 'h', 1)",
      /9999_test would break references/,
    ],
  ]

  test.each(failing)('are undone as a whole if one %s', (_, text, complaint) => {
    const path = fresh()
    open(path)
    const before = schemaOf(path)
    migrations.push({ name: '9999_test', sql: text })
    try {
      expect(() => openStorage(`file:${path}`)).toThrow(complaint)
    } finally {
      migrations.pop()
    }
    expect(schemaOf(path)).toEqual(before)
    expect(applied(path).map(({ name }) => name)).not.toContain('9999_test')
  })
})

describe('a file that cannot be used', () => {
  const makers: [says: string, make: (path: string) => void | Promise<void>, complaint: RegExp][] =
    [
      [
        'because a newer Multitude made it',
        async (path) => {
          await openStorage(`file:${path}`).close()
          change(path, "INSERT INTO migrations VALUES ('9999_future', '')")
        },
        /made by a newer Multitude \(9999_future\); update this program/,
      ],
      [
        'because it is another program’s',
        (path) => change(path, 'CREATE TABLE theirs (a)'),
        /is a database of another program/,
      ],
      [
        'because another program signed it',
        (path) => change(path, 'CREATE TABLE migrations (name); PRAGMA application_id = 7'),
        /is a database of another program/,
      ],
      [
        'because it is text',
        (path) => writeFileSync(path, 'a diary\n'),
        /is not a Multitude database/,
      ],
      [
        'because it is something else',
        (path) => writeFileSync(path, Buffer.alloc(50_000, 'noise')),
        /is not a Multitude database/,
      ],
      ['because it is a folder', (path) => mkdirSync(path), /is not a file/],
    ]

  test.each(makers)('%s is refused in one line, and stays as it is', async (_, make, complaint) => {
    const path = fresh()
    await make(path)
    const before = contentOf(path)
    expect(() => openStorage(`file:${path}`)).toThrow(StorageError)
    expect(() => openStorage(`file:${path}`)).toThrow(complaint)
    expect(() => openStorage(`file:${path}`)).toThrow(/^[^\n]+\.$/)
    expect(contentOf(path)).toBe(before)
  })

  test('because of a file where its folder should be is refused', () => {
    const path = fresh()
    writeFileSync(path, '')
    expect(() => openStorage(`file:${join(path, 'below', 'data.db')}`)).toThrow(
      /cannot be written: check the folder’s permissions\.$/,
    )
  })

  test.skipIf(process.getuid?.() === 0)('because its folder is read-only is refused', () => {
    const folder = fresh()
    mkdirSync(folder)
    chmodSync(folder, 0o555)
    expect(() => openStorage(`file:${join(folder, 'data.db')}`)).toThrow(/cannot be written/)
  })

  test.each(['', 'data.db', 'file:', 'libsql://host'])('because %p is no address', (url) => {
    expect(() => openStorage(url)).toThrow(/must look like file:data\/multitude\.db/)
  })
})

function fresh(): string {
  return join(root, `${++made}.db`)
}

function open(path: string): Storage {
  const storage = openStorage(`file:${path}`, 'normal')
  opened.push(storage)
  return storage
}

/** Does something to the file as another program would. */
function change(path: string, statements: string): void {
  const other = new Database(path)
  for (const statement of statements.split(';')) other.run(statement)
  other.close()
}

function applied(path: string): { name: string; applied: string }[] {
  return look(path, 'SELECT name, applied FROM migrations ORDER BY rowid')
}

function schemaOf(path: string): string[] {
  return look<{ sql: string }>(path, 'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL')
    .map((row) => row.sql)
    .toSorted()
}

function look<T>(path: string, query: string): T[] {
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
