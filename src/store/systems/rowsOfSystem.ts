import { type Column, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { ownedTable } from '../../db/ownedTables'
import { type Builder, type Placeholders, query } from '../../db/query'
import { frontNotes, members, polls, pollVotes, systems } from '../../db/tables'
import type { Db } from '../../db/types'
import { listsInFile, ownedKind, type ReferenceTo } from '../../model/ownedKinds'

// What belongs to a system or a member, for the statements that count and delete it.

/** Rows after `from`. SQL text, because they are joined in a given order and counted up to a limit. */
export type Rows = (id: SQL, dialect: Dialect) => SQL

export type Table = Parameters<Builder['delete']>[0]
export type OfSystem = Table & { readonly system_id: Column }
export type OfMember = Table & { readonly member_id: Column }

export const ofSystem = (table: OfSystem) => (id: SQL) =>
  sql`${table} where ${eq(table.system_id, id)}`
export const ofMember = (table: OfMember) => (id: SQL) =>
  sql`${table} where ${eq(table.member_id, id)}`

/** Rows of the members of a system. */
export const ofItsMembers = (table: OfMember) => byItsMembers(table, table.member_id)

/** Rows that refer to the members of a system by a column. */
export const byItsMembers =
  (table: Table, column: Column): Rows =>
  (id, { orderedJoin }) =>
    sql`${members} ${orderedJoin} ${table} on ${eq(column, members.id)}
      where ${eq(members.system_id, id)}`

/** Votes of the polls of a system. */
export const votes: Rows = (id, { orderedJoin }) =>
  sql`${polls} ${orderedJoin} ${pollVotes} on ${eq(pollVotes.poll_id, polls.id)}
    where ${eq(polls.system_id, id)}`

/** Texts that remain when their author is deleted, with the columns of the author. */
export const authored = [
  ...columnsThatName('author').map(({ table, column }) => ({ table, author: column })),
  { table: pollVotes, author: pollVotes.member_id },
]

/** Other rows that remain when the member that a column names is deleted. */
export const memberColumns = columnsThatName('member').filter(
  // What is about a member is deleted with it.
  ({ table }) => table !== frontNotes,
)

function columnsThatName(target: ReferenceTo) {
  return listsInFile.flatMap((list) => {
    const { table, columns } = ownedTable(list)
    const byName: Record<string, Column> = getTableColumns(table)
    return Object.entries(ownedKind(list).references).flatMap(([key, to]) => {
      const column = byName[columns[key] ?? '']
      return to === target && column ? { table, column } : []
    })
  })
}

export const nameOf = (id: SQL | Column) =>
  sql`(select ${members.name} from ${members} where ${members.id} = ${id})`

/** Deletes a system with all its rows that are left. */
export async function deleteSystemRow(tx: Db, id: number): Promise<void> {
  await deleteSystem(tx).run({ id })
}

const deleteSystem = query((db, { id }: Placeholders<'id'>) =>
  db.delete(systems).where(eq(systems.id, id)),
)
