import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { statement } from '../db/statement'
import { bots, tokens } from '../db/tables'
import type { Deps } from './deps'
import { drawSecret, hashSecret } from './secrets'

export interface TokenInfo {
  name: string
  created: number
}

/** Makes a token of that name, in place of an older one of the same name. Shown only here. */
export async function createToken(deps: Deps, systemId: number, name: string): Promise<string> {
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

export async function listTokens({ db }: Deps, systemId: number): Promise<TokenInfo[]> {
  return await db
    .select({ name: tokens.name, created: tokens.created })
    .from(tokens)
    .where(eq(tokens.system_id, systemId))
    .orderBy(tokens.id)
    .all()
}

/** Whether there was one of that name. */
export async function revokeToken(deps: Deps, systemId: number, name: string): Promise<boolean> {
  return deps.transact(async (tx) => {
    const gone = await tx.delete(tokens).where(isToken(systemId, name)).returning().all()
    return gone.length > 0
  })
}

/** Whose token this is: looked up by its hash, so that no comparison tells how close a guess was. */
export async function findTokenOwner(deps: Deps, token: string): Promise<TokenOwner | null> {
  const found = recallToken(deps, token) ?? (await ownerByHash(deps.db).get(hashSecret(token)))
  if (!found) return null
  const { owners } = knownTokens(deps.db)
  if (owners.size < MOST_KNOWN) owners.set(token, found)
  return found
}

/** Whose token this is, if it was looked up since anything was last written. */
export function recallToken({ db, moment }: Deps, token: string): TokenOwner | undefined {
  const known = knownTokens(db)
  const version = moment.join()
  if (version !== known.version) {
    known.version = version
    known.owners.clear()
  }
  return known.owners.get(token)
}

const MOST_KNOWN = 10_000
const knownTokens = prepared(() => ({ version: -1, owners: new Map<string, TokenOwner>() }))

export interface TokenOwner {
  id: number
  hid: string
  uuid: string
}

export async function createBot(deps: Deps, name: string): Promise<string> {
  const key = drawSecret()
  await deps.transact(async (tx) => {
    await tx.insert(bots).values({ name, hash: hashSecret(key), created: deps.now() })
  })
  return key
}

export async function listBots({ db }: Deps): Promise<TokenInfo[]> {
  return await db
    .select({ name: bots.name, created: bots.created })
    .from(bots)
    .orderBy(bots.id)
    .all()
}

export async function revokeBot(deps: Deps, name: string): Promise<boolean> {
  return deps.transact(async (tx) => {
    const gone = await tx.delete(bots).where(eq(bots.name, name)).returning().all()
    return gone.length > 0
  })
}

export async function isBotKey({ db }: Deps, key: string): Promise<boolean> {
  return (await botByHash(db).get({ hash: hashSecret(key) })) !== undefined
}

const ownerByHash = statement<TokenOwner>(
  ['hash'],
  `select systems.id, systems.hid, systems.uuid from tokens
   join systems on systems.id = tokens.system_id where tokens.hash = :hash`,
)

const botByHash = prepared((db) =>
  db
    .select({ id: bots.id })
    .from(bots)
    .where(eq(bots.hash, sql.placeholder('hash')))
    .prepare(),
)

function isToken(systemId: number, name: string) {
  return and(eq(tokens.system_id, systemId), eq(tokens.name, name))
}
