import { eq } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { createInserter } from '../../db/rows'
import { bots } from '../../db/tables'
import { DISCORD, type Platform } from '../../model/platform'
import { requireOperator, type Viewer } from '../../model/privacy'
import type { Deps } from '../deps'
import type { Bot } from './credentialCache'
import { generateSecret, hashSecret } from './secrets'

export interface BotInfo extends Bot {
  name: string
  created: number
}

export async function createBot(
  deps: Deps,
  viewer: Viewer,
  name: string,
  platform: Platform = DISCORD,
): Promise<string> {
  requireOperator(viewer)
  const key = generateSecret()
  await deps.transact('new', async (tx) => {
    await insertBot(tx, { name, platform, hash: hashSecret(key), created: deps.now() })
  })
  return key
}

export async function listBots({ db }: Deps, viewer: Viewer): Promise<BotInfo[]> {
  requireOperator(viewer)
  return await db
    .select({ name: bots.name, platform: bots.platform, created: bots.created })
    .from(bots)
    .orderBy(bots.id)
    .all()
}

export async function revokeBot(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  requireOperator(viewer)
  return deps.transact('new', async (tx) => {
    const deleted = await tx.delete(bots).where(eq(bots.name, name)).returning().all()
    await incrementCounter(tx, 'credentials')
    return deleted.length > 0
  })
}

const insertBot = createInserter(bots, ['name', 'platform', 'hash', 'created'])
