import type { DomainError } from '../model/errors'
import type { ChangeNotifier } from './changeNotifier'
import type { SharedRead } from './sqlite/sharedRead'
import type { Db } from './types'

/** What was done to a database that an older program had made. */
export interface Upgrade {
  /** The last migration it had. */
  readonly from: string
  /** Where it is kept as it was; null where that was not wanted. */
  readonly copy: string | null
}

export type Durability = 'full' | 'normal'

/**
 * Whose rows are written: work for the same one is done one after the other, by whichever process.
 * 'new' is for what nobody else can name yet, and for what a unique index guards.
 */
export type LockKey =
  | { readonly system: number }
  | { readonly guild: string }
  | { readonly account: string }
  | 'registration'
  | 'new'

/**
 * Long work keeps its commit to itself, so that nobody else's answer waits for it. So does a slice
 * of something larger that nobody sees yet: it need not survive a power cut, and is not waited for
 * until it is on the disk. The commit that shows it all flushes the log with everything in it.
 */
export type WorkKind = 'long' | 'slice'

/** Or how it is found out, where the work finds it out anyway: the file never asks. */
export type LockKeyOf = LockKey | (() => Promise<LockKey>)

/**
 * Runs the work as one transaction: all of it is kept, or nothing. It may be run more than once, so
 * it does nothing but ask and write storage.
 */
export type Transact = <T>(
  of: LockKeyOf,
  work: (tx: Db) => Promise<T>,
  kind?: WorkKind,
) => Promise<T>

/** Gives the work a connection of its own that sees the database as of one moment. */
export type Snapshot = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** Who wants to know how the writers fare. */
export interface WriteObserver {
  countCommit(writes: number, seconds: number): void
  countFailedCommit(): void
}

/** The writes that wait for their turn, and whoever counts what becomes of them. */
export interface WriteStats {
  waiting: number
  observer?: WriteObserver
}

export interface Storage {
  /** Where it is: a path, or an address without its password. */
  readonly location: string
  /** Settles once it can be used; tells what that did to a database of an older program. */
  readonly ready: Promise<Upgrade | null>
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  readonly sharedRead: SharedRead
  readonly transact: Transact
  readonly snapshot: Snapshot
  /** Tells of what any process wrote. */
  readonly changes: ChangeNotifier
  readonly writeStats: WriteStats
  /** What keeps the database from being read or written, for whoever may try again; else null. */
  checkHealth(): Promise<DomainError | null>
  /** What is answered when a read or a write failed of what will pass; null when it will not. */
  toUnavailable(cause: unknown): DomainError | null
  close(): Promise<void>
}
