import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

/**
 * Statements here live long. Prepared as passing ones they would keep the little memory that SQLite
 * lends to running ones, and everything would take a tenth longer. (Bun's own `query`, which says
 * so to SQLite, does not come back to `prepare`.)
 */
export class Connection extends Database {
  override prepare<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    return this.query<R, P>(sql)
  }
}

/**
 * A connection lives on with its statements until these are collected. It would keep its memory,
 * and the moment it sees, while which the write-ahead log can only grow.
 */
export class ShortLivedConnection extends Connection {
  readonly #statements: Statement[] = []

  override query<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    const made = super.query<R, P>(sql)
    this.#statements.push(made as Statement)
    return made
  }

  override close(): void {
    for (const statement of this.#statements) statement.finalize()
    super.close()
  }
}
