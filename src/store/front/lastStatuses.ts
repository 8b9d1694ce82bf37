import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts, switchMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleFrontNotes } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { Fronter } from '../../model/front/fronter'

/** Kind and last status of a member of a switch. */
interface LastStatus {
  readonly id: number
  readonly kind: Fronter['kind'] | null
  readonly at: Instant | null
  readonly text: string | null
}

/** Lists the kind and the last status of each member of a switch. */
export function listLastStatuses(db: Db, switchId: number): MaybePromise<LastStatus[]> {
  return lastStatuses(db).all({ switch: switchId })
}

/**
 * SQL of the last status of a member. Like the latest switch, a status of a client whose clock is
 * ahead counts at once.
 */
export function lastStatusOf(memberId: SQLWrapper, column: 'at' | 'text'): SQL {
  const { member_id, kind, at } = visibleFrontNotes
  return sql`(select ${visibleFrontNotes[column]} from ${visibleFrontNotes}
    where ${member_id} = ${memberId} and ${kind} = 'status' order by ${at} desc limit 1)`
}

const lastStatuses = query((db, values: Placeholders<'switch'>) => {
  const last = (column: 'at' | 'text') => lastStatusOf(switchMembers.member_id, column)
  return db
    .select({
      id: sql<number>`${switchMembers.member_id}`.as('id'),
      kind: sql<Fronter['kind'] | null>`${memberExts.kind}`.as('kind'),
      at: sql<Instant | null>`${last('at')}`.as('at'),
      text: sql<string | null>`${last('text')}`.as('text'),
    })
    .from(switchMembers)
    .leftJoin(memberExts, eq(memberExts.member_id, switchMembers.member_id))
    .where(eq(switchMembers.switch_id, values.switch))
})
