import type { DiscordStatus } from '../../model/core/discord'
import { requireDiscordBot, requireOperator, type Viewer } from '../../model/core/privacy'
import { findLatestStatus, storeStatus } from '../../store/discord/statusRows'
import type { Deps } from '../core/deps'

/** Stores the state of the bot. Not flushed, because it is replaced soon. */
export async function storeBotStatus(
  deps: Deps,
  viewer: Viewer,
  status: DiscordStatus,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact('new', async (tx) => void (await storeStatus(tx, status)), 'slice')
}

/** Returns the latest state of the bot; null if it never ran. */
export async function findBotStatus({ db }: Deps, viewer: Viewer): Promise<DiscordStatus | null> {
  requireOperator(viewer)
  return findLatestStatus(db)
}
