import { incrementCounter } from '../../db/changeCounters'
import { DISCORD, type Platform } from '../../model/core/platform'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { type BotInfo, deleteBot, insertBot, listBotRows } from '../../store/access/botRows'
import { generateSecret, hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'

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
  return listBotRows(db)
}

export async function revokeBot(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  requireOperator(viewer)
  return deps.transact('new', async (tx) => {
    const isDeleted = await deleteBot(tx, name)
    await incrementCounter(tx, 'credentials')
    return isDeleted
  })
}
