import type { Database } from 'bun:sqlite'
import type { RenderFace } from '../model/face'
import {
  checks,
  type Finding,
  findDamage,
  findDangling,
  findMissingTables,
  reindex,
} from './checks'
import { StorageError } from './handle'
import { troubled, troubleOf } from './trouble'

/** Damage that no program may work on: a broken file, or broken references. */
export function checkHealth(database: Database): string[] {
  return [...findDamage(database), ...findDangling(database)].map(({ problem }) => problem)
}

/** Looks at everything that can be wrong with a database, and says what can be done. */
export function examine(database: Database, render?: RenderFace): Finding[] {
  const broken = findBroken(database)
  // What cannot be read whole cannot be looked into any further.
  if (broken.some(isHopeless)) return broken
  return [...broken, ...checks.flatMap((check) => check(database, render))]
}

const MANY_ACCOUNTS = 20

/** What is no damage, but worth a look: who could speak in somebody else's name. */
export function findNotes(database: Database): string[] {
  const imported = database
    .query<{ id: string; hid: string }, []>(
      `SELECT a.id, s.hid FROM accounts a JOIN systems s ON s.id = a.system_id
       WHERE a.imported ORDER BY s.id, a.id`,
    )
    .all()
  const crowded = database
    .query<{ hid: string; count: number }, [number]>(
      `SELECT s.hid, count(*) AS count FROM accounts a JOIN systems s ON s.id = a.system_id
       GROUP BY s.id HAVING count > ? ORDER BY s.id`,
    )
    .all(MANY_ACCOUNTS)
  return [
    ...imported.map(({ id, hid }) => `account ${id} was linked to system ${hid} by an import`),
    ...crowded.map(({ hid, count }) => `system ${hid} has ${count} accounts`),
  ]
}

/** Repairs what can be repaired, and gives what is left. */
export function repair(database: Database, render?: RenderFace): Finding[] {
  const broken = findBroken(database)
  if (broken.some(isHopeless)) return broken
  // What hangs on a row that goes must go with it.
  database.run('PRAGMA foreign_keys = ON')
  const work = database.transaction(() => {
    if (broken.length > 0) attempt(database, () => database.transaction(reindex)(database))
    // Each looks at what those before it have left.
    for (const check of checks)
      for (const { fix } of check(database, render))
        if (fix) attempt(database, () => database.transaction(fix)(database))
  })
  attempt(database, () => work.immediate())
  return examine(database, render)
}

function findBroken(database: Database): Finding[] {
  return [...findDamage(database), ...findMissingTables(database)]
}

function isHopeless({ fix }: Finding): boolean {
  return fix === undefined
}

/** What could not be repaired is found again, and told; what nothing can be repaired with is told now. */
function attempt(database: Database, work: () => void): void {
  try {
    work()
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    const { filename } = database
    const trouble = troubleOf(filename, cause)
    if (trouble === 'locked')
      throw new StorageError('The database is being written to; try again later.')
    if (trouble && trouble !== 'damaged') throw troubled(filename, trouble)
  }
}
