import type { Db, MaybePromise } from '../../db/types'
import { disabledError } from '../../db/visible'
import { error } from '../../model/core/errors'
import type { Viewer } from '../../model/core/privacy'
import { findBotByHash } from '../../store/access/botRows'
import {
  type CredentialRow,
  findSessionCredential,
  findTokenCredential,
} from '../../store/access/credentialRows'
import { hashSecret } from '../../store/access/secrets'
import { setLastUsed } from '../../store/access/tokenRows'
import type { Deps } from '../core/deps'
import { renewSession } from './sessions'
import type { Bot, Credential, CredentialCache, LookupCache } from './types'

/** Least time between two writes of `last_used`. */
const TOUCH_MS = 60 * 60 * 1000

/**
 * Finds a token by its hash, so that the time of a comparison reveals nothing about the token. The
 * result is a promise only if the token is not cached.
 */
export function findToken(deps: Deps, token: string): MaybePromise<Credential | null> {
  const credential = deps.credentialCache.tokens(token, async () => {
    const row = await findTokenCredential(deps.db, hashSecret(token))
    return (
      row &&
      toCredential(deps, row, {
        access: row.scope,
        token: row.credential,
        watchesPrivate: row.private_members,
      })
    )
  })
  return credential instanceof Promise
    ? credential.then((loaded) => touch(deps, loaded, touchToken))
    : touch(deps, credential, touchToken)
}

export async function findSession(deps: Deps, secret: string): Promise<Credential | null> {
  const credential = await deps.credentialCache.sessions(secret, async () => {
    const row = await findSessionCredential(deps.db, hashSecret(secret))
    return row && toCredential(deps, row, { access: 'session', session: row.credential })
  })
  return touch(deps, credential, renewSession)
}

/** Authenticates the token in the URL of a calendar. Tokens of other scopes are refused there. */
export async function authenticateCalendar(deps: Deps, token: string): Promise<Viewer> {
  const credential = await findToken(deps, token)
  if (!credential) throw error('unauthorized')
  if (credential.viewer.access !== 'calendar') throw error('forbidden')
  return credential.viewer
}

/** Finds the bot of a key. The result is a promise only if the key is not cached. */
export function findBot(deps: Deps, key: string): MaybePromise<Bot | null> {
  return deps.credentialCache.bots(key, async () => findBotByHash(deps.db, hashSecret(key)))
}

/** Creates empty caches. `currentVersion` returns a number that differs after a revocation. */
export function createCredentialCache(currentVersion: () => number): CredentialCache {
  return {
    tokens: createLookupCache(currentVersion),
    sessions: createLookupCache(currentVersion),
    bots: createLookupCache(currentVersion),
  }
}

const MAX_CACHED = 10_000

function createLookupCache<T>(currentVersion: () => number): LookupCache<T> {
  const cached = new Map<string, T>()
  let version = -1

  const clearIfStale = () => {
    const current = currentVersion()
    if (current === version) return
    cached.clear()
    version = current
  }

  const load = async (secret: string, lookUp: () => Promise<T | null>) => {
    const lookedUpAt = version
    const value = await lookUp()
    clearIfStale()
    // A write during the lookup may have revoked it, so it is not cached then.
    if (value && version === lookedUpAt && cached.size < MAX_CACHED) cached.set(secret, value)
    return value
  }

  return (secret, lookUp) => {
    clearIfStale()
    return cached.get(secret) ?? load(secret, lookUp)
  }
}

function toCredential(deps: Deps, row: CredentialRow, more: Partial<Viewer>): Credential {
  const { credential, id, hid, uuid, expires, last_used, disabled_at } = row
  if (disabled_at !== null) throw disabledError()
  const viewer = { system: id, platform: null, ...more }
  const ago = last_used === null ? TOUCH_MS : (deps.now() - last_used) / 1000
  const due = deps.clock.now() + TOUCH_MS - ago
  return { id: credential, system: { id, hid, uuid }, viewer, expires, due }
}

/** Returns null for an expired credential. Records its use once an hour, without waiting for it. */
function touch(
  deps: Deps,
  credential: Credential | null,
  recordUse: (deps: Deps, credential: Credential) => Promise<void>,
): Credential | null {
  if (credential === null) return null
  if (credential.expires !== null && credential.expires <= deps.now()) return null
  const now = deps.clock.now()
  if (now >= credential.due) {
    credential.due = now + TOUCH_MS
    recordUse(deps, credential).catch(() => {})
  }
  return credential
}

async function touchToken(deps: Deps, { id }: Credential): Promise<void> {
  await deps.transact('new', async (tx: Db) => {
    await setLastUsed(tx, id, deps.now())
  })
}
