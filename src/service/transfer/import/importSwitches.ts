import { randomUUID } from 'node:crypto'
import { and, eq, exists, gt, not, type SQL, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../../db/query'
import { switches, switchMembers, systems } from '../../../db/tables'
import type { Db } from '../../../db/types'
import { isLiveSwitch, isPendingDeletion, lastDeletedSwitch } from '../../../db/visible'
import type { BundleSwitch } from '../../../formats/bundle'
import { error } from '../../../model/core/errors'
import type { Staging } from '../../../store/transfer/stagedRows'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'

/** Maximum number of switches of a system. */
const MAX_SWITCHES = 1_000_000

/** Maximum number of new switch IDs in the report. */
const MAX_RENAMED = 5000

/** Number of switches in one statement. One statement each would take three times as long. */
const BATCH = 250

/** A switch as it is written, with row IDs of its members. */
type SwitchRow = [uuid: string, timestamp: number, members: number[]]

/** Such a row in a JSON array `r`. */
const ROW = sql`r.value`

/** Returns the number of switches that a system may still add. */
export async function switchCapacity(db: Db, systemId: number | null): Promise<number> {
  if (systemId === null) return MAX_SWITCHES
  const existing = await countUpTo(db).get({ system: systemId, most: MAX_SWITCHES })
  return MAX_SWITCHES - (existing?.all ?? 0)
}

/** Imports switches whose time is new. A switch of the same time is not changed. */
export async function importSwitches(work: Import, given: BundleSwitch[]): Promise<void> {
  const { report, options } = work
  if (options.only?.has('switches') === false) report.switches.left_out += given.length
  else {
    const rows = await plan(work, given)
    // A file without new switches begins no staging.
    if (rows.length > 0 && !options.dryRun) await stage(work, rows)
  }
  await work.step(given.length)
}

async function plan(work: Import, given: BundleSwitch[]): Promise<SwitchRow[]> {
  const { deps, systemId, report, memberIds } = work
  const times = JSON.stringify(given.map(({ timestamp }) => timestamp))
  const found = systemId === null ? [] : await knownTimes(deps.db).all({ system: systemId, times })
  const known = new Set(found.map(({ timestamp }) => timestamp))
  const uuids = given.flatMap(({ uuid }) => uuid ?? [])
  const inUse =
    uuids.length === 0 ? [] : await takenUuids(deps.db).all({ uuids: JSON.stringify(uuids) })
  const taken = new Set(inUse.map(({ uuid }) => uuid))
  const rows: SwitchRow[] = []
  for (const { uuid, timestamp, members } of given) {
    const ids = members.flatMap((key) => memberIds.get(key) ?? [])
    const lacksMembers = members.length > 0 && ids.length === 0
    if (lacksMembers) report.switches.left_out += 1
    else if (known.has(timestamp)) report.switches.unchanged += 1
    else {
      const free = uuid && !taken.has(uuid) ? uuid : randomUUID()
      if (uuid && uuid !== free) recordRename(work, uuid, free)
      rows.push([free, timestamp, ids])
    }
  }
  report.switches.added += rows.length
  if (report.switches.added > work.switchCapacity)
    throw error('badRequest', 'the system would have more than 1,000,000 switches')
  return rows
}

async function stage(work: Import, rows: SwitchRow[]): Promise<void> {
  const staging = await work.staging()
  const batches: SwitchRow[][] = []
  for (let at = 0; at < rows.length; at += BATCH) batches.push(rows.slice(at, at + BATCH))
  await writeInBatches(work.deps, staging, batches, (tx, batch) => write(tx, staging, batch))
}

async function write(tx: Db, { id, systemId }: Staging, batch: SwitchRow[]): Promise<void> {
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
  const found = await hiddenAmong(tx).all({ system: systemId, rows: json })
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length > 0) await deleteSwitches(tx).run({ ids: JSON.stringify(ids) })
}

/** Reports a new ID. The number is limited, so that the report stays smaller than the file. */
function recordRename({ report }: Import, from: string, to: string): void {
  const { renamed } = report
  if (renamed.length < MAX_RENAMED) renamed.push({ kind: 'switch', name: null, from, to })
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
  const known = sql`${and(eq(system_id, system), eq(timestamp, time))}
    and ${isLiveSwitch(system)} ${dialect.fence}`
  return db
    .select({ timestamp: time.as('timestamp') })
    .from(dialect.jsonEach(times, 't'))
    .where(exists(db.select({ timestamp }).from(switches).where(known)))
})

/** Selects the given UUIDs of switches that are in use on this server. */
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
    const found = db.select({ id }).from(switches).where(and(isSame, isPendingDeletion))
    return db
      .select({ id: sql<number | null>`${found}`.as('id') })
      .from(dialect.jsonEach(rows, 'r'))
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
