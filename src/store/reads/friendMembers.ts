import { and, between, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import type { Member } from '../../model/members/member'
import { memberSizesSql } from './jsonSql'
import { UNKNOWN_BYTES } from './memberListSql'

// Members of a system, for a friend who gets some of them.

/** Lists the row IDs of the members of a system, and the estimated sizes of their JSON. */
export async function listMemberSizes(
  db: Db,
  system: number,
): Promise<readonly (readonly [id: number, bytes: number])[]> {
  return JSON.parse((await sizesOf(db).get({ system }))?.json ?? '[]')
}

/** Lists the members of a system between two row IDs, oldest first. */
export function listMembersBetween(
  db: Db,
  system: number,
  first: number,
  last: number,
): MaybePromise<Member[]> {
  return membersAmong(db).all({ system, first, last })
}

/** Lists the members of a system, oldest first. */
export function listMembersOf(db: Db, system: number): MaybePromise<Member[]> {
  return membersOf(db).all({ system })
}

/**
 * Sizes for the owner, because the JSON for friends is not cached: SQL text, because they are
 * those of cached JSON.
 */
const sizesOf = query((_, { system }: Placeholders<'system'>, dialect) => {
  const rest = sql`where ${visibleMembers.system_id} = ${system} order by ${visibleMembers.id}`
  const json = memberSizesSql(dialect, 'extended', 'owner', UNKNOWN_BYTES, rest)
  return sql<{ json: string }>`select ${json} as json`
})

const membersAmong = query(
  (db, { system, first, last }: Placeholders<'system' | 'first' | 'last'>) =>
    db
      .select()
      .from(visibleMembers)
      .where(and(eq(visibleMembers.system_id, system), between(visibleMembers.id, first, last)))
      .orderBy(visibleMembers.id),
)

const membersOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(visibleMembers)
    .where(eq(visibleMembers.system_id, system))
    .orderBy(visibleMembers.id),
)
