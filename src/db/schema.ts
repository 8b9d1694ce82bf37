import { StorageError } from './types'

/**
 * What opening a database may do to its tables. Every use refuses those of a newer program.
 * - `require`: nothing; a database without tables and one of an older program are refused
 * - `create`: create the tables where there are none; refuse those of an older program
 * - `upgrade`: create the tables, or upgrade those of an older program; a file is copied before that
 * - `upgradeUncopied`: the same without a copy
 */
export type SchemaUse = 'require' | 'create' | 'upgrade' | 'upgradeUncopied'

/** The tables that a database has. */
export interface FoundSchema {
  /** Names of the migrations that were applied. */
  readonly applied: ReadonlySet<string>
  /** Whether there are tables other than the list of migrations. */
  readonly hasTables: boolean
}

/** Throws one line that says what to do, unless a database may be used with the tables it has. */
export function requireUsableSchema(
  name: string,
  { applied, hasTables }: FoundSchema,
  migrations: readonly { readonly name: string }[],
  use: SchemaUse,
): void {
  const known = new Set(migrations.map((one) => one.name))
  const unknown = [...applied].filter((one) => !known.has(one))
  if (unknown.length > 0)
    throw new StorageError(
      `The database ${name} was made by a newer Multitude (${unknown.join(', ')}); update this program.`,
    )
  if (use === 'upgrade' || use === 'upgradeUncopied') return
  if (!hasTables) {
    if (use === 'create') return
    throw new StorageError(`The database ${name} is empty: "multitude migrate" creates its tables.`)
  }
  if (migrations.some((one) => !applied.has(one.name)))
    throw new StorageError(
      `The database ${name} was made by an older Multitude; run "multitude migrate" first.`,
    )
}
