import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createInserter } from '../../db/rows'
import { tokens } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { MAX_TOKENS, type Token, type TokenDraft, token } from '../../model/access/token'
import { fillDefaults } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import type { Scope } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import type { StoreDeps } from '../core/storeDeps'
import { generateSecret, hashSecret } from './secrets'

export interface CreatedToken extends Token {
  /** The token itself. It is shown once and never stored; the database holds its hash. */
  secret: string
}

/** Creates a token with full access, such as the first one of a new system. */
export async function insertToken(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  name: string,
): Promise<string> {
  return (await insertDraft(deps, tx, systemId, { name })).secret
}

/** Replaces a token of the same name; sessions and streams of the old one end. */
export async function insertDraft(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  draft: TokenDraft,
): Promise<CreatedToken> {
  await deleteToken(tx, systemId, draft.name)
  const { count } = (await countTokens(tx).get({ system: systemId })) ?? { count: 0 }
  if (count >= MAX_TOKENS) throw error('badRequest', `a system has at most ${MAX_TOKENS} tokens`)
  const secret = generateSecret()
  const row = { ...fillDefaults(token, draft), created: deps.now() }
  await insert(tx, { ...row, system_id: systemId, hash: hashSecret(secret) })
  return { ...row, secret }
}

/** Lists the tokens of a system that have not expired, oldest first. */
export async function listValidTokens(db: Db, system: number, now: Instant): Promise<Token[]> {
  return await ofSystem(db).all({ system, now })
}

/** Finds the scope of a token by its name. */
export async function findScope(db: Db, system: number, name: string): Promise<Scope | null> {
  return (await scopeOf(db).get({ system, name }))?.scope ?? null
}

/** Finds a token that has not expired, with the keys of a session that it opens. */
export async function findValidToken(db: Db, hash: string, now: Instant) {
  return await byHash(db).get({ hash, now })
}

/** Returns false if there is no token of that name. */
export async function deleteToken(tx: Db, system: number, name: string): Promise<boolean> {
  return (await remove(tx).get({ system, name })) !== null
}

export function deleteExpiredTokens(tx: Db, system: number, now: Instant): MaybePromise<unknown> {
  return removeExpired(tx).run({ system, now })
}

/** Stores the time of the last use of a token. */
export function setLastUsed(tx: Db, id: number, now: Instant): MaybePromise<unknown> {
  return touch(tx).run({ id, now })
}

const { id, system_id, name, scope, created, last_used, expires, private_members } = tokens

const insert = createInserter(tokens, ['system_id', 'hash', ...columnsOfEntity(token)])

const countTokens = query((db, { system }: Placeholders<'system'>, { count }) =>
  db
    .select({ count: count().as('count') })
    .from(tokens)
    .where(eq(system_id, system)),
)

const ofSystem = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select({ name, scope, created, last_used, expires, private_members })
    .from(tokens)
    .where(and(eq(system_id, system), or(isNull(expires), gt(expires, now))))
    .orderBy(id),
)

const scopeOf = query((db, values: Placeholders<'system' | 'name'>) =>
  db
    .select({ scope })
    .from(tokens)
    .where(and(eq(system_id, values.system), eq(name, values.name))),
)

const byHash = query((db, { hash, now }: Placeholders<'hash' | 'now'>) =>
  db
    .select({ system_id, token_id: sql<number>`${id}`.as('token_id'), scope, expires })
    .from(tokens)
    .where(and(eq(tokens.hash, hash), or(isNull(expires), gt(expires, now)))),
)

const remove = query((db, values: Placeholders<'system' | 'name'>) =>
  db
    .delete(tokens)
    .where(and(eq(system_id, values.system), eq(name, values.name)))
    .returning({ id }),
)

const removeExpired = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db.delete(tokens).where(and(eq(system_id, system), lte(expires, now))),
)

const touch = query((db, values: Placeholders<'id' | 'now'>) =>
  db.update(tokens).set({ last_used: values.now }).where(eq(id, values.id)),
)
