import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordSessions as sessions } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { DiscordSession } from '../../model/core/discord'

/** Lists the sessions of the gateway by shard. */
export async function listShardSessions(db: Db): Promise<DiscordSession[]> {
  return await all(db).all({})
}

export function deleteShardSession(tx: Db, shard: number): MaybePromise<unknown> {
  return deleteRow(tx).run({ shard })
}

const all = query((db) => db.select().from(sessions).orderBy(sessions.shard))

export const storeShardSession = createUpserter(
  sessions,
  ['shard'],
  ['shards', 'session_id', 'resume_url', 'sequence'],
)

const deleteRow = query((db, { shard }: Placeholders<'shard'>) =>
  db.delete(sessions).where(eq(sessions.shard, shard)),
)
