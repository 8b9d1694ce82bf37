import { Database } from 'bun:sqlite'
import type { ProxyTag } from '../model/check'
import { type RenderFace, shapeOf } from '../model/face'
import { keysOfTag } from '../model/proxy/tags'
import { entityOf, facedTables, faceTableOf } from './faces'
import { migrations } from './migrations'
import { isNamed } from './named'
import { createDecoder } from './rows'

export interface Finding {
  check: string
  problem: string
  /** What to do about it, where something can be done. */
  fix?: (database: Database) => void
}

/** In the order in which they are repaired. */
export const checks = [
  findDangling,
  findMissingIndexes,
  findMissingSettings,
  findLostAutoproxy,
  findMiscounts,
  findWrongTagKeys,
  findWrongFaces,
] as const

export function findDamage(database: Database): Finding[] {
  return integrityOf(database)
    .filter((problem) => problem !== 'ok')
    .map((problem) => ({
      check: 'integrity',
      problem,
      // Only what is derived can be made again; lost rows need a backup.
      ...(/index/i.test(problem) && { fix: reindex }),
    }))
}

export function reindex(database: Database): void {
  database.run('REINDEX')
}

function integrityOf(database: Database): string[] {
  try {
    return database
      .query<{ integrity_check: string }, []>('PRAGMA integrity_check(20)')
      .all()
      .map((row) => row.integrity_check)
  } catch (cause) {
    return [(cause as Error).message]
  }
}

export function findMissingTables(database: Database): Finding[] {
  return missing(database, 'table').map(({ name }) => ({
    check: 'tables',
    problem: `the table ${name} is missing`,
  }))
}

function findMissingIndexes(database: Database): Finding[] {
  return (['index', 'trigger'] as const).flatMap((type) =>
    missing(database, type).map(({ name, sql }) => ({
      check: type === 'index' ? 'indexes' : 'triggers',
      problem: `the ${type} ${name} is missing`,
      fix: (db: Database) => void db.run(sql),
    })),
  )
}

/** What the migrations make, against what is there. */
function missing(
  database: Database,
  type: 'table' | 'index' | 'trigger',
): { name: string; sql: string }[] {
  const list = 'SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL'
  const model = new Database(':memory:')
  for (const { sql } of migrations)
    for (const statement of sql.split('--> statement-breakpoint')) model.run(statement)
  const expected = model.query<{ name: string; sql: string }, [string]>(list).all(type)
  model.close()
  const there = database.query<{ name: string }, [string]>(list).all(type)
  const names = new Set(there.map(({ name }) => name))
  return expected.filter(({ name }) => !names.has(name))
}

export function findDangling(database: Database): Finding[] {
  return database
    .query<{ table: string; rowid: number; parent: string; fkid: number }, []>(
      'PRAGMA foreign_key_check',
    )
    .all()
    .map(({ table, rowid, parent, fkid }) => ({
      check: 'references',
      problem: `row ${rowid} of ${table} names a missing row of ${parent}`,
      fix: (db) => release(db, table, rowid, fkid),
    }))
}

/** Does what would have been done when the row it names went. */
function release(database: Database, table: string, rowid: number, key: number): void {
  const reference = database
    .query<{ from: string; on_delete: string }, [string, number]>(
      'SELECT "from", on_delete FROM pragma_foreign_key_list(?) WHERE id = ?',
    )
    .get(table, key)
  const change =
    reference?.on_delete === 'SET NULL'
      ? `UPDATE "${table}" SET "${reference.from}" = NULL`
      : `DELETE FROM "${table}"`
  database.query(`${change} WHERE rowid = ?`).run(rowid)
}

function findMissingSettings(database: Database): Finding[] {
  return database
    .query<{ id: number; hid: string }, []>(
      `SELECT id, hid FROM systems
       WHERE id NOT IN (SELECT system_id FROM settings) AND ${isNamed('systems')}`,
    )
    .all()
    .map(({ id, hid }) => ({
      check: 'settings',
      problem: `system ${hid} has no settings`,
      fix: (db) => void db.query('INSERT INTO settings (system_id) VALUES (?)').run(id),
    }))
}

function findLostAutoproxy(database: Database): Finding[] {
  return database
    .query<{ rowid: number; hid: string; guild_id: string }, []>(
      `SELECT a.rowid, s.hid, a.guild_id FROM autoproxy a JOIN systems s ON s.id = a.system_id
       WHERE a.autoproxy_mode = 'member' AND a.autoproxy_member IS NULL`,
    )
    .all()
    .map(({ rowid, hid, guild_id }) => ({
      check: 'autoproxy',
      problem: `system ${hid} is to be proxied as a missing member in guild ${guild_id}`,
      fix: (db) =>
        void db.query("UPDATE autoproxy SET autoproxy_mode = 'off' WHERE rowid = ?").run(rowid),
    }))
}

/** A member may have spoken elsewhere before, but not less often than is recorded here. */
function findMiscounts(database: Database): Finding[] {
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
  set_id: number
  proxy_tags: string
  keys: string
}

const KEY_COLUMNS = [
  'set_id',
  'position',
  ...Object.keys(keysOfTag({ prefix: null, suffix: null })),
]

/** The keys that messages are looked up by must say what the members' tags say. */
function findWrongTagKeys(database: Database): Finding[] {
  const rows = database
    .query<Tagged, []>(
      `SELECT m.id, m.hid, coalesce(s.tag_set, s.id) AS set_id, m.proxy_tags, (
         SELECT json_group_array(json_array(${KEY_COLUMNS.join()}) ORDER BY k.position)
         FROM proxy_tag_keys k WHERE k.member_id = m.id AND k.set_id = coalesce(s.tag_set, s.id)
       ) AS keys FROM members m JOIN systems s ON s.id = m.system_id WHERE ${isNamed('m')}`,
    )
    .all()
  return rows.flatMap((row): Finding[] => {
    const check = 'proxy tags'
    const tags = parseTags(row.proxy_tags)
    if (!tags) return [{ check, problem: `the tags of member ${row.hid} cannot be read` }]
    const right = tags.map((tag, position) => [
      row.set_id,
      position,
      ...Object.values<string | number>(keysOfTag(tag)),
    ])
    if (JSON.stringify(right) === JSON.stringify(JSON.parse(row.keys))) return []
    const fix = (db: Database) => {
      db.query('DELETE FROM proxy_tag_keys WHERE member_id = ?').run(row.id)
      const add = db.query(
        `INSERT INTO proxy_tag_keys (member_id, ${KEY_COLUMNS.join()})
         VALUES (?, ${KEY_COLUMNS.map(() => '?').join()})`,
      )
      for (const key of right) add.run(row.id, ...key)
    }
    return [{ check, problem: `the tags of member ${row.hid} are not found`, fix }]
  })
}

/** What is kept to be shown must be what the row shows. Where it is not, it is taken away. */
function findWrongFaces(database: Database, render?: RenderFace): Finding[] {
  if (!render) return []
  return facedTables.flatMap((table): Finding[] => {
    const entity = entityOf(table)
    const faces = faceTableOf(table)
    const decode = createDecoder(entity)
    const rows = database
      .query<FacedRow, [number]>(
        `SELECT t.*, f.own, f.others FROM ${table} t JOIN ${faces} f ON f.id = t.id AND f.shape = ?`,
      )
      .iterate(shapeOf(entity))
    const wrong: Finding[] = []
    for (const { own, others, ...raw } of rows) {
      const row = decode(raw)
      if (own === render(entity, row, 'owner') && others === render(entity, row, 'others')) continue
      wrong.push({
        check: 'faces',
        problem: `the ${entity.name} ${row.hid} is shown otherwise than it is`,
        fix: (db) => void db.query(`DELETE FROM ${faces} WHERE id = ?`).run(row.id),
      })
    }
    return wrong
  })
}

interface FacedRow {
  id: number
  hid: string
  own: string
  others: string
}

function parseTags(json: string): ProxyTag[] | null {
  try {
    const tags: unknown = JSON.parse(json)
    return Array.isArray(tags) ? tags : null
  } catch {
    return null
  }
}
