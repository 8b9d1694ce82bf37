import type { Db } from '../../../db/types'
import { recordEvent } from '../../../store/events/recordEvent'
import { scheduleFriendRefresh } from '../../../store/friends/friendDues'
import { getSystemById } from '../../../store/systems/systemRows'
import { commitStaging } from '../../../store/transfer/stagedRows'
import { requireCapacity } from './archiveRows'
import type { Import, ImportReport } from './importContext'
import { requireRowLimits } from './importExt'
import { importPreferences } from './importGuilds'

/** Makes the staged rows visible and records the event, at the end of the last transaction. */
export async function finishImport(
  work: Import,
  tx: Db,
  systemId: number,
  isChanged: boolean,
): Promise<ImportReport> {
  const { deps, report, begun, options } = work
  if (begun) {
    await requireCapacity(deps, tx, begun)
    await commitStaging(tx, begun)
    await requireRowLimits(work, tx, systemId)
  }
  // Members and groups of the file are visible only now.
  const hasPreferences = options.only === null && (await importPreferences(work, tx, systemId))
  if (isChanged || hasPreferences)
    await recordEvent(tx, deps.now(), {
      system_id: systemId,
      type: 'SUCCESSFUL_IMPORT',
      subject: null,
      data: null,
    })
  await scheduleFriendRefresh(tx, systemId, deps.now())
  return { ...report, system: (await getSystemById(tx, systemId)).hid }
}
