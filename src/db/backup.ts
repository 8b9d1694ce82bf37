import { Database, SQLiteError } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkHealth } from './doctor'
import { StorageError } from './handle'
import { isOurs, unknownMigrations } from './migrate'
import { pathOf } from './open'

/** Writes a whole and consistent copy, also while others write. */
export function backUp(url: string, to: string): void {
  const path = pathOf(url)
  if (!existsSync(path)) throw new StorageError(`There is no database ${path}.`)
  if (existsSync(to)) throw new StorageError(`${to} exists already.`)
  const partial = `${to}.partial`
  let source: Database | undefined
  try {
    rmSync(partial, { force: true })
    source = new Database(path, { readonly: true })
    source.run('PRAGMA busy_timeout = 30000')
    if (!isOurs(source)) throw new StorageError(`${path} is not a Multitude database.`)
    copy(source, partial)
    renameSync(partial, to)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${(cause as Error).message}.`)
  } finally {
    source?.close()
    rmSync(partial, { force: true })
  }
}

/** Puts a backup in the place of the database, which is kept aside. Gives where it is kept. */
export function restore(url: string, from: string, now: Date): string | null {
  const path = pathOf(url)
  const arriving = join(dirname(path), `.restoring-${process.pid}.db`)
  try {
    mkdirSync(dirname(path), { recursive: true })
    copyFit(from, arriving)
    const aside = setAside(path, now)
    renameSync(arriving, path)
    return aside
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`${from} cannot be restored: ${(cause as Error).message}.`)
  } finally {
    rmSync(arriving, { force: true })
  }
}

/** By SQLite itself, which knows of a write-ahead log beside the file and flushes what it wrote. */
function copy(source: Database, to: string): void {
  source.query('VACUUM INTO ?').run(to)
  chmodSync(to, 0o600)
}

/** What is not a whole database of ours must not take the place of one. */
function copyFit(from: string, to: string): void {
  if (!existsSync(from)) throw new StorageError(`There is no file ${from}.`)
  let candidate: Database | undefined
  try {
    candidate = new Database(from, { readonly: true })
    const problems = explainUnfit(candidate)
    if (problems.length > 0)
      throw new StorageError(`${from} cannot be restored: ${problems.slice(0, 3).join('; ')}.`)
    rmSync(to, { force: true })
    copy(candidate, to)
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause
    const problem = cause.code === 'SQLITE_NOTADB' ? 'it is not a database' : cause.message
    throw new StorageError(`${from} cannot be restored: ${problem}.`)
  } finally {
    candidate?.close()
  }
}

function explainUnfit(candidate: Database): string[] {
  if (!isOurs(candidate)) return ['it is not a Multitude database']
  const unknown = unknownMigrations(candidate)
  if (unknown.length > 0) return [`it was made by a newer Multitude (${unknown.join(', ')})`]
  return checkHealth(candidate)
}

/** With all that lies beside it: a log that stayed would be taken for the new one's. */
function setAside(path: string, now: Date): string | null {
  const isThere = existsSync(path)
  if (isThere) closeForOthers(path)
  const aside = `${path}.before-${now.toISOString().replaceAll(/[-:.]/g, '')}`
  for (const end of ['-shm', '-wal', ''])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`)
  return isThere ? aside : null
}

/** Leaving the write-ahead log needs the file for oneself: it fails while a server runs. */
function closeForOthers(path: string): void {
  const current = new Database(path, { readwrite: true })
  try {
    current.run('PRAGMA busy_timeout = 500')
    current.run('PRAGMA journal_mode = DELETE')
  } catch (cause) {
    // A damaged one cannot leave its log; that is what it is replaced for.
    if (cause instanceof SQLiteError && cause.code?.startsWith('SQLITE_BUSY'))
      throw new StorageError(`The database ${path} is in use: stop the server first.`)
  } finally {
    current.close()
  }
}
