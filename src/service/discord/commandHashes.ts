import { requireDiscordBot, type Viewer } from '../../model/core/privacy'
import { listHashes, storeHash } from '../../store/discord/commandHashRows'
import type { Deps } from '../core/deps'

/** Application commands of a bot: everywhere (`global`), or in the guild with this ID. */
export interface CommandScope {
  /** ID of the application. */
  application: string
  scope: string
}

/** Returns the hashes of the definitions that an application registered last, by scope. */
export async function listCommandHashes(
  { db }: Deps,
  viewer: Viewer,
  application: string,
): Promise<Map<string, string>> {
  requireDiscordBot(viewer)
  const rows = await listHashes(db, application)
  return new Map(rows.map(({ scope, hash }) => [scope, hash]))
}

/** Stores the hash of the definitions after they were registered. */
export async function storeCommandHash(
  deps: Deps,
  viewer: Viewer,
  { application, scope }: CommandScope,
  hash: string,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact('new', async (tx) => void (await storeHash(tx, { application, scope, hash })))
}
