import type { RenderJson } from '../model/core/schemaHash'
import type { Dialect } from './dialect'

/** A value or a promise of it. SQLite answers synchronously, PostgreSQL does not. */
export type MaybePromise<T> = T | Promise<T>

export type Value = string | number | null

/** Prepared SQL with positional values. */
export interface Query<Row> {
  get(values: Value[]): MaybePromise<Row | null>
  all(values: Value[]): MaybePromise<Row[]>
  run(values: Value[]): MaybePromise<unknown>
}

/** Connection to an engine. */
export interface Driver {
  readonly dialect: Dialect
  query<Row>(sql: string): Query<Row>
  /** Called when a transaction increments a change counter. */
  onCounter?(name: 'credentials' | 'webhooks'): void
}

/** Handle that queries run on: the one for reads, or that of a transaction. */
export interface Db {
  readonly driver: Driver
  /** Renders the JSON of rows; throws on handles that were opened without a renderer. */
  readonly renderJson: RenderJson
}

/** The database cannot be used. The message is one line for the operator. */
export class StorageError extends Error {
  constructor(
    message: string,
    readonly fault?: StorageFault,
  ) {
    super(message)
  }
}

/** Reasons why a database cannot be used. */
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
