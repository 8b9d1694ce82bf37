import { type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import type { Placeholders } from '../../db/query'
import { memberExts } from '../../db/tables'
import { visibleMembers as members, visibleSystems as systems } from '../../db/visible'
import type { Audience } from '../../model/core/privacy'
import {
  ifListPublicSql,
  isLargeListSql,
  type MemberList,
  memberListSql,
  memberSizesSql,
} from './jsonSql'
import { type BySystemRef, bySystemRef, onlyVisible } from './objectSql'

/**
 * Size above which a JSON list is read piece by piece, as its client takes them. 1,000 members with
 * texts of usual length have about 1.2 MB.
 */
export const LARGE_LIST_BYTES = 1_500_000

/** Assumed size of an object whose JSON is not cached. */
export const UNKNOWN_BYTES = 8 * 1024

/**
 * Statements of a list of the members of a system, oldest first: SQL text, because responses are
 * assembled in SQL.
 */
export interface MemberListStatements<Name extends string> {
  /** JSON of the list; the row ID of its system as text if the list is large. */
  readonly whole: BySystemRef<Name>
  /** JSON list of the row IDs of the members and the sizes of their JSON. */
  readonly sizes: BySystemRef<Name>
  /** JSON of the members between two row IDs. */
  readonly piece: BySystemRef<Name | 'first' | 'last'>
}

/** Members of version 2. */
export const memberList = statementsOf('v2', () => sql``)

/** Members with what the extension API adds to them. */
export const extendedMemberList = statementsOf('extended', () => sql``)

/** The same for members of one kind, of both with `any`, and of one state of the archive. */
export const someExtendedMembers = statementsOf<'kind' | 'archived'>(
  'extended',
  ({ kind, archived }) => {
    const ext = (condition: SQL) =>
      sql`exists (select 1 from ${memberExts} where ${memberExts.member_id} = ${members.id} and ${condition})`
    const kindOf = sql`case when ${ext(sql`${memberExts.kind} = 'custom_front'`)} then 'custom_front' else 'member' end`
    const stateOf = sql`case when ${ext(sql`${memberExts.archived_at} is not null`)} then 'true' else 'false' end`
    return sql`and ${kind} in ('any', ${kindOf}) and ${archived} in ('any', ${stateOf})`
  },
)

function statementsOf<Name extends string = never>(
  list: MemberList,
  condition: (values: Placeholders<Name>) => SQL,
): MemberListStatements<Name> {
  const build =
    <More extends string = never>(
      json: (
        dialect: Dialect,
        audience: Audience,
        where: SQL,
        values: Placeholders<Name | More>,
      ) => SQL,
    ) =>
    (audience: Audience, dialect: Dialect, values: Placeholders<Name | More>) => {
      const where = sql`where ${members.system_id} = ${systems.id}
        ${onlyVisible(audience, members)} ${condition(values)}`
      return ifListPublicSql('members', systems, audience, json(dialect, audience, where, values))
    }
  return {
    whole: bySystemRef(
      build((dialect, audience, where) => {
        const isLarge = isLargeListSql(
          dialect,
          list,
          audience,
          systems.id,
          LARGE_LIST_BYTES,
          UNKNOWN_BYTES,
        )
        const json = memberListSql(dialect, list, audience, sql`${where} order by ${members.id}`)
        return sql`case when ${isLarge} then cast(${systems.id} as text) else ${json} end`
      }),
    ),
    sizes: bySystemRef(
      build((dialect, audience, where) =>
        memberSizesSql(
          dialect,
          list,
          audience,
          UNKNOWN_BYTES,
          sql`${where} order by ${members.id}`,
        ),
      ),
    ),
    piece: bySystemRef<Name | 'first' | 'last'>(
      build<'first' | 'last'>((dialect, audience, where, { first, last }) =>
        memberListSql(
          dialect,
          list,
          audience,
          sql`${where} and ${members.id} between ${first} and ${last} order by ${members.id}`,
        ),
      ),
    ),
  }
}
