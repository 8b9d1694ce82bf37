import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import { pushQueue, pushTargets } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { liveSwitchesOf, visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { PushKind } from '../../model/push/pushTarget'

/**
 * Queues a message for each push target of the system that wants the kind, in the transaction of
 * its cause. It replaces a waiting message of the same kind and subject, and keeps the pause of one
 * that failed. The subject is a UUID.
 */
export function enqueuePush(
  tx: Db,
  systemId: number,
  kind: Exclude<PushKind, 'own_front' | 'front'>,
  subject: string,
): MaybePromise<unknown> {
  return enqueue(tx).run({ system: systemId, kind, subject })
}

/** Counts the push targets of the system that want the kind. */
export async function countTargets(tx: Db, systemId: number, kind: PushKind): Promise<number> {
  return (await count(tx).get({ system: systemId, kind }))?.count ?? 0
}

/**
 * Queues messages about the front after a change of a switch, unless a later switch decides who is
 * fronting.
 */
export function enqueueFrontPush(
  tx: Db,
  systemId: number,
  changed: Instant = Number.MAX_SAFE_INTEGER,
): MaybePromise<unknown> {
  return enqueueFront(tx).run({ system: systemId, changed })
}

/** Condition that a system has push targets. Most systems need no statement for them. */
export function hasPushTargets(systemId: SQLWrapper): SQL<number> {
  return sql<number>`case when exists (select 1 from ${pushTargets}
    where ${pushTargets.system_id} = ${systemId}) then 1 else 0 end`
}

/**
 * SQL text, because the builder cannot insert a query with a conflict clause. The targets are
 * locked, because one that another transaction deletes meanwhile would violate the foreign key.
 */
function insertForTargets(kind: SQLWrapper, subject: SQLWrapper, condition: SQL, forUpdate: SQL) {
  const { target_id, kind: kindName, subject: subjectName, revision, attempts } = pushQueue
  return sql`insert into ${pushQueue} (${columnNames(target_id, kindName, subjectName)})
    select ${pushTargets.id}, ${kind}, ${subject} from ${pushTargets} where ${condition} ${forUpdate}
    on conflict (${columnNames(target_id, kindName, subjectName)})
    do update set ${columnNames(revision)} = ${revision} + 1, ${columnNames(attempts)} = 0`
}

const { system_id, wants } = pushTargets

const count = query((db, { system, kind }: Placeholders<'system' | 'kind'>, dialect) =>
  db
    .select({ count: dialect.count().as('count') })
    .from(pushTargets)
    .where(and(eq(system_id, system), dialect.inJsonTexts(kind, wants))),
)

const enqueue = query(
  (_, { system, kind, subject }: Placeholders<'system' | 'kind' | 'subject'>, dialect) =>
    insertForTargets(
      kind,
      subject,
      sql`${eq(system_id, system)} and ${dialect.inJsonTexts(kind, wants)}`,
      dialect.forUpdate,
    ),
)

const enqueueFront = query((_, values: Placeholders<'system' | 'changed'>, dialect) => {
  const live = liveSwitchesOf(values.system)
  const isLater = sql`exists (select 1 from ${live}
    where ${eq(live.system_id, values.system)} and ${live.timestamp} > ${values.changed})`
  const wantsFront = dialect.inJsonTexts(sql`'front'`, wants)
  const wantsOwn = dialect.inJsonTexts(sql`'own_front'`, wants)
  return insertForTargets(
    sql`case when ${wantsFront} then 'front' else 'own_front' end`,
    sql`(select ${visibleSystems.uuid} from ${visibleSystems} where ${visibleSystems.id} = ${system_id})`,
    sql`${eq(system_id, values.system)} and (${wantsFront} or ${wantsOwn}) and not ${isLater}`,
    dialect.forUpdate,
  )
})
