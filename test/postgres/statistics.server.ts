import { openDeps } from '../../src/app/app'
import { operator } from '../../src/model/core/privacy'
import { parseConfig } from '../../src/runtime/config/config'
import { createSystem } from '../../src/service/access/registration'
import type { Deps } from '../../src/service/core/deps'
import { importFile } from '../../src/service/transfer/import/import'
import { deleteOrHideSwitches } from '../../src/store/systems/deletion'
import { emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { until } from '../tools/until'
import { onServer } from './engine'

/** Number of rows that statements read, by table; the server adds them up when a connection ends. */
type Reads = Record<string, number>

const steps: [what: string, lead: string, before?: (deps: Deps, id: number) => Promise<void>][] = [
  ['the first import', 'a'],
  ['the same file again', 'a'],
  ['other tags and notes', 'b'],
  [
    'a history that was deleted and whose rows are still there',
    'b',
    (deps, id) => deps.transact({ system: id }, (tx) => deleteOrHideSwitches(tx, id)),
  ],
]

/** Maximum growth of rows read when files have four times as many rows; 16 would be quadratic. */
const MAX_GROWTH = 5
const [SMALL, LARGE] = [1_000, 4_000]

/** Ten rows per switch. The plans of a small and a large file may differ by that much. */
const FEW_READS = 10 * LARGE

/**
 * Table whose replaced keys are deleted in batches. Each batch reads index entries of the previous
 * one again while an older transaction prevents the server from skipping them.
 */
const REMOVED_IN_BATCHES = 'proxy_tag_index'

test.each([
  ['was never analysed', []],
  ['was analysed while it was empty', ['vacuum analyze']],
])('reads rows in proportion to the imported file when the database %s', async (_, statements) => {
  const ofSmall = await countReads(SMALL, statements)
  const ofLarge = await countReads(LARGE, statements)
  for (const [at, [what]] of steps.entries()) {
    const grown = Object.entries(ofLarge[at] ?? {}).filter(
      ([table, reads]) =>
        table !== REMOVED_IN_BATCHES &&
        reads > FEW_READS &&
        reads > MAX_GROWTH * (ofSmall[at]?.[table] ?? 0),
    )
    expect([what, ...grown]).toEqual([what])
  }
})

/**
 * Counts the rows that each step of an import into a new database reads, for files with this many
 * switches.
 */
async function countReads(switches: number, statements: string[]): Promise<Reads[]> {
  const address = newDatabaseAddress(emptyFolder())
  const config = parseConfig({ DATABASE_URL: address })
  await onServer(address, async (sql) => {
    const tables = await sql.unsafe(
      `select relname as name from pg_class
       where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
    )
    for (const { name } of tables)
      await sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
    for (const statement of statements) await sql.unsafe(statement)
  })
  let systemId = 0
  let last = await readCounters(address)
  const all: Reads[] = []
  for (const [_, lead, before] of steps) {
    const { deps, storage } = openDeps(config)
    if (systemId === 0)
      systemId = (
        await createSystem(
          deps,
          operator,
          { name: 'Lantern' },
          { account: null, tokenName: 'test' },
        )
      ).system.id
    await before?.(deps, systemId)
    const report = await importFile(
      deps,
      { ...operator, system: systemId },
      Buffer.from(JSON.stringify(fileOf(switches, lead))),
      { dryRun: false, only: null, isPublic: false, link: new Set() },
    )
    expect(report.switches.added + report.switches.unchanged).toBe(switches)
    await storage.close()
    const now = await readCounters(address)
    all.push(
      Object.fromEntries(
        Object.entries(now).map(([table, reads]) => [table, reads - (last[table] ?? 0)]),
      ),
    )
    last = now
  }
  return all
}

/** Builds a file with this many switches, and members, tags, groups and notes in proportion. */
function fileOf(switches: number, lead: string): object {
  const members = switches / 20
  const member = (at: number) => hid(at % members)
  return {
    version: 2,
    members: Array.from({ length: members }, (_, at) => ({
      id: hid(at),
      name: `Member ${at}`,
      proxy_tags: Array.from({ length: 12 }, (_, tag) => ({ prefix: `${lead}${at}.${tag}:` })),
    })),
    groups: Array.from({ length: switches / 100 }, (_, at) => ({
      id: hid(at),
      name: `Group ${at}`,
      members: Array.from({ length: 20 }, (_, inside) => member(at * 20 + inside)),
    })),
    multitude: {
      kept: { notes: Array.from({ length: switches / 2 }, (_, at) => ({ at, lead })) },
    },
    switches: Array.from({ length: switches }, (_, at) => ({
      timestamp: new Date(1.5e12 + at * 1.8e6).toISOString(),
      members: [member(at), member(at * 7 + 1)],
    })),
  }
}

function hid(number: number): string {
  return Array.from(
    { length: 6 },
    (_, at) => 'abcefghjkn'[Math.floor(number / 10 ** at) % 10],
  ).join('')
}

/** Reads the counters of all tables after every other connection to the database has ended. */
async function readCounters(address: string): Promise<Reads> {
  return onServer(address, async (sql) => {
    const others = `select 1 from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and backend_type = 'client backend'`
    await until(async () => (await sql.unsafe(others)).length === 0)
    const rows: { name: string; reads: number }[] = await sql.unsafe(
      `select relname as name, (seq_tup_read + coalesce((select sum(idx_tup_read)
         from pg_stat_user_indexes i where i.relid = t.relid), 0))::float8 as reads
       from pg_stat_user_tables t`,
    )
    return Object.fromEntries(rows.map(({ name, reads }) => [name, reads]))
  })
}
