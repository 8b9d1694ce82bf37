import { randomUUID } from 'node:crypto'
import { statement } from './statement'
import type { Db } from './types'

/** Behind every short ID: what has this in place of one is nobody's, and cannot be named. */
const HIDDEN_PREFIX = '~'

/** For what is not there yet. */
export function hiddenIdentity(): { hid: string; uuid: string } {
  return { hid: `${HIDDEN_PREFIX}${randomUUID()}`, uuid: randomUUID() }
}

/** Takes from rows the names that others may have from now on; row numbers are given only once. */
export const HIDE_SQL = `hid = '${HIDDEN_PREFIX}' || id, uuid = '${HIDDEN_PREFIX}' || id`

/** A condition that leaves out what an import is still bringing, and what is being removed. */
export function isVisible(table: string): string {
  return `${table}.hid < '${HIDDEN_PREFIX}'`
}

/** A condition that leaves out the rows of imports that are not finished. */
export function isImportCommitted(table: string): string {
  return `(${table}.import_id is null
    or not exists (select 1 from imports where imports.id = ${table}.import_id))`
}

/**
 * The same for switches, and leaves out those that only wait to be removed. Where it is known before
 * which was the last of these, it need not be looked up for every switch.
 */
export function isLiveSwitch(
  switches: string,
  last = deletionWatermark(`${switches}.system_id`),
): string {
  // The sign keeps SQLite from going through all switches of the server by their numbers.
  return `(+${switches}.id > ${last} and ${isImportCommitted(switches)})`
}

/** Of a history that was deleted whole. */
export function isPendingDeletion(switches: string): string {
  return `+${switches}.id <= ${deletionWatermark(`${switches}.system_id`)}`
}

/** The number of a system's last switch that only waits to be removed, with all before it. */
export function deletionWatermark(system: string): string {
  return `(select whose.forgotten_switches from systems whose where whose.id = ${system})`
}

/** A condition that leaves out what belongs to a system that the operator has disabled. */
export function isEnabled(table: 'systems' | 'members' | 'groups'): string {
  if (table === 'systems') return 'systems.disabled_at is null'
  return `not exists (select 1 from systems enabled
    where enabled.id = ${table}.system_id and enabled.disabled_at is not null)`
}

export async function isDisabled(db: Db, systemId: number): Promise<boolean> {
  return (await disabled(db).get({ system: systemId })) !== null
}

const disabled = statement<'system', { id: number }>(
  'select id from systems where id = :system and disabled_at is not null',
)
