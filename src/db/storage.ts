import type { DomainError } from '../model/core/errors'
import type { RenderJson } from '../model/core/schemaHash'
import type { Clock } from '../runtime/timers/clock'
import type { ChangeNotifier } from './changeNotifier'
import type { SchemaUse } from './schema'
import type { SharedRead } from './sqlite/sharedRead'
import type { Db, MaybePromise } from './types'

/** Upgrade of a database that an older release had created. */
export interface Upgrade {
  /** Last migration before the upgrade. */
  readonly from: string
  /** Path of the copy from before the upgrade; null if none was made. */
  readonly copy: string | null
}

export type Durability = 'full' | 'normal'

/**
 * Owner of the rows that a transaction writes. Transactions with the same key run one after the
 * other, in all processes. 'new' takes no lock: for rows that no other transaction can reference
 * yet, and for rows that a unique index guards.
 */
export type LockKey =
  | { readonly system: number }
  /** Two systems. Their rows are locked in ascending order, so that transactions cannot deadlock. */
  | { readonly systems: readonly [number, number] }
  | { readonly guild: string }
  | { readonly account: string }
  | 'registration'
  | 'new'

/**
 * `long` work does not share its commit, so that no other response waits for it. Neither does a
 * `slice`, a batch of hidden rows: it is not flushed, because the final commit that makes the rows
 * visible flushes the log with all slices. `quick` work is not flushed by SQLite either, so it
 * survives a killed process but no power failure; on a database server its commit is durable.
 */
export type WorkKind = 'long' | 'slice' | 'quick'

/** A lock key, or a function that finds it. SQLite needs no key and never calls the function. */
export type LockKeyOf = LockKey | (() => Promise<LockKey>)

/**
 * Runs the work as one transaction. It may run more than once, so it must do nothing but read and
 * write the database.
 */
export type Transact = <T>(
  of: LockKeyOf,
  work: (tx: Db) => Promise<T>,
  kind?: WorkKind,
) => Promise<T>

/**
 * Runs a read for a client. If the client leaves before it ends, its statements on a database server
 * are canceled, and it throws the reason of the signal.
 */
export type ReadFor = <T>(
  client: { readonly signal: AbortSignal },
  work: () => MaybePromise<T>,
) => MaybePromise<T>

/** Runs the work on its own connection, which reads one snapshot of the database. */
export type Snapshot = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** Receives the metrics of commits. */
export interface WriteObserver {
  countCommit(writes: number, seconds: number): void
  countFailedCommit(): void
}

export interface WriteStats {
  /** Number of queued transactions. */
  waiting: number
}

/** Options of the connection to a database server. */
export interface ServerOptions {
  /** Maximum number of connections of this node. */
  readonly pool?: number
  /** Password, if the address has none. */
  readonly password?: string
  readonly rootCert?: string
}

export interface OpenOptions {
  /** `full` by default. */
  readonly durability?: Durability
  /** Time limit of a transaction that waits for another process. Only for SQLite. */
  readonly busyLimit?: number
  readonly renderJson?: RenderJson
  /** `upgrade` by default. */
  readonly use?: SchemaUse
  readonly server?: ServerOptions
  readonly observer?: WriteObserver | undefined
  /** Clock of heartbeats, retries and time limits; with SQLite, of test writes. */
  readonly clock?: Clock
}

export interface Storage {
  /** Path, or address without its password. */
  readonly location: string
  /** Settles when the storage can be used; the value describes an upgrade, if there was one. */
  readonly ready: Promise<Upgrade | null>
  /** Handle for reads; never reads uncommitted rows. */
  readonly db: Db
  readonly sharedRead: SharedRead
  readonly readFor: ReadFor
  readonly transact: Transact
  readonly snapshot: Snapshot
  /** Notifies of changes by any process. */
  readonly changes: ChangeNotifier
  readonly writeStats: WriteStats
  /** Returns the error that prevents reads or writes now, or null. */
  checkHealth(): Promise<DomainError | null>
  /** Maps a failure to the error of the response if it is temporary; else returns null. */
  toUnavailable(cause: unknown): DomainError | null
  close(): Promise<void>
}
