import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordSessions as sessions } from '../../db/tables'
import type { DiscordSession } from '../../model/core/discord'
import { requireDiscordBot, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** Lists the sessions of the gateway that the last process left, by shard. */
export async function listGatewaySessions({ db }: Deps, viewer: Viewer): Promise<DiscordSession[]> {
  requireDiscordBot(viewer)
  return await all(db).all({})
}

/** Stores the sessions of some shards. Not flushed: a session that is lost is only begun anew. */
export async function storeGatewaySessions(
  deps: Deps,
  viewer: Viewer,
  list: readonly DiscordSession[],
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact(
    'new',
    async (tx) => {
      for (const session of list) await storeRow(tx, { ...session })
    },
    'slice',
  )
}

/** Deletes the session of a shard, which Discord has ended. */
export async function deleteGatewaySession(
  deps: Deps,
  viewer: Viewer,
  shard: number,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact('new', async (tx) => void (await deleteRow(tx).run({ shard })), 'slice')
}

const all = query((db) => db.select().from(sessions).orderBy(sessions.shard))

const storeRow = createUpserter(
  sessions,
  ['shard'],
  ['shards', 'session_id', 'resume_url', 'sequence'],
)

const deleteRow = query((db, { shard }: Placeholders<'shard'>) =>
  db.delete(sessions).where(eq(sessions.shard, shard)),
)
