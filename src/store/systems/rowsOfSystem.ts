import { type Column, eq, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Builder, type Placeholders, query } from '../../db/query'
import { frontNotes, members, notes, polls, pollVotes, posts, systems } from '../../db/tables'
import type { Db } from '../../db/types'

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
  { table: notes, author: notes.member_id, name: notes.author_name },
  { table: posts, author: posts.by_member, name: posts.author_name },
  { table: pollVotes, author: pollVotes.member_id, name: pollVotes.author_name },
  { table: frontNotes, author: frontNotes.by_member, name: frontNotes.author_name },
] as const

export const nameOf = (id: SQL | Column) =>
  sql`(select ${members.name} from ${members} where ${members.id} = ${id})`

/** Deletes a system with all its rows that are left. */
export async function deleteSystemRow(tx: Db, id: number): Promise<void> {
  await deleteSystem(tx).run({ id })
}

const deleteSystem = query((db, { id }: Placeholders<'id'>) =>
  db.delete(systems).where(eq(systems.id, id)),
)
