import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { and, eq, gt, max } from 'drizzle-orm'
import { events } from '../../../src/db/tables'
import type { JsonObject } from '../../../src/model/core/entity'
import { error } from '../../../src/model/core/errors'
import type { ExportPosition } from '../../../src/model/transfer/exportPosition'
import type { Deps } from '../../../src/service/core/deps'
import type { ExportPart } from '../../../src/service/transfer/export/export'
import type { ImportOptions, ImportReport } from '../../../src/service/transfer/import/importRun'
import { drizzleOn } from '../../tools/drizzle'
import { exportSystem, type ImportTarget, importFile } from '../../tools/operatorActions'
import type { TestApp, TestSystem } from '../../tools/testApp'

/** Names of all fixture files. */
export const fixtures = readdirSync(new URL('../../formats/fixtures', import.meta.url)).toSorted()

/** Returns every row of every table, without leases and rendered JSON, which are not data. */
export function dump(path: string): Record<string, unknown[]> {
  const database = new Database(path, { readonly: true })
  try {
    const tables = database
      .query<{ name: string }, []>(
        `SELECT name FROM sqlite_master
         WHERE type = 'table' AND name <> 'leases' AND name NOT LIKE 'rendered_%'`,
      )
      .all()
    return Object.fromEntries(
      tables.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).all()]),
    )
  } finally {
    database.close()
  }
}

/** Opens the database file directly, without the program. */
export function withRawDatabase<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path)
  try {
    database.run('PRAGMA busy_timeout = 5000')
    return work(database)
  } finally {
    database.close()
  }
}

/** Like `withRawDatabase`, for asynchronous work. */
export async function withRawDatabaseAsync<T>(
  path: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = new Database(path)
  try {
    database.run('PRAGMA busy_timeout = 5000')
    return await work(database)
  } finally {
    database.close()
  }
}

/** Exports a whole system as text. */
export async function exportText(deps: Deps, systemId: number): Promise<string> {
  const { file } = await exportSystem(deps, systemId)
  return new TextDecoder().decode(file)
}

/** Exports a system as parsed files, one for each part. */
export async function exportParts(deps: Deps, systemId: number): Promise<JsonObject[]> {
  const parts: JsonObject[] = []
  for (let at: ExportPosition | number | null = 1; at; ) {
    const { file, next }: ExportPart = await exportSystem(deps, systemId, undefined, at)
    parts.push(JSON.parse(new TextDecoder().decode(file)))
    at = next
  }
  return parts
}

/** Imports into a system, or into a new one. */
export async function importInto(
  { deps }: Pick<TestApp, 'deps'>,
  to: Pick<TestSystem, 'id'> | 'new',
  file: Uint8Array,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  const target: ImportTarget = to === 'new' ? to : { systemId: to.id }
  return importFile(deps, file, target, {
    dryRun: false,
    only: null,
    isPublic: false,
    link: 'all',
    allowsCopy: true,
    ...options,
  })
}

/** Builds a PluralKit file from parts. */
export function pluralkit(parts: JsonObject): Uint8Array {
  return Buffer.from(JSON.stringify({ version: 2, switches: [], ...parts }))
}

/** Creates a function that returns the types of a system's events since its last call. */
export async function createEventReader(
  { deps }: TestApp,
  { id }: TestSystem,
): Promise<() => Promise<string[]>> {
  const newest = async () => {
    const row = await drizzleOn(deps.db)
      .select({ id: max(events.id) })
      .from(events)
      .get()
    return row?.id ?? 0
  }
  let last = await newest()
  return async () => {
    const rows = await drizzleOn(deps.db)
      .select()
      .from(events)
      .where(and(eq(events.system_id, id), gt(events.id, last)))
      .orderBy(events.id)
      .all()
    last = await newest()
    return rows.map(({ type }) => type)
  }
}

/** Formats the numbers of added, changed, unchanged and left out rows of each kind. */
export function counts({ members, groups, memberships, switches }: ImportReport) {
  const show = (tally: ImportReport['members']) => Object.values(tally).join(' ')
  return [members, groups, memberships, switches].map(show)
}

/**
 * Returns dependencies whose transactions fail from a given one on, like those of a process that is
 * killed before it: nothing is rolled back.
 */
export function killedBefore(deps: Deps, last: number): Deps {
  let count = 0
  const transact: Deps['transact'] = (subject, work, kind) => {
    if (++count >= last) throw error('internal')
    return deps.transact(subject, work, kind)
  }
  return { ...deps, transact }
}
