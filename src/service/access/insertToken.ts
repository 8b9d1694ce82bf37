import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { fillDefaults } from '../../model/entity'
import { error } from '../../model/errors'
import { MAX_TOKENS, type Token, type TokenDraft, token } from '../../model/token'
import type { Deps } from '../deps'
import { generateSecret, hashSecret } from './secrets'

export interface CreatedToken extends Token {
  /** The token itself. It is shown once and never stored; the database holds its hash. */
  secret: string
}

/** Creates a token with full access, such as the first one of a new system. */
export async function insertToken(
  deps: Deps,
  tx: Db,
  systemId: number,
  name: string,
): Promise<string> {
  return (await insertDraft(deps, tx, systemId, { name })).secret
}

/** Replaces a token of the same name; sessions and streams of the old one end. */
export async function insertDraft(
  deps: Deps,
  tx: Db,
  systemId: number,
  draft: TokenDraft,
): Promise<CreatedToken> {
  await removeToken(tx).get({ system: systemId, name: draft.name })
  const { count } = (await countTokens(tx).get({ system: systemId })) ?? { count: 0 }
  if (count >= MAX_TOKENS) throw error('badRequest', `a system has at most ${MAX_TOKENS} tokens`)
  const secret = generateSecret()
  const row = { ...fillDefaults(token, draft), created: deps.now() }
  await insert(tx).run({
    system: systemId,
    hash: hashSecret(secret),
    name: row.name,
    scope: row.scope,
    created: row.created,
    expires: row.expires,
    private_members: Number(row.private_members),
  })
  return { ...row, secret }
}

const insert = statement<
  'system' | 'hash' | 'name' | 'scope' | 'created' | 'expires' | 'private_members'
>(`
   insert into tokens (system_id, hash, name, scope, created, expires, private_members)
   values (:system, :hash, :name, :scope, :created, :expires, :private_members)`)

const countTokens = statement<'system', { count: number }>(
  ({ count }) => `select ${count()} as count from tokens where system_id = :system`,
)

export const removeToken = statement<'system' | 'name', { id: number }>(
  'delete from tokens where system_id = :system and name = :name returning id',
)

export const setLastUsed = statement<'id' | 'now'>(
  'update tokens set last_used = :now where id = :id',
)
