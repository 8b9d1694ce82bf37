import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { sessions, tokens } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import type { Identity } from '../../model/core/entity'
import type { Scope } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'

/** A token or session with the IDs of its system. */
export interface CredentialRow extends Identity {
  /** Row ID of the token or session. */
  credential: number
  expires: Instant | null
  last_used: Instant | null
  disabled_at: Instant | null
}

/** A token with what it may do. */
export interface TokenCredentialRow extends CredentialRow {
  scope: Scope
  private_members: boolean
}

/** Finds a token by its hash, also if it has expired. */
export function findTokenCredential(db: Db, hash: string): MaybePromise<TokenCredentialRow | null> {
  return tokenByHash(db).get({ hash })
}

/** Finds a session by its hash, also if it has expired. */
export function findSessionCredential(db: Db, hash: string): MaybePromise<CredentialRow | null> {
  return sessionByHash(db).get({ hash })
}

const { id, hid, uuid, disabled_at } = visibleSystems
const owner = { id, hid, uuid, disabled_at }

const tokenByHash = query((db, { hash }: Placeholders<'hash'>) => {
  const { scope, private_members, expires, last_used } = tokens
  const credential = sql<number>`${tokens.id}`.as('credential')
  return db
    .select({ credential, scope, private_members, expires, last_used, ...owner })
    .from(tokens)
    .innerJoin(visibleSystems, eq(id, tokens.system_id))
    .where(eq(tokens.hash, hash))
})

const sessionByHash = query((db, { hash }: Placeholders<'hash'>) => {
  const { expires, last_used } = sessions
  const credential = sql<number>`${sessions.id}`.as('credential')
  return db
    .select({ credential, expires, last_used, ...owner })
    .from(sessions)
    .innerJoin(visibleSystems, eq(id, sessions.system_id))
    .where(eq(sessions.hash, hash))
})
