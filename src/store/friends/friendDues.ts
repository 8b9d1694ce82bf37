import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import { friendNotifyDue, friendSides, switchMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { liveSwitchesOf } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/**
 * Schedules the comparison of fronts before a switch at this time is logged or changed, unless a
 * later switch decides who is fronting.
 */
export function scheduleFriendNotifications(
  tx: Db,
  systemId: number,
  now: Instant,
  changed: Instant,
): MaybePromise<unknown> {
  return announce(tx).run({ system: systemId, due: now, changed })
}

/**
 * Schedules that what friends were last notified of is brought up to date, without a notification:
 * after a change of what is shared, and after the deletion of a switch.
 */
export function scheduleFriendRefresh(
  tx: Db,
  systemId: number,
  now: Instant,
): MaybePromise<unknown> {
  return refresh(tx).run({ system: systemId, due: now })
}

/** Condition that a system has friends. Most systems need no statement for them. */
export function hasFriends(systemId: SQLWrapper): SQL<number> {
  return sql<number>`case when ${isBefriended(systemId)} then 1 else 0 end`
}

const { system_id, due, announces, fronters_before } = friendNotifyDue

const isBefriended = (system: SQLWrapper) =>
  sql`exists (select 1 from ${friendSides} where ${friendSides.system_id} = ${system})`

// SQL text, because the builder cannot insert a query with a conflict clause.
const announce = query(
  (_, values: Placeholders<'system' | 'due' | 'changed'>, { number, jsonNumbers }) => {
    const live = liveSwitchesOf(values.system)
    const isLater = sql`exists (select 1 from ${live}
      where ${eq(live.system_id, values.system)} and ${live.timestamp} > ${values.changed})`
    const fronters = jsonNumbers(
      switchMembers.member_id,
      sql`${switchMembers} where ${switchMembers.switch_id} = ${live.id}`,
      switchMembers.position,
    )
    const before = sql`coalesce((select ${fronters} from ${live}
      where ${eq(live.system_id, values.system)} order by ${live.timestamp} desc limit 1), '[]')`
    return sql`insert into ${friendNotifyDue}
        (${columnNames(system_id, due, announces, fronters_before)})
      select ${number(values.system)}, ${number(values.due)}, 1, ${before}
      where ${isBefriended(values.system)} and not ${isLater}
      on conflict (${columnNames(system_id)})
      do update set ${columnNames(announces)} = 1,
        ${columnNames(due)} = case when excluded.due > ${due} then excluded.due else ${due} + 1 end,
        ${columnNames(fronters_before)} = case when ${announces} = 1
          then ${fronters_before} else excluded.fronters_before end`
  },
)

const refresh = query(
  (_, values: Placeholders<'system' | 'due'>, { number }) =>
    sql`insert into ${friendNotifyDue} (${columnNames(system_id, due, announces)})
      select ${number(values.system)}, ${number(values.due)}, 0 where ${isBefriended(values.system)}
      on conflict do nothing`,
)
