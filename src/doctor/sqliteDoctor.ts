import type { Database } from 'bun:sqlite'
import type { Check, Finding } from '../db/finding'
import { createDb } from '../db/sqlite/driver'
import { classifyError, storageError } from '../db/sqlite/errors'
import {
  findCorruption,
  findForeignKeyViolations,
  findMissingIndexes,
  migratedSchema,
  reindex,
  type SchemaEntry,
} from '../db/sqlite/integrity'
import { StorageError } from '../db/types'
import type { RenderJson } from '../model/core/schemaHash'
import * as portable from './consistencyChecks'
import { attempt, checks, findAll, repairAll } from './consistencyChecks'

/** Runs all checks of a file. */
export async function inspect(
  database: Database,
  renderJson?: RenderJson,
  expected = migratedSchema(),
): Promise<Finding[]> {
  const corruption = findCorruption(database, expected)
  // The rows of a corrupt file cannot be checked.
  if (corruption.some(isUnfixable)) return corruption
  return [
    ...corruption,
    ...(await findAll(createDb(database), checksOf(database, expected), renderJson)),
  ]
}

export function findWarnings(database: Database): Promise<string[]> {
  return portable.findWarnings(createDb(database))
}

/** Repairs what can be repaired, and returns the remaining findings. */
export async function repair(
  database: Database,
  renderJson?: RenderJson,
  expected = migratedSchema(),
): Promise<Finding[]> {
  const corruption = findCorruption(database, expected)
  if (corruption.some(isUnfixable)) return corruption
  // Deleting a row must delete the rows that reference it.
  database.run('PRAGMA foreign_keys = ON')
  const onFailure = (cause: unknown) => rejectUnfixable(database, cause)
  const tx = createDb(database)
  try {
    database.run('BEGIN IMMEDIATE')
    if (corruption.length > 0) await attempt(tx, () => reindex(database), onFailure)
    await repairAll(tx, checksOf(database, expected), onFailure, renderJson)
    database.run('COMMIT')
  } catch (cause) {
    onFailure(cause)
  } finally {
    if (database.inTransaction) database.run('ROLLBACK')
  }
  return inspect(database, renderJson, expected)
}

/** Lists the checks in the order of their repair. */
function checksOf(database: Database, expected: readonly SchemaEntry[]): Check[] {
  return [
    () => findForeignKeyViolations(database),
    () => findMissingIndexes(database, expected),
    ...checks,
  ]
}

function isUnfixable({ fix }: Finding): boolean {
  return fix === undefined
}

/** Throws if no repair can succeed; any other failed repair is found again by the inspection. */
function rejectUnfixable({ filename }: Database, cause: unknown): void {
  if (cause instanceof StorageError) throw cause
  const fault = classifyError(filename, cause)
  if (fault === 'locked')
    throw new StorageError('The database is being written to; try again later.')
  if (fault && fault !== 'damaged') throw storageError(filename, fault)
}
