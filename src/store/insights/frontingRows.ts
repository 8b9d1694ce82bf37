import { and, asc, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts } from '../../db/tables'
import type { Db } from '../../db/types'
import { liveSwitches, visibleMembers } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/** A member as a replay of the history needs it. */
export interface FrontingMember {
  readonly id: number
  readonly hid: string
  readonly visibility: string
}

/** Lists the members of a system, or those of a kind. */
export async function listFrontingMembers(
  db: Db,
  systemId: number,
  kind: 'members' | 'custom_fronts' | null,
): Promise<FrontingMember[]> {
  return kind === null
    ? await allMembers(db).all({ system: systemId })
    : await membersOfKind(db).all({ system: systemId, kind: kindNames[kind] })
}

/** Returns the time of the first switch of a system; null without any. */
export async function findFirstSwitch(db: Db, systemId: number): Promise<Instant | null> {
  return (await firstSwitch(db).get({ system: systemId }))?.timestamp ?? null
}

const allMembers = query((db, { system }: Placeholders<'system'>) => {
  const { id, hid, visibility, system_id } = visibleMembers
  return db.select({ id, hid, visibility }).from(visibleMembers).where(eq(system_id, system))
})

const kindNames = { members: 'member', custom_fronts: 'custom_front' } as const

const membersOfKind = query((db, values: Placeholders<'system' | 'kind'>) => {
  const { id, hid, visibility, system_id } = visibleMembers
  return db
    .select({ id, hid, visibility })
    .from(visibleMembers)
    .leftJoin(memberExts, eq(memberExts.member_id, id))
    .where(
      and(
        eq(system_id, values.system),
        sql`coalesce(${memberExts.kind}, 'member') = ${values.kind}`,
      ),
    )
})

const firstSwitch = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ timestamp: liveSwitches.timestamp })
    .from(liveSwitches)
    .where(eq(liveSwitches.system_id, system))
    .orderBy(asc(liveSwitches.timestamp))
    .limit(1),
)
