import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { discordCommands as commands } from '../../db/tables'
import { requireDiscordBot, type Viewer } from '../../model/privacy'
import type { Deps } from '../deps'

/** Application commands of a bot: everywhere (`global`), or in the guild with this ID. */
export interface CommandScope {
  /** ID of the application. */
  application: string
  scope: string
}

/** Returns the hash of the definitions that were registered last; null if none were. */
export async function findCommandHash(
  { db }: Deps,
  viewer: Viewer,
  { application, scope }: CommandScope,
): Promise<string | null> {
  requireDiscordBot(viewer)
  return (await byScope(db).get({ application, scope }))?.hash ?? null
}

/** Stores the hash of the definitions after they were registered. */
export async function storeCommandHash(
  deps: Deps,
  viewer: Viewer,
  { application, scope }: CommandScope,
  hash: string,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact('new', async (tx) => void (await storeRow(tx, { application, scope, hash })))
}

const byScope = query((db, { application, scope }: Placeholders<'application' | 'scope'>) =>
  db
    .select({ hash: commands.hash })
    .from(commands)
    .where(and(eq(commands.application, application), eq(commands.scope, scope))),
)

const storeRow = createUpserter(commands, ['application', 'scope'], ['hash'])
