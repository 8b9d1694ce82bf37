import type { Values } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import type { Audience } from '../../model/core/privacy'
import type { Ref, SystemRef } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import {
  type ByRef,
  type BySystemRef,
  type Json,
  messageById,
  messageByOriginal,
} from './objectSql'

/** Result of a read. The JSON is null if the list is private. */
export interface FoundJson {
  readonly json: Json | null
}

/** Values of a read that its reference does not give. */
export type ReadValues<More extends string> = Values<More>

/** Runs the statement for a kind of system reference; `me` is the row ID of the caller's system. */
export function findBySystemRef<More extends string>(
  statements: BySystemRef<More>[Audience],
  db: Db,
  ref: SystemRef,
  me: number | null,
  values: ReadValues<More | 'viewer'>,
): MaybePromise<FoundJson | null> {
  if ('hid' in ref) return statements.hid(db).get({ ...values, ref: ref.hid })
  if ('me' in ref) return statements.id(db).get({ ...values, ref: me })
  if ('uuid' in ref) return statements.uuid(db).get({ ...values, ref: ref.uuid })
  return statements.account(db).get({ ...values, ref: ref.account })
}

/** Runs the statement for a kind of reference to a member or group. */
export function findByRef(
  statements: ByRef[Audience],
  db: Db,
  ref: Ref,
  viewer: number | null,
): MaybePromise<FoundJson | null> {
  return 'hid' in ref
    ? statements.hid(db).get({ ref: ref.hid, viewer })
    : statements.uuid(db).get({ ref: ref.uuid, viewer })
}

/** Finds a message by its ID, redacted for the system of a caller. */
export function findMessageJson(
  db: Db,
  id: string,
  viewer: number | null,
): MaybePromise<FoundJson | null> {
  return messageById(db).get({ id, viewer })
}

/** Finds the last message since a time by the ID of the message that it replaced. */
export function findMessageJsonByOriginal(
  db: Db,
  original: string,
  viewer: number | null,
  since: Instant,
): MaybePromise<FoundJson | null> {
  return messageByOriginal(db).get({ original, viewer, since })
}
