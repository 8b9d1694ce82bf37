import { eq } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { bots } from '../../db/tables'
import { DISCORD, type Platform } from '../../model/core/platform'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { generateSecret, hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'
import type { Bot } from './types'

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
  return await all(db).all({})
}

export async function revokeBot(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  requireOperator(viewer)
  return deps.transact('new', async (tx) => {
    const removed = await remove(tx).get({ name })
    await incrementCounter(tx, 'credentials')
    return removed !== null
  })
}

const insertBot = createInserter(bots, ['name', 'platform', 'hash', 'created'])

const all = query((db) => {
  const { name, platform, created } = bots
  return db.select({ name, platform, created }).from(bots).orderBy(bots.id)
})

const remove = query((db, { name }: Placeholders<'name'>) =>
  db.delete(bots).where(eq(bots.name, name)).returning({ id: bots.id }),
)
