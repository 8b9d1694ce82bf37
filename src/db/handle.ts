import type { Database } from 'bun:sqlite'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { RenderFace } from '../model/face'

/** A handle that queries run on: the reader, or the writer inside a transaction. */
export type Db = BunSQLiteDatabase & {
  $client: Database
  /** How faces are spelled. Without it rows have none, and nobody reads them by their faces. */
  readonly render?: RenderFace | undefined
}

/** The database cannot be used; the message is one clear line for the operator. */
export class StorageError extends Error {
  constructor(
    message: string,
    readonly trouble?: Trouble,
  ) {
    super(message)
  }
}

/** What can keep a file from being used. */
export type Trouble =
  | 'foreign'
  | 'damaged'
  | 'forbidden'
  | 'readonly'
  | 'full'
  | 'locked'
  | 'crowded'
  | 'failing'
  | 'gone'
