import { and, eq, inArray, lte, type SQL, sql } from 'drizzle-orm'
import { type Builder, type Placeholders, query } from '../../db/query'
import { frontNotes, members, systems } from '../../db/tables'
import type { Db } from '../../db/types'
import { isImportCommitted } from '../../db/visible'
import { storedBytes } from '../../model/core/textSize'
import { freeUsage, type UsageChange } from '../core/usage'

/** Deletion of front notes together with their member or the history; frees their space. */

export async function deleteFrontNotesOfMember(tx: Db, id: number): Promise<void> {
  await free(tx, await deleteOfMember(tx).all({ id }))
}

export async function deleteStatuses(tx: Db, id: number): Promise<void> {
  await free(tx, await deleteOfSystem(tx).all({ id }))
}

/** Deletes some statuses of a deleted history. Returns their number. */
export async function deleteSomeStatuses(tx: Db, id: number, most: number): Promise<number> {
  return free(tx, await deleteOfHistory(tx).all({ id, most }))
}

/** Deletes some front notes about the members of a hidden system. Returns their number. */
export async function deleteSomeFrontNotesOfMembers(
  tx: Db,
  id: number,
  most: number,
): Promise<number> {
  return free(tx, await deleteOfMembers(tx).all({ id, most }))
}

/** A deleted row. Rows of unfinished imports are not counted. */
interface DeletedRow {
  system_id: number
  text: string | null
  is_counted: number
}

async function free(tx: Db, rows: readonly DeletedRow[]): Promise<number> {
  const bySystem = new Map<number, Required<Pick<UsageChange, 'text_bytes' | 'front_notes'>>>()
  for (const { system_id, text, is_counted } of rows) {
    if (is_counted === 0) continue
    const { text_bytes, front_notes } = bySystem.get(system_id) ?? { text_bytes: 0, front_notes: 0 }
    bySystem.set(system_id, {
      text_bytes: text_bytes + storedBytes(text),
      front_notes: front_notes + 1,
    })
  }
  for (const [systemId, freed] of bySystem) await freeUsage(tx, systemId, freed)
  return rows.length
}

const { system_id, text, member_id, kind, import_id } = frontNotes

const isStatus = eq(kind, sql<'status'>`'status'`)

const deleteWhere = (db: Builder, condition: SQL | undefined) =>
  db
    .delete(frontNotes)
    .where(condition)
    .returning({
      system_id,
      text,
      is_counted: sql<number>`case when ${isImportCommitted(import_id)} then 1 else 0 end`.as(
        'is_counted',
      ),
    })

const deleteOfMember = query((db, { id }: Placeholders<'id'>) => deleteWhere(db, eq(member_id, id)))

const deleteOfSystem = query((db, { id }: Placeholders<'id'>) =>
  deleteWhere(db, and(eq(system_id, id), isStatus)),
)

const deleteOfHistory = query((db, { id, most }: Placeholders<'id' | 'most'>) => {
  const last = db
    .select({ last: systems.deleted_through_status_id })
    .from(systems)
    .where(eq(systems.id, id))
  const some = db
    .select({ id: frontNotes.id })
    .from(frontNotes)
    .where(and(eq(system_id, id), isStatus, lte(frontNotes.id, sql`${last}`)))
    .limit(most)
  return deleteWhere(db, inArray(frontNotes.id, some))
})

const hiddenMembers = (db: Builder, id: Placeholders<'id'>['id']) =>
  db.select({ id: members.id }).from(members).where(eq(members.system_id, id))

const deleteOfMembers = query((db, { id, most }: Placeholders<'id' | 'most'>) => {
  const some = db
    .select({ id: frontNotes.id })
    .from(frontNotes)
    .where(inArray(member_id, hiddenMembers(db, id)))
    .limit(most)
  return deleteWhere(db, inArray(frontNotes.id, some))
})
