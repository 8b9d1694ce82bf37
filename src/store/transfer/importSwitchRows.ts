import { and, eq, exists, gt, not, type SQL, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import { switches, switchMembers, systems } from '../../db/tables'
import type { Db } from '../../db/types'
import { isLiveSwitch, isPendingDeletion, lastDeletedSwitch } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { Staging } from './stagedRows'

/** A switch as it is written, with row IDs of its members. */
export type SwitchRow = [uuid: string, timestamp: number, members: number[]]

/** Such a row in a JSON array `r`. */
const ROW = sql`r.value`

/** Counts the switches of a system, up to a limit. */
export async function countSwitches(db: Db, systemId: number, most: number): Promise<number> {
  return (await countUpTo(db).get({ system: systemId, most }))?.all ?? 0
}

/** Lists those of the times at which the system has a switch. */
export async function listKnownTimes(
  db: Db,
  systemId: number,
  times: readonly Instant[],
): Promise<Instant[]> {
  const rows = await knownTimes(db).all({ system: systemId, times: JSON.stringify(times) })
  return rows.map(({ timestamp }) => timestamp)
}

/** Lists those of the UUIDs that switches on this server have. */
export async function listTakenUuids(db: Db, uuids: readonly string[]): Promise<string[]> {
  const rows = await takenUuids(db).all({ uuids: JSON.stringify(uuids) })
  return rows.map(({ uuid }) => uuid)
}

/** Writes switches, which are hidden until their import is committed. */
export async function writeSwitches(
  tx: Db,
  { id, systemId }: Staging,
  batch: readonly SwitchRow[],
): Promise<void> {
  const json = JSON.stringify(batch)
  await deleteHidden(tx, systemId, json)
  const inserted = await insertAll(tx).all({ system: systemId, import: id, rows: json })
  const ids = new Map(inserted.map(({ uuid, id }) => [uuid, id]))
  const fronters = batch.flatMap(([uuid, _, members]) => {
    const id = ids.get(uuid)
    return id === undefined ? [] : [[id, members]]
  })
  await insertMembers(tx).run({ rows: JSON.stringify(fronters) })
}

/** Deletes switches of a deleted history that have the UUID or time of one of the rows. */
async function deleteHidden(tx: Db, systemId: number, json: string): Promise<void> {
  if (!(await findPendingDeletion(tx).get({}))) return
  const hidden = await hiddenAmong(tx).all({ system: systemId, rows: json })
  const ids = hidden.flatMap(({ id }) => id ?? [])
  if (ids.length > 0) await deleteSwitches(tx).run({ ids: JSON.stringify(ids) })
}

const countUpTo = query((db, { system, most }: Placeholders<'system' | 'most'>, { count }) => {
  const some = db
    .select({ id: switches.id })
    .from(switches)
    .where(
      sql`${eq(switches.system_id, system)} and +${switches.id} > ${lastDeletedSwitch(system)}`,
    )
    .limit(most)
    .as('some')
  return db.select({ all: count().as('all') }).from(some)
})

const knownTimes = query((db, { system, times }: Placeholders<'system' | 'times'>, dialect) => {
  const { system_id, timestamp } = switches
  const time = sql<number>`${dialect.jsonNumber('t')}`
  const isKnown = sql`${and(eq(system_id, system), eq(timestamp, time))}
    and ${isLiveSwitch(system)} ${dialect.fence}`
  return db
    .select({ timestamp: time.as('timestamp') })
    .from(dialect.jsonEach(times, 't'))
    .where(exists(db.select({ timestamp }).from(switches).where(isKnown)))
})

const takenUuids = query((db, { uuids }: Placeholders<'uuids'>, { inJsonTexts }) =>
  db
    .select({ uuid: switches.uuid })
    .from(switches)
    .where(and(inJsonTexts(switches.uuid, uuids), not(isPendingDeletion))),
)

const findPendingDeletion = query((db) =>
  db
    .select({ id: systems.id })
    .from(systems)
    .where(gt(systems.deleted_through_switch_id, 0))
    .limit(1),
)

const hiddenAmong = query((db, { system, rows }: Placeholders<'system' | 'rows'>, dialect) => {
  const { id, uuid, system_id, timestamp } = switches
  const hidden = (isSame: SQL | undefined) => {
    const ids = db.select({ id }).from(switches).where(and(isSame, isPendingDeletion))
    return db.select({ id: sql<number | null>`${ids}`.as('id') }).from(dialect.jsonEach(rows, 'r'))
  }
  return hidden(eq(uuid, dialect.jsonTextAt(ROW, 0))).unionAll(
    hidden(and(eq(system_id, system), eq(timestamp, dialect.jsonNumberAt(ROW, 1)))),
  )
})

const deleteSwitches = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.delete(switches).where(inJsonNumbers(switches.id, ids)),
)

/**
 * Skips a switch if another one with its time was logged meanwhile. SQL text, because the builder
 * inserts selected rows only with all columns of their table, and the ID is left to the database.
 */
const insertAll = query((_, values: Placeholders<'system' | 'import' | 'rows'>, dialect) => {
  const { id, uuid, system_id, timestamp, import_id } = switches
  return sql<{ id: number; uuid: string }>`
   insert into ${switches} (${columnNames(uuid, system_id, timestamp, import_id)})
   select ${dialect.jsonTextAt(ROW, 0)}, ${dialect.number(values.system)},
     ${dialect.jsonNumberAt(ROW, 1)}, ${dialect.number(values.import)}
   from ${dialect.jsonEach(values.rows, 'r')} where true
   on conflict do nothing returning ${columnNames(id, uuid)}`
})

const insertMembers = query((db, { rows }: Placeholders<'rows'>, dialect) => {
  const fronters = dialect.jsonEach(dialect.jsonListAt(ROW, 1), 'm')
  return db.insert(switchMembers).select(
    sql`select ${dialect.jsonNumberAt(ROW, 0)}, ${dialect.jsonIndex('m')}, ${dialect.jsonNumber('m')}
      from ${dialect.jsonEach(rows, 'r')} cross join ${fronters}`,
  )
})
