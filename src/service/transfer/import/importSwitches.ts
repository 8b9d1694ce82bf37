import { randomUUID } from 'node:crypto'
import type { Db } from '../../../db/types'
import { batches } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import {
  countSwitches,
  listKnownTimes,
  listTakenUuids,
  type SwitchRow,
  writeSwitches,
} from '../../../store/transfer/importSwitchRows'
import { writeInBatches } from '../../systems/staging'
import { type ImportRun, recordRename, wants } from './importRun'
import type { ImportStep } from './importStep'

const MAX_SWITCHES = 1_000_000

const MAX_RENAMED = 5000

/** Number of switches in one statement. One statement each would take three times as long. */
const BATCH = 250

/** Returns the number of switches that a system may still add. */
export async function switchCapacity(db: Db, systemId: number | null): Promise<number> {
  if (systemId === null) return MAX_SWITCHES
  return MAX_SWITCHES - (await countSwitches(db, systemId, MAX_SWITCHES))
}

/** Switches whose time is new. A switch of the same time is not changed. */
export class Switches implements ImportStep {
  readonly reads = 'switches'
  #rows: SwitchRow[] = []
  /** Number of switches that the system may still add; null before the first batch. */
  #capacity: number | null = null

  constructor(readonly run: ImportRun) {}

  async plan(): Promise<void> {
    const { run } = this
    const { deps, systemId, file, report, ids } = run
    const { switches } = file
    this.#rows = []
    if (!wants(run, 'switches')) report.switches.left_out += switches.length
    else {
      this.#capacity ??= await switchCapacity(deps.db, systemId)
      const times = switches.map(({ timestamp }) => timestamp)
      const knownTimes = new Set(
        systemId === null ? [] : await listKnownTimes(deps.db, systemId, times),
      )
      const uuids = switches.flatMap(({ uuid }) => uuid ?? [])
      const takenUuids = new Set(uuids.length === 0 ? [] : await listTakenUuids(deps.db, uuids))
      for (const { uuid, timestamp, members } of switches) {
        const memberIds = members.flatMap((key) => ids.members.get(key) ?? [])
        const lacksMembers = members.length > 0 && memberIds.length === 0
        if (lacksMembers) report.switches.left_out += 1
        else if (knownTimes.has(timestamp)) report.switches.unchanged += 1
        else {
          const free = uuid && !takenUuids.has(uuid) ? uuid : randomUUID()
          // The number is limited, so that the report stays smaller than the file.
          if (uuid && report.renamed.length < MAX_RENAMED)
            recordRename(run, 'switch', null, { uuid }, { uuid: free })
          this.#rows.push([free, timestamp, memberIds])
        }
      }
      report.switches.added += this.#rows.length
      if (report.switches.added > this.#capacity)
        throw error('badRequest', 'the system would have more than 1,000,000 switches')
    }
    await run.advance(switches.length)
  }

  async stage(): Promise<void> {
    // A file without new switches begins no staging.
    if (this.#rows.length === 0) return
    const staging = await this.run.staging()
    await writeInBatches(this.run.deps, staging, [...batches(this.#rows, BATCH)], (tx, batch) =>
      writeSwitches(tx, staging, batch),
    )
  }
}
