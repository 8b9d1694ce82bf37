import type { Database } from 'bun:sqlite'
import type { RenderJson } from '../../model/renderedJson'
import * as portable from '../consistencyChecks'
import { attempt, type Check, checks, type Finding, findAll, repairAll } from '../consistencyChecks'
import { StorageError } from '../types'
import { createDb } from './driver'
import { classifyError, storageError } from './errors'
import { findCorruption, findForeignKeyViolations, findMissingIndexes, reindex } from './integrity'

/** Looks at everything that can be wrong with a file, and says what can be done. */
export async function inspect(database: Database, renderJson?: RenderJson): Promise<Finding[]> {
  const broken = findCorruption(database)
  // What cannot be read whole cannot be looked into any further.
  if (broken.some(isUnfixable)) return broken
  return [...broken, ...(await findAll(createDb(database), checksOf(database), renderJson))]
}

export function findWarnings(database: Database): Promise<string[]> {
  return portable.findWarnings(createDb(database))
}

/** Repairs what can be repaired, and gives what is left. */
export async function repair(database: Database, renderJson?: RenderJson): Promise<Finding[]> {
  const broken = findCorruption(database)
  if (broken.some(isUnfixable)) return broken
  // What hangs on a row that goes must go with it.
  database.run('PRAGMA foreign_keys = ON')
  const refuse = (cause: unknown) => rejectUnfixable(database, cause)
  const tx = createDb(database)
  try {
    database.run('BEGIN IMMEDIATE')
    if (broken.length > 0) await attempt(tx, () => reindex(database), refuse)
    await repairAll(tx, checksOf(database), refuse, renderJson)
    database.run('COMMIT')
  } catch (cause) {
    refuse(cause)
  } finally {
    if (database.inTransaction) database.run('ROLLBACK')
  }
  return inspect(database, renderJson)
}

/** In the order in which they are repaired. */
function checksOf(database: Database): Check[] {
  return [() => findForeignKeyViolations(database), () => findMissingIndexes(database), ...checks]
}

function isUnfixable({ fix }: Finding): boolean {
  return fix === undefined
}

/** What could not be repaired is found again, and told; what nothing can be repaired with is told now. */
function rejectUnfixable({ filename }: Database, cause: unknown): void {
  if (cause instanceof StorageError) throw cause
  const trouble = classifyError(filename, cause)
  if (trouble === 'locked')
    throw new StorageError('The database is being written to; try again later.')
  if (trouble && trouble !== 'damaged') throw storageError(filename, trouble)
}
