import type { Migration } from './migrations'
import { StorageError } from './types'

/**
 * Changes to the tables that are allowed when a database is opened. The schema of a newer release is
 * always rejected.
 * - `require`: none; rejects an empty database and the schema of an older release
 * - `create`: creates the tables of an empty database; rejects the schema of an older release
 * - `upgrade`: creates the tables, or upgrades those of an older release; copies a file before that
 * - `upgradeUncopied`: the same without a copy
 */
export type SchemaUse = 'require' | 'create' | 'upgrade' | 'upgradeUncopied'

export interface FoundSchema {
  /** Names of the migrations that were applied. */
  readonly applied: ReadonlySet<string>
  /** True if the database has other tables than `migrations`. */
  readonly hasTables: boolean
}

/** Throws an error that names the remedy, unless the schema allows this use. */
export function requireUsableSchema(
  name: string,
  { applied, hasTables }: FoundSchema,
  migrations: readonly { readonly name: string }[],
  use: SchemaUse,
): void {
  const names = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !names.has(name))
  if (unknown.length > 0)
    throw new StorageError(
      `The database ${name} was made by a newer Multitude (${unknown.join(', ')}); update this program.`,
    )
  if (use === 'upgrade' || use === 'upgradeUncopied') return
  if (!hasTables) {
    if (use === 'create') return
    throw new StorageError(`The database ${name} is empty: "multitude migrate" creates its tables.`)
  }
  if (migrations.some((migration) => !applied.has(migration.name)))
    throw new StorageError(
      `The database ${name} was made by an older Multitude; run "multitude migrate" first.`,
    )
}

/**
 * Throws one line that says what to do if a pending migration breaks running programs and another
 * process holds a lease.
 */
export function requireNoOtherProcess(
  name: string,
  pending: readonly Migration[],
  holders: readonly string[],
): void {
  const breaking = pending.find((migration) => migration.isBreaking)
  if (!breaking || holders.length === 0) return
  const processes = holders.map((holder) => holder.split(':').slice(0, 2).join(', process '))
  throw new StorageError(
    `The database ${name} cannot be upgraded to ${breaking.name} while another process uses it (${processes.join('; ')}): stop all servers, then try again. The lease of a server that was killed expires after 10 seconds.`,
  )
}
