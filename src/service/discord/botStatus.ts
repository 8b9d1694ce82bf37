import { desc } from 'drizzle-orm'
import { query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordStatus as statuses } from '../../db/tables'
import type { DiscordStatus } from '../../model/core/discord'
import { requireDiscordBot, requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** Stores the state of the bot. Not flushed, because it is replaced soon. */
export async function storeBotStatus(
  deps: Deps,
  viewer: Viewer,
  status: DiscordStatus,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact('new', async (tx) => void (await storeRow(tx, status)), 'slice')
}

/** Returns the latest state of the bot; null if it never ran. */
export async function findBotStatus({ db }: Deps, viewer: Viewer): Promise<DiscordStatus | null> {
  requireOperator(viewer)
  return await latest(db).get({})
}

const latest = query((db) => db.select().from(statuses).orderBy(desc(statuses.at)).limit(1))

const storeRow = createUpserter(
  statuses,
  ['application'],
  ['name', 'node', 'at', 'shards', 'shards_ready', 'guilds', 'last_event', 'problem'],
)
