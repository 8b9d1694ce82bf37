import { discordBot } from '../../model/core/privacy'
import { deleteMessages } from '../../service/proxy/recordMessage'
import type { BotCore } from '../bot/core'

/** Deletes the records of messages that were deleted on Discord. */
export interface RecordDeletions {
  add(ids: readonly string[]): void
}

const BATCH = 500
/** Deletions of this time share a transaction. */
const COLLECT_MS = 1000

/** Waits before it deletes, because bots ask for the record to find out why a message vanished. */
export function createRecordDeletions(core: BotCore): RecordDeletions {
  const { deps, stopSignal, background, timing } = core
  let collected: string[] | null = null

  const deleteLater = async (ids: readonly string[]) => {
    await stopSignal.sleep(COLLECT_MS)
    collected = null
    await stopSignal.sleep(timing.recordDeletionMs)
    for (let index = 0; index < ids.length; index += BATCH)
      await deleteMessages(deps, discordBot, ids.slice(index, index + BATCH))
  }
  return {
    add(ids) {
      if (collected) return void collected.push(...ids)
      const opened = [...ids]
      collected = opened
      background.run('deletion of records', () => deleteLater(opened))
    },
  }
}
