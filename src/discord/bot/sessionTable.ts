import { discordBot } from '../../model/core/privacy'
import type { Deps } from '../../service/core/deps'
import {
  deleteGatewaySession,
  listGatewaySessions,
  storeGatewaySessions,
} from '../../service/discord/sessions'
import type { SessionStore } from '../gateway/sessionStore'
import { describeError } from './core'

/**
 * Stores sessions in the database, so that another process can resume them. A process that has lost
 * the lease writes none, because they are those of its successor by then.
 */
export function createSessionTable(deps: Deps, holdsLease: () => boolean): SessionStore {
  const write = (work: () => Promise<void>) =>
    holdsLease() ? withoutValues(work) : Promise.resolve()
  return {
    load: (shard, shards) =>
      withoutValues(async () => {
        const all = await listGatewaySessions(deps, discordBot)
        const session = all.find((row) => row.shard === shard && row.shards === shards)
        if (!session) return null
        const { session_id: sessionId, resume_url: resumeUrl, sequence } = session
        return { sessionId, resumeUrl, sequence }
      }),
    save: (shard, shards, { sessionId, resumeUrl, sequence }) =>
      write(() =>
        storeGatewaySessions(deps, discordBot, [
          { shard, shards, session_id: sessionId, resume_url: resumeUrl, sequence },
        ]),
      ),
    delete: (shard) => write(() => deleteGatewaySession(deps, discordBot, shard)),
  }
}

/** The error of a query contains its values, and the session ID is a secret. */
async function withoutValues<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Error(describeError(cause))
  }
}
