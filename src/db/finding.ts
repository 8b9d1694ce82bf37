import type { RenderJson } from '../model/core/schemaHash'
import type { Db, MaybePromise } from './types'

/** Problem that an inspection of the database found. */
export interface Finding {
  check: string
  problem: string
  /** Repairs it; missing if it cannot be repaired. */
  fix?: (tx: Db) => MaybePromise<unknown>
  /** Advice to the operator, if it is other than restoring a backup. */
  remedy?: string
}

/** Inspects a database without migrating it first, because it may be damaged. */
export interface Inspector {
  inspect(): Promise<Finding[]>
  /** Repairs what can be repaired, and returns the remaining findings. */
  repair(): Promise<Finding[]>
  /** Lists what is not damage but may be a risk. */
  findWarnings(): Promise<string[]>
  close(): Promise<void>
}

export type Check = (db: Db, renderJson?: RenderJson) => MaybePromise<Finding[]>

/** Rows in memory at a time: there may be millions. */
export const PAGE = 500
