import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import type { RenderJson } from '../model/renderedJson'
import type { Dialect } from './dialect'

/** The file answers at once, a server later; whoever asks awaits both. */
export type MaybePromise<T> = T | Promise<T>

export type Value = string | number | null

/** SQL that is kept ready; values are given in the order of their numbers. */
export interface Query<Row> {
  get(values: Value[]): MaybePromise<Row | null>
  all(values: Value[]): MaybePromise<Row[]>
  run(values: Value[]): MaybePromise<unknown>
}

/** What an engine is asked by. */
export interface Driver {
  readonly dialect: Dialect
  query<Row>(sql: string): Query<Row>
  /** Told what a transaction counted up. */
  onCounter?(name: 'keys' | 'hooks'): void
}

/** A handle that queries run on: for reads, or the one of a transaction. */
export type Db = BaseSQLiteDatabase<'sync' | 'async', unknown> & {
  readonly driver: Driver
  /** How faces are spelled. Without it rows have none, and nobody reads them by their faces. */
  readonly renderJson?: RenderJson | undefined
}

/** The database cannot be used; the message is one clear line for the operator. */
export class StorageError extends Error {
  constructor(
    message: string,
    readonly trouble?: StorageFault,
  ) {
    super(message)
  }
}

/** What can keep a database from being used. */
export type StorageFault =
  | 'foreign'
  | 'damaged'
  | 'forbidden'
  | 'readonly'
  | 'full'
  | 'locked'
  | 'crowded'
  | 'failing'
  | 'gone'
