import type { Platform } from '../../model/platform'
import type { Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'

/** IDs of the system that a token belongs to. */
export interface TokenOwner {
  id: number
  hid: string
  uuid: string
}

/** A token or a session that a client presented. */
export interface Credential {
  /** Row ID of the token or session. */
  readonly id: number
  readonly system: TokenOwner
  readonly viewer: Viewer
  readonly expires: Instant | null
  /** Time from which the next use is recorded, in milliseconds. */
  due: number
}

export interface Bot {
  platform: Platform
}

/** Caches of looked-up tokens, sessions and bot keys, because clients use the same one repeatedly. */
export interface CredentialCache {
  readonly tokens: Cache<Credential>
  readonly sessions: Cache<Credential>
  readonly bots: Cache<Bot>
}

interface Cache<T> {
  /** Returns a value that was looked up since the last write to the database. */
  getCached(secret: string): T | undefined
  /** Returns the cached value, or looks it up. */
  getOrLoad(secret: string, lookUp: () => Promise<T | null>): Promise<T | null>
}

const MAX_CACHED = 10_000

/** Creates empty caches. `currentVersion` returns a number that differs after any change of data. */
export function createCredentialCache(currentVersion: () => number): CredentialCache {
  return {
    tokens: createCache(currentVersion),
    sessions: createCache(currentVersion),
    bots: createCache(currentVersion),
  }
}

function createCache<T>(currentVersion: () => number): Cache<T> {
  const cached = new Map<string, T>()
  let version = -1

  const clearIfStale = () => {
    const current = currentVersion()
    if (current === version) return version
    cached.clear()
    version = current
    return version
  }

  return {
    getCached(secret) {
      clearIfStale()
      return cached.get(secret)
    },
    async getOrLoad(secret, lookUp) {
      const lookedUpAt = clearIfStale()
      const found = cached.get(secret) ?? (await lookUp())
      // A write during the lookup may have revoked it, so it is not cached then.
      if (found && clearIfStale() === lookedUpAt && cached.size < MAX_CACHED)
        cached.set(secret, found)
      return found
    },
  }
}
