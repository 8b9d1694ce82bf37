import { desc } from 'drizzle-orm'
import { query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordStatus as statuses } from '../../db/tables'
import type { Db } from '../../db/types'
import type { DiscordStatus } from '../../model/core/discord'

export async function findLatestStatus(db: Db): Promise<DiscordStatus | null> {
  return await latest(db).get({})
}

const latest = query((db) => db.select().from(statuses).orderBy(desc(statuses.at)).limit(1))

export const storeStatus = createUpserter(
  statuses,
  ['application'],
  [
    'name',
    'node',
    'at',
    'shards',
    'shards_ready',
    'guilds',
    'last_event',
    'disconnected_at',
    'problem',
  ],
)
