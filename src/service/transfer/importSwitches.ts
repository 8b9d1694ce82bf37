import { randomUUID } from 'node:crypto'
import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { deletionWatermark, isLiveSwitch, isPendingDeletion } from '../../db/visibility'
import type { BundleSwitch } from '../../formats/bundle'
import { error } from '../../model/errors'
import type { Import } from './importContext'
import { type Staging, writeInBatches } from './staging'

/** How many switches a system may have. */
const MAX_SWITCHES = 1_000_000

/** How many new names of switches are told one by one. */
const MAX_RENAMED = 5000

/** Many switches in one statement: one by one a long history would take three times as long. */
const BATCH = 250

/** A switch as it is written: its members are row numbers. */
type SwitchRow = [uuid: string, timestamp: number, members: number[]]

/** How many more switches a system may have. */
export async function switchCapacity(db: Db, systemId: number | null): Promise<number> {
  if (systemId === null) return MAX_SWITCHES
  const here = await countUpTo(db).get({ system: systemId, most: MAX_SWITCHES })
  return MAX_SWITCHES - (here?.all ?? 0)
}

/** Switches are matched by their time: one that is there already stays as it is. */
export async function importSwitches(work: Import, switches: BundleSwitch[]): Promise<void> {
  const { report, options } = work
  if (options.only?.has('switches') === false) report.switches.left_out += switches.length
  else {
    const rows = await plan(work, switches)
    // A file that brings nothing new writes nothing.
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
    const isLost = members.length > 0 && ids.length === 0
    if (isLost) report.switches.left_out += 1
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
  await deleteForgotten(tx, systemId, json)
  const inserted = await insertAll(tx).all({ system: systemId, import: id, rows: json })
  const ids = new Map(inserted.map(({ uuid, id }) => [uuid, id]))
  const fronters = batch.flatMap(([uuid, _, members]) => {
    const id = ids.get(uuid)
    return id === undefined ? [] : [[id, members]]
  })
  await insertMembers(tx).run({ rows: JSON.stringify(fronters) })
}

/** Deletes switches that only wait to be removed, if they have a UUID or a time of the rows. */
async function deleteForgotten(tx: Db, systemId: number, json: string): Promise<void> {
  if (!(await findForgotten(tx).get({}))) return
  const found = await forgottenAmong(tx).all({ system: systemId, rows: json })
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length > 0) await deleteSwitches(tx).run({ ids: JSON.stringify(ids) })
}

/** The list of what was renamed must not become larger than the file. */
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
  (say) => `
   select ${say.jsonNumber('t')} as timestamp from ${say.jsonEach(':times', 't')} where exists (
     select 1 from switches s where s.system_id = :system and s.timestamp = ${say.jsonNumber('t')}
     and ${isLiveSwitch('s', deletionWatermark(':system'))} ${say.fence}
   )`,
)

/** Which UUIDs of the file's switches are in use on this server. */
const takenUuids = statement<'uuids', { uuid: string }>(
  ({ inJsonTexts }) => `select uuid from switches where ${inJsonTexts('uuid', ':uuids')}
   and not ${isPendingDeletion('switches')}`,
)

const findForgotten = statement<never, { id: number }>(
  'select id from systems where forgotten_switches > 0 limit 1',
)

const forgottenAmong = statement<'system' | 'rows', { id: number | null }>(
  (say) => `
   select (select s.id from switches s where s.uuid = ${say.jsonTextAt('r.value', 0)}
     and ${isPendingDeletion('s')}) as id
   from ${say.jsonEach(':rows', 'r')}
   union all
   select (select s.id from switches s where s.system_id = :system
     and s.timestamp = ${say.jsonNumberAt('r.value', 1)} and ${isPendingDeletion('s')})
   from ${say.jsonEach(':rows', 'r')}`,
)

const deleteSwitches = statement<'ids'>(
  ({ inJsonNumbers }) => `delete from switches where ${inJsonNumbers('id', ':ids')}`,
)

/** One that was logged at the same time meanwhile stays. */
const insertAll = statement<'system' | 'import' | 'rows', { id: number; uuid: string }>(
  (say) => `
   insert into switches (uuid, system_id, timestamp, import_id)
   select ${say.jsonTextAt('r.value', 0)}, ${say.number(':system')}, ${say.jsonNumberAt('r.value', 1)},
     ${say.number(':import')}
   from ${say.jsonEach(':rows', 'r')} where true on conflict do nothing returning id, uuid`,
)

const insertMembers = statement<'rows'>(
  (say) => `
   insert into switch_members (switch_id, position, member_id)
   select ${say.jsonNumberAt('r.value', 0)}, ${say.jsonIndex('m')}, ${say.jsonNumber('m')}
   from ${say.jsonEach(':rows', 'r')} cross join ${say.jsonEach(say.jsonListAt('r.value', 1), 'm')}`,
)
