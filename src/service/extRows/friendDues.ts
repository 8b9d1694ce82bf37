import { eq, type SQL, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import { friendNotifyDue, friendSides } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { liveSwitchesOf } from '../../db/visible'
import { type Instant, SECOND } from '../../model/time'

/** Time from the last change of a front until friends are notified. */
const PAUSE = 10 * SECOND

/**
 * Schedules the notification of friends after a switch at this time was logged or changed, unless a
 * later switch decides who is fronting.
 */
export function announceFront(
  tx: Db,
  systemId: number,
  now: Instant,
  changed: Instant,
): MaybePromise<unknown> {
  return announce(tx).run({ system: systemId, due: now + PAUSE, changed })
}

/**
 * Schedules that what friends were last notified of is brought up to date, without a notification:
 * after a change of what is shared, and after the deletion of a switch.
 */
export function refreshFriends(tx: Db, systemId: number, now: Instant): MaybePromise<unknown> {
  return refresh(tx).run({ system: systemId, due: now })
}

const { system_id, due, announces } = friendNotifyDue

const hasFriends = (system: SQL) =>
  sql`exists (select 1 from ${friendSides} where ${eq(friendSides.system_id, system)})`

// SQL text, because the builder cannot insert a query with a conflict clause.
const announce = query((_, values: Placeholders<'system' | 'due' | 'changed'>, { number }) => {
  const live = liveSwitchesOf(values.system)
  const isLater = sql`exists (select 1 from ${live}
    where ${eq(live.system_id, values.system)} and ${live.timestamp} > ${values.changed})`
  return sql`insert into ${friendNotifyDue} (${columnNames(system_id, due, announces)})
    select ${number(values.system)}, ${number(values.due)}, 1
    where ${hasFriends(values.system)} and not ${isLater}
    on conflict (${columnNames(system_id)})
    do update set ${columnNames(due)} = excluded.due, ${columnNames(announces)} = 1`
})

const refresh = query(
  (_, values: Placeholders<'system' | 'due'>, { number }) =>
    sql`insert into ${friendNotifyDue} (${columnNames(system_id, due, announces)})
      select ${number(values.system)}, ${number(values.due)}, 0 where ${hasFriends(values.system)}
      on conflict do nothing`,
)
