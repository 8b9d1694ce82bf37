import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createInserter } from '../../db/rows'
import { tokens } from '../../db/tables'
import type { Db } from '../../db/types'
import { MAX_TOKENS, type Token, type TokenDraft, token } from '../../model/access/token'
import { fillDefaults } from '../../model/core/entity'
import { error } from '../../model/core/errors'
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
  await removeToken(tx).get({ system: systemId, name: draft.name })
  const { count } = (await countTokens(tx).get({ system: systemId })) ?? { count: 0 }
  if (count >= MAX_TOKENS) throw error('badRequest', `a system has at most ${MAX_TOKENS} tokens`)
  const secret = generateSecret()
  const row = { ...fillDefaults(token, draft), created: deps.now() }
  await insert(tx, { ...row, system_id: systemId, hash: hashSecret(secret) })
  return { ...row, secret }
}

const insert = createInserter(tokens, ['system_id', 'hash', ...columnsOfEntity(token)])

const countTokens = query((db, { system }: Placeholders<'system'>, { count }) =>
  db
    .select({ count: count().as('count') })
    .from(tokens)
    .where(eq(tokens.system_id, system)),
)

export const removeToken = query((db, { system, name }: Placeholders<'system' | 'name'>) =>
  db
    .delete(tokens)
    .where(and(eq(tokens.system_id, system), eq(tokens.name, name)))
    .returning({ id: tokens.id }),
)

export const setLastUsed = query((db, { id, now }: Placeholders<'id' | 'now'>) =>
  db.update(tokens).set({ last_used: now }).where(eq(tokens.id, id)),
)
