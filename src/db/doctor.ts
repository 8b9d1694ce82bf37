import { Database } from 'bun:sqlite'
import type { ProxyTag } from '../model/field'
import { keysOfTag } from '../model/proxyTags'
import { migrations } from './migrations'

export interface Finding {
  check: string
  problem: string
  /** What to do about it, where something can be done. */
  fix?: (database: Database) => void
}

/** Damage that no program may work on: a broken file, or broken references. */
export function checkHealth(database: Database): string[] {
  return [...damaged(database), ...dangling(database)].map(({ problem }) => problem)
}

/** Repairs what can be repaired, and gives what is left. */
export function repair(database: Database): Finding[] {
  const work = database.transaction(() => {
    for (const { fix } of examine(database)) fix?.(database)
  })
  work.immediate()
  return examine(database)
}

/** Looks at everything that can be wrong with a database, and says what can be done. */
export function examine(database: Database): Finding[] {
  return [
    ...damaged(database),
    ...dangling(database),
    ...missingIndexes(database),
    ...withoutSettings(database),
    ...miscounted(database),
    ...wrongTagKeys(database),
  ]
}

function damaged(database: Database): Finding[] {
  return database
    .query<{ integrity_check: string }, []>('PRAGMA integrity_check(20)')
    .all()
    .filter((row) => row.integrity_check !== 'ok')
    .map((row) => ({
      check: 'integrity',
      problem: row.integrity_check,
      // Only what is derived can be made again; lost rows need a backup.
      ...(/index/i.test(row.integrity_check) && { fix: (db: Database) => void db.run('REINDEX') }),
    }))
}

function dangling(database: Database): Finding[] {
  return database
    .query<{ table: string; rowid: number; parent: string }, []>('PRAGMA foreign_key_check')
    .all()
    .map(({ table, rowid, parent }) => ({
      check: 'references',
      problem: `row ${rowid} of ${table} names a missing row of ${parent}`,
      fix: (db) => void db.query(`DELETE FROM "${table}" WHERE rowid = ?`).run(rowid),
    }))
}

/** The tables and indexes that the migrations make, against those that are there. */
function missingIndexes(database: Database): Finding[] {
  const model = new Database(':memory:')
  for (const { sql } of migrations)
    for (const statement of sql.split('--> statement-breakpoint')) model.run(statement)
  const list = 'SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL'
  const there = new Set(
    database
      .query<{ name: string }, [string]>(list)
      .all('index')
      .map(({ name }) => name),
  )
  const expected = model.query<{ name: string; sql: string }, [string]>(list).all('index')
  model.close()
  return expected
    .filter(({ name }) => !there.has(name))
    .map(({ name, sql }) => ({
      check: 'indexes',
      problem: `the index ${name} is missing`,
      fix: (db) => void db.run(sql),
    }))
}

function withoutSettings(database: Database): Finding[] {
  return database
    .query<{ id: number; hid: string }, []>(
      'SELECT id, hid FROM systems WHERE id NOT IN (SELECT system_id FROM settings)',
    )
    .all()
    .map(({ id, hid }) => ({
      check: 'settings',
      problem: `system ${hid} has no settings`,
      fix: (db) => void db.query('INSERT INTO settings (system_id) VALUES (?)').run(id),
    }))
}

/** A member may have spoken elsewhere before, but not less often than is recorded here. */
function miscounted(database: Database): Finding[] {
  return database
    .query<{ id: number; hid: string; message_count: number; recorded: number }, []>(
      `SELECT m.id, m.hid, m.message_count, count(*) AS recorded
       FROM members m JOIN messages g ON g.member_id = m.id
       GROUP BY m.id HAVING recorded > m.message_count`,
    )
    .all()
    .map(({ id, hid, message_count, recorded }) => ({
      check: 'counters',
      problem: `member ${hid} counts ${message_count} messages, but ${recorded} are recorded`,
      fix: (db) =>
        void db.query('UPDATE members SET message_count = ? WHERE id = ?').run(recorded, id),
    }))
}

interface Tagged {
  id: number
  hid: string
  system_id: number
  proxy_tags: string
  keys: string
}

/** The keys that messages are looked up by must say what the members' tags say. */
function wrongTagKeys(database: Database): Finding[] {
  const rows = database
    .query<Tagged, []>(
      `SELECT m.id, m.hid, m.system_id, m.proxy_tags, (
         SELECT json_group_array(json_array(k.prefix_key, k.suffix_key, k.bare_key) ORDER BY k.position)
         FROM proxy_tag_keys k WHERE k.member_id = m.id
       ) AS keys FROM members m`,
    )
    .all()
  return rows.flatMap((row) => {
    const tags: ProxyTag[] = JSON.parse(row.proxy_tags)
    const right = tags.map(keysOfTag)
    const expected = right.map((key) => [key.prefix_key, key.suffix_key, key.bare_key])
    if (JSON.stringify(expected) === JSON.stringify(JSON.parse(row.keys))) return []
    const fix = (db: Database) => {
      db.query('DELETE FROM proxy_tag_keys WHERE member_id = ?').run(row.id)
      const add = db.query('INSERT INTO proxy_tag_keys VALUES (?, ?, ?, ?, ?, ?)')
      for (const [position, key] of right.entries())
        add.run(row.id, row.system_id, position, key.prefix_key, key.suffix_key, key.bare_key)
    }
    return [{ check: 'proxy tags', problem: `the tags of member ${row.hid} are not found`, fix }]
  })
}
