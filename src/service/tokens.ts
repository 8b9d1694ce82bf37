import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { statement } from '../db/statement'
import { bots, tokens } from '../db/tables'
import { DISCORD, type Platform } from '../model/platform'
import { requireOperator, requireSystem, type Viewer } from '../model/privacy'
import type { Deps } from './deps'
import { refuseDeleted } from './removal'
import { drawSecret, hashSecret } from './secrets'
import type { Bot, TokenOwner } from './tokenMemory'

export interface TokenInfo {
  name: string
  created: number
}

/** Makes a token of that name, in place of an older one of the same name. Shown only here. */
export async function createToken(deps: Deps, viewer: Viewer, name: string): Promise<string> {
  const systemId = requireSystem(viewer)
  return deps.transact(async (tx) => {
    await refuseDeleted(tx, systemId)
    return insertToken(deps, tx, systemId, name)
  })
}

export async function insertToken(
  deps: Deps,
  tx: Db,
  systemId: number,
  name: string,
): Promise<string> {
  const token = drawSecret()
  await tx.delete(tokens).where(isToken(systemId, name))
  await tx
    .insert(tokens)
    .values({ system_id: systemId, name, hash: hashSecret(token), created: deps.now() })
  return token
}

export async function listTokens({ db }: Deps, viewer: Viewer): Promise<TokenInfo[]> {
  return await db
    .select({ name: tokens.name, created: tokens.created })
    .from(tokens)
    .where(eq(tokens.system_id, requireSystem(viewer)))
    .orderBy(tokens.id)
    .all()
}

/** Whether there was one of that name. */
export async function revokeToken(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  const systemId = requireSystem(viewer)
  return deps.transact(async (tx) => {
    const gone = await tx.delete(tokens).where(isToken(systemId, name)).returning().all()
    return gone.length > 0
  })
}

/** Whose token this is: looked up by its hash, so that no comparison tells how close a guess was. */
export async function findTokenOwner(deps: Deps, token: string): Promise<TokenOwner | null> {
  return deps.tokenMemory.owners.find(token, async () =>
    ownerByHash(deps.db).get({ hash: hashSecret(token) }),
  )
}

/** Whose token this is, if it was looked up since anything was last written. */
export function recallToken(deps: Deps, token: string): TokenOwner | undefined {
  return deps.tokenMemory.owners.recall(token)
}

export interface BotInfo extends TokenInfo, Bot {}

export async function createBot(
  deps: Deps,
  viewer: Viewer,
  name: string,
  platform: Platform = DISCORD,
): Promise<string> {
  requireOperator(viewer)
  const key = drawSecret()
  await deps.transact(async (tx) => {
    await tx.insert(bots).values({ name, platform, hash: hashSecret(key), created: deps.now() })
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
  return deps.transact(async (tx) => {
    const gone = await tx.delete(bots).where(eq(bots.name, name)).returning().all()
    return gone.length > 0
  })
}

/** The bot whose key this is. */
export async function findBot(deps: Deps, key: string): Promise<Bot | null> {
  return deps.tokenMemory.bots.find(key, async () =>
    botByHash(deps.db).get({ hash: hashSecret(key) }),
  )
}

const ownerByHash = statement<'hash', TokenOwner>(`
   select systems.id, systems.hid, systems.uuid from tokens
   join systems on systems.id = tokens.system_id where tokens.hash = :hash`)

const botByHash = statement<'hash', Bot>('select platform from bots where hash = :hash')

function isToken(systemId: number, name: string) {
  return and(eq(tokens.system_id, systemId), eq(tokens.name, name))
}
