import type { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeps } from '../../src/app/app'
import { findWarnings, inspect, repair } from '../../src/doctor/sqliteDoctor'
import { parseConfig } from '../../src/runtime/config/config'
import { fixture } from '../formats/fixture'
import { dump, withRawDatabase, withRawDatabaseAsync } from '../service/transfer/importFixture'
import { currentSchema } from '../tools/currentSchema'
import { importFile } from '../tools/operatorActions'
import { afterAll, describe, expect, test } from '../tools/test'

const PAGE_SIZE = 4096
const folder = mkdtempSync(join(tmpdir(), 'multitude-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

const source = join(folder, 'source.db')
await createSource()

interface Damage {
  /** Statements that damage the database. */
  does: string[]
  finds: string[]
  /** A query, and its rows after the repair. */
  leaves: [query: string, rows: unknown[][]]
}

/**
 * In the source, Wren has ID 1 and Ash has ID 2; both are in group 1, and Ash is before Wren in
 * switch 2.
 */
const damages: Record<string, Damage> = {
  'creates a dropped index again': {
    does: ['DROP INDEX members_by_system', 'DROP INDEX switches_by_time'],
    finds: [
      'indexes: the index members_by_system is missing',
      'indexes: the index switches_by_time is missing',
    ],
    leaves: [
      "SELECT name FROM sqlite_master WHERE name IN ('members_by_system', 'switches_by_time')",
      [['members_by_system'], ['switches_by_time']],
    ],
  },
  'creates missing settings with the defaults': {
    does: ['DELETE FROM settings'],
    finds: ['settings: system qvexmp has no settings'],
    leaves: ['SELECT system_id, timezone, member_limit FROM settings', [[1, 'UTC', null]]],
  },
  'creates missing keys of proxy tags again': {
    does: ['DELETE FROM proxy_tag_index WHERE position = 1'],
    finds: ['proxy tags: the tags of member wrenab do not match their keys'],
    leaves: [
      'SELECT member_id, index_id, position FROM proxy_tag_index ORDER BY 1, 3',
      [
        [1, 1, 0],
        [1, 1, 1],
      ],
    ],
  },
  'deletes keys of proxy tags that a member does not have': {
    does: ["INSERT INTO proxy_tag_index VALUES (2, 1, 0, 'a', 'b', 'a', 'b', 'ab', 0, 0)"],
    finds: ['proxy tags: the tags of member ashcd do not match their keys'],
    leaves: ['SELECT count(*) FROM proxy_tag_index WHERE member_id = 2', [[0]]],
  },
  'corrects keys of proxy tags that are in the set of another system': {
    does: ['UPDATE proxy_tag_index SET index_id = 7'],
    finds: ['proxy tags: the tags of member wrenab do not match their keys'],
    leaves: ['SELECT DISTINCT index_id FROM proxy_tag_index', [[1]]],
  },
  'raises a message counter that is lower than the number of recorded messages': {
    does: ['UPDATE members SET message_count = 1 WHERE id = 1'],
    finds: ['counters: member wrenab counts 1 messages, but 2 are recorded'],
    leaves: ['SELECT message_count FROM members', [[2], [0]]],
  },
  'deletes a row whose parent is missing, with the rows that reference it': {
    does: [
      "INSERT INTO groups (id, uuid, hid, system_id, name) VALUES (9, 'u', 'h', 7, 'Lost')",
      'INSERT INTO group_members VALUES (9, 1)',
    ],
    finds: ['references: row 9 of groups names a missing row of systems'],
    leaves: [
      'SELECT group_id, member_id FROM group_members',
      [
        [1, 1],
        [1, 2],
      ],
    ],
  },
  'deletes values of a missing field, and keeps notes of a missing member': {
    does: [
      "INSERT INTO field_values VALUES (2, 9, '4')",
      "INSERT INTO notes (id, uuid, system_id, text, member_id) VALUES (1, 'n', 1, 'Hello', 9)",
      'INSERT INTO ext_usage VALUES (1, 5, 0, 1, 0)',
    ],
    finds: [
      'references: row 1 of field_values names a missing row of fields',
      'references: row 1 of notes names a missing row of members',
    ],
    leaves: [
      'SELECT text, member_id, (SELECT count(*) FROM field_values) FROM notes',
      [['Hello', null, 0]],
    ],
  },
  'keeps messages and autoproxy of a missing member without it, and expects no keys of its tags': {
    does: ['DELETE FROM members WHERE id = 1'],
    finds: [
      'references: row 1 of proxy_tag_index names a missing row of members',
      'references: row 2 of proxy_tag_index names a missing row of members',
      'references: row 1 of group_members names a missing row of members',
      'references: row 1 of switch_members names a missing row of members',
      'references: row 3 of switch_members names a missing row of members',
      'references: row 1 of messages names a missing row of members',
      'references: row 2 of messages names a missing row of members',
      'references: row 1 of autoproxy names a missing row of members',
    ],
    leaves: [
      `SELECT id, member_id, (SELECT autoproxy_mode FROM autoproxy),
       (SELECT group_concat(member_id) FROM switch_members) FROM messages`,
      [
        ['11', null, 'off', '2'],
        ['12', null, 'off', '2'],
      ],
    ],
  },
}

describe('doctor of a file', () => {
  test.each(Object.entries(damages))('%s', async (_, { does, finds, leaves: [query, rows] }) => {
    await withCopy(async (database) => {
      for (const statement of does) database.run(statement)
      expect(linesOf(await inspect(database, undefined, currentSchema)).toSorted()).toEqual(
        finds.toSorted(),
      )
      expect(linesOf(await repair(database, undefined, currentSchema))).toEqual([])
      const found: unknown[][] = database.query(query).values()
      expect(found).toEqual(rows)
    })
  })

  test('rebuilds an index that differs from its table', async () => {
    await withCopy(async (database) => {
      const index = database.query<{ rootpage: number }, [string]>(
        'SELECT rootpage FROM sqlite_master WHERE name = ?',
      )
      const { rootpage = 0 } = index.get('members_hid_unique') ?? {}
      const bytes = readFileSync(database.filename)
      const start = (rootpage - 1) * PAGE_SIZE
      const at = bytes.subarray(start, start + PAGE_SIZE).indexOf('wrenab')
      expect(at).toBeGreaterThan(0)
      bytes.write('wrenac', start + at)
      const damagedPath = `${database.filename}.damaged`
      writeFileSync(damagedPath, bytes)
      await withRawDatabaseAsync(damagedPath, async (damaged) => {
        expect(linesOf(await inspect(damaged, undefined, currentSchema))).toEqual([
          'integrity: row 1 missing from index members_hid_unique',
        ])
        expect(linesOf(await repair(damaged, undefined, currentSchema))).toEqual([])
        const found = damaged.query("SELECT name FROM members WHERE hid = 'wrenab'").values()
        expect(found).toEqual([['Wren']])
      })
    })
  })

  test('reports malformed proxy tags and repairs the rest', async () => {
    await withCopy(async (database) => {
      database.run("UPDATE members SET proxy_tags = '[oh' WHERE id = 1")
      database.run('DELETE FROM settings')
      expect(linesOf(await repair(database, undefined, currentSchema))).toEqual([
        'proxy tags: the tags of member wrenab cannot be read',
      ])
    })
  })

  test('reports a unique index that cannot be created because two members have the same ID', async () => {
    await withCopy(async (database) => {
      database.run('DROP INDEX members_hid_unique')
      database.run("UPDATE members SET hid = 'same'")
      database.run('DELETE FROM settings')
      expect(linesOf(await repair(database, undefined, currentSchema))).toEqual([
        'indexes: the index members_hid_unique is missing',
      ])
    })
  })

  test('finds and changes nothing in an undamaged file', async () => {
    const before = dump(source)
    await withRawDatabaseAsync(source, async (database) => {
      expect(await inspect(database, undefined, currentSchema)).toEqual([])
      expect(await repair(database, undefined, currentSchema)).toEqual([])
    })
    expect(dump(source)).toEqual(before)
  })
})

test('warns of accounts that an import linked, and of systems with very many accounts', async () => {
  const path = join(folder, 'warnings.db')
  writeFileSync(path, readFileSync(source))
  await withRawDatabaseAsync(path, async (database) => {
    const before = await findWarnings(database)
    expect(before.length).toBeGreaterThan(0)
    for (const warning of before)
      expect(warning).toMatch(/^account \d+ was linked to system qvexmp by an import$/)
    database.run('UPDATE accounts SET imported = 0')
    const add = database.query('INSERT INTO accounts (id, system_id) VALUES (?, 1)')
    for (let id = before.length; id < 20; id++) add.run(String(id))
    expect(await findWarnings(database)).toEqual([])
    add.run('20')
    expect(await findWarnings(database)).toEqual(['system qvexmp has 21 accounts'])
    expect(await inspect(database, undefined, currentSchema)).toEqual([])
  })
})

async function createSource(): Promise<void> {
  const { storage, deps } = openDeps(parseConfig({ DATABASE_URL: `file:${source}` }))
  const options = { dryRun: false, only: null, isPublic: false, link: 'all' as const }
  await importFile(deps, fixture('pluralkit.json'), 'new', options)
  await storage.close()
  withRawDatabase(source, (database) => {
    for (const id of ['11', '12'])
      database.run(
        `INSERT INTO messages (id, original, sender, channel, system_id, member_id, timestamp)
         VALUES (?, ?, '1', '2', 1, 1, 3)`,
        [id, id],
      )
    database.run(
      "INSERT INTO autoproxy (system_id, guild_id, autoproxy_mode, autoproxy_member) VALUES (1, '5', 'member', 1)",
    )
  })
}

let copies = 0

/** Opens a copy like the doctor does, without enforcing foreign keys. */
async function withCopy(work: (database: Database) => Promise<void>): Promise<void> {
  const path = join(folder, `${++copies}.db`)
  withRawDatabase(source, (database) => database.query('VACUUM INTO ?').run(path))
  await withRawDatabaseAsync(path, work)
}

function linesOf(findings: { check: string; problem: string }[]): string[] {
  return findings.map(({ check, problem }) => `${check}: ${problem}`)
}
