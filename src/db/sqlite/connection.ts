import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

/**
 * Prepares statements as persistent ones. Others would occupy the lookaside memory of SQLite, and
 * every query would take a tenth longer. (Bun's `query`, which sets the flag, does not call
 * `prepare`.)
 */
export class Connection extends Database {
  override prepare<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    return this.query<R, P>(sql)
  }
}

/**
 * Finalizes its statements when it closes. Otherwise the connection stays open until they are
 * garbage collected, and keeps its memory and its snapshot, which prevents checkpoints.
 */
export class ShortLivedConnection extends Connection {
  readonly #statements: Statement[] = []

  override query<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    const statement = super.query<R, P>(sql)
    this.#statements.push(statement as Statement)
    return statement
  }

  override close(): void {
    for (const statement of this.#statements) statement.finalize()
    super.close()
  }
}
