import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { bots, sessions, tokens } from '../../db/tables'
import type { Db } from '../../db/types'
import { disabledError, visibleSystems } from '../../db/visible'
import { error } from '../../model/errors'
import type { Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import type { Bot, Credential, TokenOwner } from './credentialCache'
import { setLastUsed } from './insertToken'
import { hashSecret } from './secrets'
import { renewSession } from './sessions'

/** Least time between two writes of `last_used`. */
const TOUCH_MS = 60 * 60 * 1000

/** Finds a token by its hash, so that the time of a comparison reveals nothing about the token. */
export async function findToken(deps: Deps, token: string): Promise<Credential | null> {
  const found = await deps.credentialCache.tokens.getOrLoad(token, async () => {
    const row = await tokenByHash(deps.db).get({ hash: hashSecret(token) })
    return (
      row && toCredential(deps, row, { access: row.scope, watchesPrivate: row.private_members })
    )
  })
  return found && touch(deps, found, touchToken)
}

/** Like `findToken`, but only if the token is cached. */
export function getCachedToken(deps: Deps, token: string): Credential | null {
  const known = deps.credentialCache.tokens.getCached(token)
  return known ? touch(deps, known, touchToken) : null
}

export async function findSession(deps: Deps, secret: string): Promise<Credential | null> {
  const found = await deps.credentialCache.sessions.getOrLoad(secret, async () => {
    const row = await sessionByHash(deps.db).get({ hash: hashSecret(secret) })
    return row && toCredential(deps, row, { access: 'session', session: row.credential })
  })
  return found && touch(deps, found, renewSession)
}

/** Authenticates the token in the URL of a calendar. Tokens of other scopes are refused there. */
export async function authenticateCalendar(deps: Deps, token: string): Promise<Viewer> {
  const credential = await findToken(deps, token)
  if (!credential) throw error('unauthorized')
  if (credential.viewer.access !== 'calendar') throw error('forbidden')
  return credential.viewer
}

/** Finds the bot of a key. */
export async function findBot(deps: Deps, key: string): Promise<Bot | null> {
  return deps.credentialCache.bots.getOrLoad(key, async () =>
    botByHash(deps.db).get({ hash: hashSecret(key) }),
  )
}

interface CredentialRow extends TokenOwner {
  credential: number
  expires: Instant | null
  last_used: Instant | null
  disabled_at: Instant | null
}

function toCredential(deps: Deps, row: CredentialRow, more: Partial<Viewer>): Credential {
  const { credential, id, hid, uuid, expires, last_used, disabled_at } = row
  if (disabled_at !== null) throw disabledError()
  const viewer = { system: id, platform: null, ...more }
  const ago = last_used === null ? TOUCH_MS : (deps.now() - last_used) / 1000
  const due = Date.now() + TOUCH_MS - ago
  return { id: credential, system: { id, hid, uuid }, viewer, expires, due }
}

/** Returns null for an expired credential. Records its use once an hour, without waiting for it. */
function touch(
  deps: Deps,
  credential: Credential,
  recordUse: (deps: Deps, id: number) => Promise<void>,
): Credential | null {
  if (credential.expires !== null && credential.expires <= deps.now()) return null
  const now = Date.now()
  if (now >= credential.due) {
    credential.due = now + TOUCH_MS
    recordUse(deps, credential.id).catch(() => {})
  }
  return credential
}

async function touchToken(deps: Deps, id: number): Promise<void> {
  await deps.transact('new', async (tx: Db) => {
    await setLastUsed(tx).run({ id, now: deps.now() })
  })
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

const botByHash = query((db, { hash }: Placeholders<'hash'>) =>
  db.select({ platform: bots.platform }).from(bots).where(eq(bots.hash, hash)),
)
