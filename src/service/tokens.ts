import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { statement } from '../db/statement'
import { bots, tokens } from '../db/tables'
import { DISCORD, type Platform } from '../model/platform'
import { requireOperator, requireSystem, type Viewer } from '../model/privacy'
import type { Deps } from './deps'
import { drawSecret, hashSecret } from './secrets'

export interface TokenInfo {
  name: string
  created: number
}

/** Makes a token of that name, in place of an older one of the same name. Shown only here. */
export async function createToken(deps: Deps, viewer: Viewer, name: string): Promise<string> {
  const systemId = requireSystem(viewer)
  return deps.transact((tx) => insertToken(deps, tx, systemId, name))
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
  const { version, owners } = recall(deps)
  const found = owners.get(token) ?? (await ownerByHash(deps.db).get(hashSecret(token)))
  if (found && mayRemember(deps, version)) owners.set(token, found)
  return found
}

/** Whose token this is, if it was looked up since anything was last written. */
export function recallToken(deps: Deps, token: string): TokenOwner | undefined {
  return recall(deps).owners.get(token)
}

interface Known {
  version: number
  readonly owners: Map<string, TokenOwner>
  readonly bots: Map<string, Bot>
}

const MOST_KNOWN = 10_000
const known = prepared((): Known => ({ version: -1, owners: new Map(), bots: new Map() }))

/** What was looked up already and is still true. */
function recall({ db, sharedRead }: Deps): Known {
  const recalled = known(db)
  const version = sharedRead.join()
  if (version !== recalled.version) {
    recalled.version = version
    recalled.owners.clear()
    recalled.bots.clear()
  }
  return recalled
}

/** Not what was revoked while it was looked up, and not without end. */
function mayRemember(deps: Deps, lookedUpAt: number): boolean {
  const { version, owners, bots } = recall(deps)
  return version === lookedUpAt && owners.size + bots.size < MOST_KNOWN
}

export interface TokenOwner {
  id: number
  hid: string
  uuid: string
}

export interface Bot {
  platform: Platform
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
  const { version, bots } = recall(deps)
  const found = bots.get(key) ?? (await botByHash(deps.db).get(hashSecret(key)))
  if (found && mayRemember(deps, version)) bots.set(key, found)
  return found
}

const ownerByHash = statement<TokenOwner>(
  ['hash'],
  `select systems.id, systems.hid, systems.uuid from tokens
   join systems on systems.id = tokens.system_id where tokens.hash = :hash`,
)

const botByHash = statement<Bot>(['hash'], 'select platform from bots where hash = :hash')

function isToken(systemId: number, name: string) {
  return and(eq(tokens.system_id, systemId), eq(tokens.name, name))
}
