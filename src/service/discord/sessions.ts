import type { DiscordSession } from '../../model/core/discord'
import { requireDiscordBot, type Viewer } from '../../model/core/privacy'
import {
  deleteShardSession,
  listShardSessions,
  storeShardSession,
} from '../../store/discord/gatewaySessionRows'
import type { Deps } from '../core/deps'

/** Lists the sessions of the gateway that the last process left, by shard. */
export async function listGatewaySessions({ db }: Deps, viewer: Viewer): Promise<DiscordSession[]> {
  requireDiscordBot(viewer)
  return listShardSessions(db)
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
      for (const session of list) await storeShardSession(tx, session)
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
  await deps.transact('new', async (tx) => void (await deleteShardSession(tx, shard)), 'slice')
}
