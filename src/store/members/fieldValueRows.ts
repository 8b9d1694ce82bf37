import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { fieldValues } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleFields } from '../../db/visible'
import type { FieldType } from '../../model/members/fieldValue'

/** A custom field as far as its values need it. */
export interface FieldDefinition extends FieldType {
  readonly id: number
  readonly uuid: string
}

export async function listDefinitions(db: Db, systemId: number): Promise<FieldDefinition[]> {
  return await ofSystem(db).all({ system: systemId })
}

/** Values to store, as JSON by the row ID of their field; null deletes a value. */
export type ParsedValues = ReadonlyMap<number, string | null>

export interface ValueRow {
  member_id: number
  field_id: number
  value: string
}

/** Lists all stored values of members, also those of fields of an unfinished import. */
export async function listValues(db: Db, memberIds: readonly number[]): Promise<ValueRow[]> {
  return await ofMembers(db).all({ members: JSON.stringify(memberIds) })
}

/** Replaces all values of members. */
export async function replaceValues(
  tx: Db,
  memberIds: readonly number[],
  rows: readonly ValueRow[],
): Promise<void> {
  await deleteOfMembers(tx).run({ members: JSON.stringify(memberIds) })
  await insertValues(tx, rows)
}

/** Inserts values of members that have none for these fields. */
export async function insertValues(tx: Db, rows: readonly ValueRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(tx).run({ rows: JSON.stringify(rows) })
}

const ofSystem = query((db, { system }: Placeholders<'system'>) => {
  const { id, uuid, type, options, system_id } = visibleFields
  return db.select({ id, uuid, type, options }).from(visibleFields).where(eq(system_id, system))
})

const { member_id } = fieldValues

const ofMembers = query((db, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
  db.select().from(fieldValues).where(inJsonNumbers(member_id, members)),
)

const deleteOfMembers = query((db, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
  db.delete(fieldValues).where(inJsonNumbers(member_id, members)),
)

const insertRows = query((db, { rows }: Placeholders<'rows'>, { rowsIn }) =>
  db.insert(fieldValues).select(rowsIn(rows, fieldValues, ['member_id', 'field_id', 'value'])),
)
