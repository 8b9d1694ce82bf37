import type { Database } from 'bun:sqlite'
import type { RenderJson } from '../model/renderedJson'
import * as portable from './checks'
import { attempt, type Check, checks, type Finding, findAll, repairAll } from './checks'
import { findBroken, findDangling, findMissingIndexes, reindex } from './damage'
import { createDb } from './driver'
import { StorageError } from './handle'
import { troubled, troubleOf } from './trouble'

/** Looks at everything that can be wrong with a file, and says what can be done. */
export async function examine(database: Database, render?: RenderJson): Promise<Finding[]> {
  const broken = findBroken(database)
  // What cannot be read whole cannot be looked into any further.
  if (broken.some(isHopeless)) return broken
  return [...broken, ...(await findAll(createDb(database), checksOf(database), render))]
}

export function findNotes(database: Database): Promise<string[]> {
  return portable.findNotes(createDb(database))
}

/** Repairs what can be repaired, and gives what is left. */
export async function repair(database: Database, render?: RenderJson): Promise<Finding[]> {
  const broken = findBroken(database)
  if (broken.some(isHopeless)) return broken
  // What hangs on a row that goes must go with it.
  database.run('PRAGMA foreign_keys = ON')
  const refuse = (cause: unknown) => refuseHopeless(database, cause)
  const tx = createDb(database)
  try {
    database.run('BEGIN IMMEDIATE')
    if (broken.length > 0) await attempt(tx, () => reindex(database), refuse)
    await repairAll(tx, checksOf(database), refuse, render)
    database.run('COMMIT')
  } catch (cause) {
    refuse(cause)
  } finally {
    if (database.inTransaction) database.run('ROLLBACK')
  }
  return examine(database, render)
}

/** In the order in which they are repaired. */
function checksOf(database: Database): Check[] {
  return [() => findDangling(database), () => findMissingIndexes(database), ...checks]
}

function isHopeless({ fix }: Finding): boolean {
  return fix === undefined
}

/** What could not be repaired is found again, and told; what nothing can be repaired with is told now. */
function refuseHopeless({ filename }: Database, cause: unknown): void {
  if (cause instanceof StorageError) throw cause
  const trouble = troubleOf(filename, cause)
  if (trouble === 'locked')
    throw new StorageError('The database is being written to; try again later.')
  if (trouble && trouble !== 'damaged') throw troubled(filename, trouble)
}
