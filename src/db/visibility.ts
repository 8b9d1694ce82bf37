import { randomUUID } from 'node:crypto'
import { type DomainError, error } from '../model/errors'
import { statement } from './statement'
import type { Db } from './types'

/** Prefix of the IDs of hidden rows. It sorts after every short ID, and no request can name it. */
const HIDDEN_PREFIX = '~'

/** Builds the identity of a row that an import has not finished. */
export function hiddenIdentity(): { hid: string; uuid: string } {
  return { hid: `${HIDDEN_PREFIX}${randomUUID()}`, uuid: randomUUID() }
}

/** Assignments that hide rows and free their IDs. The row ID keeps the new ones unique. */
export const HIDE_SQL = `hid = '${HIDDEN_PREFIX}' || id, uuid = '${HIDDEN_PREFIX}' || id`

/** Condition that excludes rows of unfinished imports and rows that are being deleted. */
export function isVisible(table: string): string {
  return `${table}.hid < '${HIDDEN_PREFIX}'`
}

/** Condition that excludes rows of unfinished imports. */
export function isImportCommitted(table: string): string {
  return `(${table}.import_id is null
    or not exists (select 1 from pending_imports where pending_imports.id = ${table}.import_id))`
}

/**
 * The same for switches; also excludes those that wait for deletion. A caller that knows the
 * watermark passes it as `last`, which saves a lookup per switch.
 */
export function isLiveSwitch(
  switches: string,
  last = deletionWatermark(`${switches}.system_id`),
): string {
  // The unary plus keeps SQLite from scanning all switches of the server by ID.
  return `(+${switches}.id > ${last} and ${isImportCommitted(switches)})`
}

/** Condition that selects switches of a deleted history. */
export function isPendingDeletion(switches: string): string {
  return `+${switches}.id <= ${deletionWatermark(`${switches}.system_id`)}`
}

/** ID of a system's last switch that waits for deletion, together with all before it. */
export function deletionWatermark(system: string): string {
  return `(select whose.deleted_through_switch_id from systems whose where whose.id = ${system})`
}

/** Condition that excludes rows of systems that the operator has disabled. */
export function isEnabled(table: 'systems' | 'members' | 'groups'): string {
  if (table === 'systems') return 'systems.disabled_at is null'
  return `not exists (select 1 from systems enabled
    where enabled.id = ${table}.system_id and enabled.disabled_at is not null)`
}

export async function isDisabled(db: Db, systemId: number): Promise<boolean> {
  return (await disabled(db).get({ system: systemId })) !== null
}

export async function requireEnabled(db: Db, systemId: number): Promise<void> {
  if (await isDisabled(db, systemId)) throw disabledError()
}

/** Error for callers that authenticate as a disabled system. */
export function disabledError(): DomainError {
  return error('forbidden', 'disabled by the operator')
}

const disabled = statement<'system', { id: number }>(
  'select id from systems where id = :system and disabled_at is not null',
)
