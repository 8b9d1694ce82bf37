import type { DomainError } from '../model/errors'
import type { Db } from './handle'
import type { Pulse } from './pulse'
import type { SharedRead } from './sharedRead'

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
export type Subject =
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
export type SubjectOf = Subject | (() => Promise<Subject>)

/**
 * Runs the work as one transaction: all of it is kept, or nothing. It may be run more than once, so
 * it does nothing but ask and write storage.
 */
export type Transact = <T>(
  of: SubjectOf,
  work: (tx: Db) => Promise<T>,
  kind?: WorkKind,
) => Promise<T>

/** Gives the work a connection of its own that sees the database as of one moment. */
export type Snapshot = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** Who wants to know how the writers fare. */
export interface WriteMeter {
  noteCommit(writes: number, seconds: number): void
  noteFailedCommit(): void
}

/** The writes that wait for their turn, and whoever counts what becomes of them. */
export interface WriteLoad {
  waiting: number
  meter?: WriteMeter
}

export interface Storage {
  /** Where it is: a path, or an address without its password. */
  readonly name: string
  /** Settles once it can be used; tells what that did to a database of an older program. */
  readonly opened: Promise<Upgrade | null>
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  readonly sharedRead: SharedRead
  readonly transact: Transact
  readonly snapshot: Snapshot
  /** Tells of what any process wrote. */
  readonly pulse: Pulse
  readonly writeLoad: WriteLoad
  /** What keeps the database from being read or written, for whoever may try again; else null. */
  findTrouble(): Promise<DomainError | null>
  /** What is answered when a read or a write failed of what will pass; null when it will not. */
  refusalFor(cause: unknown): DomainError | null
  close(): Promise<void>
}
