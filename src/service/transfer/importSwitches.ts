import { randomUUID } from 'node:crypto'
import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { deletionWatermark, isLiveSwitch, isPendingDeletion } from '../../db/visibility'
import type { BundleSwitch } from '../../formats/bundle'
import { error } from '../../model/errors'
import { type Staging, writeInBatches } from '../staging'
import type { Import } from './importContext'

/** Maximum number of switches of a system. */
const MAX_SWITCHES = 1_000_000

/** Maximum number of new switch IDs in the report. */
const MAX_RENAMED = 5000

/** Number of switches in one statement. One statement each would take three times as long. */
const BATCH = 250

/** A switch as it is written, with row IDs of its members. */
type SwitchRow = [uuid: string, timestamp: number, members: number[]]

/** Returns the number of switches that a system may still add. */
export async function switchCapacity(db: Db, systemId: number | null): Promise<number> {
  if (systemId === null) return MAX_SWITCHES
  const existing = await countUpTo(db).get({ system: systemId, most: MAX_SWITCHES })
  return MAX_SWITCHES - (existing?.all ?? 0)
}

/** Imports switches whose time is new. A switch of the same time is not changed. */
export async function importSwitches(work: Import, switches: BundleSwitch[]): Promise<void> {
  const { report, options } = work
  if (options.only?.has('switches') === false) report.switches.left_out += switches.length
  else {
    const rows = await plan(work, switches)
    // A file without new switches begins no staging.
    if (rows.length > 0 && !options.dryRun) await stage(work, rows)
  }
  await work.step(switches.length)
}

async function plan(work: Import, switches: BundleSwitch[]): Promise<SwitchRow[]> {
  const { deps, systemId, report, memberIds } = work
  const times = JSON.stringify(switches.map(({ timestamp }) => timestamp))
  const found = systemId === null ? [] : await knownTimes(deps.db).all({ system: systemId, times })
  const known = new Set(found.map(({ timestamp }) => timestamp))
  const uuids = switches.flatMap(({ uuid }) => uuid ?? [])
  const inUse =
    uuids.length === 0 ? [] : await takenUuids(deps.db).all({ uuids: JSON.stringify(uuids) })
  const taken = new Set(inUse.map(({ uuid }) => uuid))
  const rows: SwitchRow[] = []
  for (const { uuid, timestamp, members } of switches) {
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

const countUpTo = statement<'system' | 'most', { all: number }>(
  ({ count }) => `
   select ${count()} as "all" from (
     select 1 from switches where system_id = :system and +id > ${deletionWatermark(':system')}
     limit :most
   ) few`,
)

const knownTimes = statement<'system' | 'times', { timestamp: number }>(
  (dialect) => `
   select ${dialect.jsonNumber('t')} as timestamp from ${dialect.jsonEach(':times', 't')} where exists (
     select 1 from switches s where s.system_id = :system and s.timestamp = ${dialect.jsonNumber('t')}
     and ${isLiveSwitch('s', deletionWatermark(':system'))} ${dialect.fence}
   )`,
)

/** Selects the given UUIDs of switches that are in use on this server. */
const takenUuids = statement<'uuids', { uuid: string }>(
  ({ inJsonTexts }) => `select uuid from switches where ${inJsonTexts('uuid', ':uuids')}
   and not ${isPendingDeletion('switches')}`,
)

const findPendingDeletion = statement<never, { id: number }>(
  'select id from systems where deleted_through_switch_id > 0 limit 1',
)

const hiddenAmong = statement<'system' | 'rows', { id: number | null }>(
  (dialect) => `
   select (select s.id from switches s where s.uuid = ${dialect.jsonTextAt('r.value', 0)}
     and ${isPendingDeletion('s')}) as id
   from ${dialect.jsonEach(':rows', 'r')}
   union all
   select (select s.id from switches s where s.system_id = :system
     and s.timestamp = ${dialect.jsonNumberAt('r.value', 1)} and ${isPendingDeletion('s')})
   from ${dialect.jsonEach(':rows', 'r')}`,
)

const deleteSwitches = statement<'ids'>(
  ({ inJsonNumbers }) => `delete from switches where ${inJsonNumbers('id', ':ids')}`,
)

/** Skips a switch if another one with its time was logged meanwhile. */
const insertAll = statement<'system' | 'import' | 'rows', { id: number; uuid: string }>(
  (dialect) => `
   insert into switches (uuid, system_id, timestamp, import_id)
   select ${dialect.jsonTextAt('r.value', 0)}, ${dialect.number(':system')}, ${dialect.jsonNumberAt('r.value', 1)},
     ${dialect.number(':import')}
   from ${dialect.jsonEach(':rows', 'r')} where true on conflict do nothing returning id, uuid`,
)

const insertMembers = statement<'rows'>(
  (dialect) => `
   insert into switch_members (switch_id, position, member_id)
   select ${dialect.jsonNumberAt('r.value', 0)}, ${dialect.jsonIndex('m')}, ${dialect.jsonNumber('m')}
   from ${dialect.jsonEach(':rows', 'r')} cross join ${dialect.jsonEach(dialect.jsonListAt('r.value', 1), 'm')}`,
)
