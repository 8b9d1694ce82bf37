import { randomUUID } from 'node:crypto'
import { and, eq, gte, isNotNull, isNull, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, QueryBuilder } from 'drizzle-orm/sqlite-core'
import { type DomainError, error } from '../model/errors'
import { type Placeholders, query } from './query'
import { groups, importArchive, members, pendingImports, switches, systems } from './tables'
import type { Db } from './types'

/**
 * Rows that callers may see. Rows of unfinished imports and rows that are being deleted stay in
 * their tables, so every read selects from these instead of the tables; only imports, deletion and
 * the checks of the database read the tables themselves.
 */

/** Prefix of the IDs of hidden rows. It sorts after every short ID, and no request can name it. */
const HIDDEN_PREFIX = '~'

const builder = new QueryBuilder()

export const visibleSystems = builder
  .select()
  .from(systems)
  .where(lt(systems.hid, HIDDEN_PREFIX))
  .as('systems')

export const visibleMembers = builder
  .select()
  .from(members)
  .where(lt(members.hid, HIDDEN_PREFIX))
  .as('members')

export const visibleGroups = builder
  .select()
  .from(groups)
  .where(lt(groups.hid, HIDDEN_PREFIX))
  .as('groups')

/** The same by the name of their table. */
export const visibleRows = {
  systems: visibleSystems,
  members: visibleMembers,
  groups: visibleGroups,
} as const

/** ID of a system's last switch that waits for deletion, together with all before it. */
export function lastDeletedSwitch(systemId: SQLWrapper): SQL {
  const whose = alias(systems, 'whose')
  return sql`(select ${whose.deleted_through_switch_id} from ${systems} ${whose} where ${whose.id} = ${systemId})`
}

/**
 * Condition that excludes switches of unfinished imports and of deleted histories. A caller that
 * knows the last deleted switch of the system passes it, which saves a lookup per switch.
 */
export function isLiveSwitch(
  systemId: SQLWrapper = switches.system_id,
  last: SQLWrapper = lastDeletedSwitch(systemId),
): SQL {
  // The unary plus keeps SQLite from scanning all switches of the server by ID.
  return sql`(+${switches.id} > ${last} and ${isImportCommitted(switches.import_id)})`
}

export const liveSwitches = liveSwitchesOf()

/** Switches of one system, whose ID or last deleted switch the caller knows: a lookup less per row. */
export function liveSwitchesOf(...known: Parameters<typeof isLiveSwitch>) {
  return builder
    .select()
    .from(switches)
    .where(isLiveSwitch(...known))
    .as('switches')
}

/** Rows of imported files, without those of unfinished imports. */
export const committedArchive = builder
  .select()
  .from(importArchive)
  .where(isImportCommitted(importArchive.import_id))
  .as('import_archive')

function isImportCommitted(importId: SQLWrapper): SQL {
  return sql`(${importId} is null or not exists (
    select 1 from ${pendingImports} where ${pendingImports.id} = ${importId}))`
}

/** Builds the identity of a row that an import has not finished. */
export function hiddenIdentity(): { hid: string; uuid: string } {
  return { hid: `${HIDDEN_PREFIX}${randomUUID()}`, uuid: randomUUID() }
}

/** Values that hide a row and free its IDs. The row ID keeps the new ones unique. */
export function hiddenIds({ id }: { id: SQLWrapper }): { hid: SQL; uuid: SQL } {
  const hidden = sql`${HIDDEN_PREFIX} || ${id}`
  return { hid: hidden, uuid: hidden }
}

/** Condition that selects hidden systems, whose rows are staged or wait for deletion. */
export const isHiddenSystem = gte(systems.hid, HIDDEN_PREFIX)

/** Condition that selects switches of a deleted history. */
export const isPendingDeletion = sql`+${switches.id} <= ${lastDeletedSwitch(switches.system_id)}`

/** Condition that excludes rows of systems that the operator has disabled. */
export function isEnabled(table: keyof typeof visibleRows): SQL {
  if (table === 'systems') return isNull(visibleSystems.disabled_at)
  return sql`not exists (select 1 from ${systems} ${enabled}
    where ${enabled.id} = ${visibleRows[table].system_id} and ${enabled.disabled_at} is not null)`
}

const enabled = alias(systems, 'enabled')

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

const disabled = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id: systems.id })
    .from(systems)
    .where(and(eq(systems.id, system), isNotNull(systems.disabled_at))),
)
