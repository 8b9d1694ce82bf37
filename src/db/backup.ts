import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkHealth } from './doctor'
import { isOurs, unknownMigrations } from './migrate'
import { pathOf, StorageError } from './open'

/** Writes a whole and consistent copy, also while others write. */
export function backUp(url: string, to: string): void {
  const path = pathOf(url)
  if (!existsSync(path)) throw new StorageError(`There is no database ${path}.`)
  if (existsSync(to)) throw new StorageError(`${to} exists already.`)
  const partial = `${to}.partial`
  rmSync(partial, { force: true })
  const source = new Database(path, { readonly: true })
  try {
    source.run('PRAGMA busy_timeout = 30000')
    source.query('VACUUM INTO ?').run(partial)
    renameSync(partial, to)
  } catch (cause) {
    throw new StorageError(`The backup ${to} cannot be written: ${(cause as Error).message}.`)
  } finally {
    source.close()
    rmSync(partial, { force: true })
  }
}

/** Puts a backup in the place of the database, which is kept aside. Gives where it is kept. */
export function restore(url: string, from: string, now: Date): string | null {
  const path = pathOf(url)
  refuseUnfit(from)
  const arriving = join(dirname(path), `.restoring-${process.pid}.db`)
  copyFileSync(from, arriving)
  if (!existsSync(path)) {
    renameSync(arriving, path)
    return null
  }
  try {
    closeForOthers(path)
  } catch (cause) {
    rmSync(arriving)
    throw cause
  }
  const aside = `${path}.before-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  renameSync(path, aside)
  renameSync(arriving, path)
  return aside
}

/** What is not a whole database of ours must not take the place of one. */
function refuseUnfit(from: string): void {
  if (!existsSync(from)) throw new StorageError(`There is no file ${from}.`)
  const problems = explainUnfit(from)
  if (problems.length > 0)
    throw new StorageError(`${from} cannot be restored: ${problems.slice(0, 3).join('; ')}.`)
}

function explainUnfit(from: string): string[] {
  let candidate: Database | undefined
  try {
    candidate = new Database(from, { readonly: true })
    if (!isOurs(candidate)) return ['it is not a Multitude database']
    const unknown = unknownMigrations(candidate)
    if (unknown.length > 0) return [`it was made by a newer Multitude (${unknown.join(', ')})`]
    return checkHealth(candidate)
  } catch {
    return ['it is not a database']
  } finally {
    candidate?.close()
  }
}

/** Leaving the write-ahead log needs the file for oneself: it fails while a server runs. */
function closeForOthers(path: string): void {
  const current = new Database(path, { readwrite: true })
  try {
    current.run('PRAGMA busy_timeout = 500')
    current.run('PRAGMA journal_mode = DELETE')
  } catch {
    throw new StorageError(`The database ${path} is in use: stop the server first.`)
  } finally {
    current.close()
  }
}
