import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { bots } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Platform } from '../../model/core/platform'
import type { Instant } from '../../model/core/time'

export interface BotInfo {
  name: string
  platform: Platform
  created: Instant
}

/** Lists all bots, oldest first. */
export async function listBotRows(db: Db): Promise<BotInfo[]> {
  return await all(db).all({})
}

export function findBotByHash(db: Db, hash: string): MaybePromise<{ platform: Platform } | null> {
  return byHash(db).get({ hash })
}

/** Returns false if there is no bot of that name. */
export async function deleteBot(tx: Db, name: string): Promise<boolean> {
  return (await remove(tx).get({ name })) !== null
}

export const insertBot = createInserter(bots, ['name', 'platform', 'hash', 'created'])

const all = query((db) => {
  const { name, platform, created } = bots
  return db.select({ name, platform, created }).from(bots).orderBy(bots.id)
})

const remove = query((db, { name }: Placeholders<'name'>) =>
  db.delete(bots).where(eq(bots.name, name)).returning({ id: bots.id }),
)

const byHash = query((db, { hash }: Placeholders<'hash'>) =>
  db.select({ platform: bots.platform }).from(bots).where(eq(bots.hash, hash)),
)
