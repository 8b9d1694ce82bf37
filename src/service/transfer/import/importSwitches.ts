import { randomUUID } from 'node:crypto'
import type { Db } from '../../../db/types'
import type { BundleSwitch } from '../../../formats/bundle'
import { error } from '../../../model/core/errors'
import {
  countSwitches,
  listKnownTimes,
  listTakenUuids,
  type SwitchRow,
  writeSwitches,
} from '../../../store/transfer/importSwitchRows'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'

/** Maximum number of switches of a system. */
const MAX_SWITCHES = 1_000_000

/** Maximum number of new switch IDs in the report. */
const MAX_RENAMED = 5000

/** Number of switches in one statement. One statement each would take three times as long. */
const BATCH = 250

/** Returns the number of switches that a system may still add. */
export async function switchCapacity(db: Db, systemId: number | null): Promise<number> {
  if (systemId === null) return MAX_SWITCHES
  return MAX_SWITCHES - (await countSwitches(db, systemId, MAX_SWITCHES))
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
  const times = given.map(({ timestamp }) => timestamp)
  const known = new Set(systemId === null ? [] : await listKnownTimes(deps.db, systemId, times))
  const uuids = given.flatMap(({ uuid }) => uuid ?? [])
  const taken = new Set(uuids.length === 0 ? [] : await listTakenUuids(deps.db, uuids))
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
  await writeInBatches(work.deps, staging, batches, (tx, batch) =>
    writeSwitches(tx, staging, batch),
  )
}

/** Reports a new ID. The number is limited, so that the report stays smaller than the file. */
function recordRename({ report }: Import, from: string, to: string): void {
  const { renamed } = report
  if (renamed.length < MAX_RENAMED) renamed.push({ kind: 'switch', name: null, from, to })
}
