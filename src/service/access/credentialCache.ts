import type { SharedRead } from '../../db/sqlite/sharedRead'
import type { Platform } from '../../model/platform'
import type { Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'

/** A system as it may be named. */
export interface TokenOwner {
  id: number
  hid: string
  uuid: string
}

/** A token or a session that somebody showed. */
export interface Credential {
  /** Its own row number. */
  readonly id: number
  readonly system: TokenOwner
  readonly viewer: Viewer
  readonly expires: Instant | null
  /** From when on its use is worth another write, in milliseconds. */
  due: number
}

export interface Bot {
  platform: Platform
}

/** Whose tokens, sessions and keys these are: most were looked up a moment ago. */
export interface CredentialCache {
  readonly tokens: Cache<Credential>
  readonly sessions: Cache<Credential>
  readonly bots: Cache<Bot>
}

interface Cache<T> {
  /** What was looked up since anything was last written. */
  getCached(secret: string): T | undefined
  /** The same, or else what is looked up now. */
  getOrLoad(secret: string, lookUp: () => Promise<T | null>): Promise<T | null>
}

const MAX_CACHED = 10_000

export function createCredentialCache(sharedRead: Pick<SharedRead, 'begin'>): CredentialCache {
  return {
    tokens: createCache(sharedRead),
    sessions: createCache(sharedRead),
    bots: createCache(sharedRead),
  }
}

function createCache<T>(sharedRead: Pick<SharedRead, 'begin'>): Cache<T> {
  const known = new Map<string, T>()
  let version = -1

  const catchUp = () => {
    const current = sharedRead.begin()
    if (current === version) return version
    known.clear()
    version = current
    return version
  }

  return {
    getCached(secret) {
      catchUp()
      return known.get(secret)
    },
    async getOrLoad(secret, lookUp) {
      const lookedUpAt = catchUp()
      const found = known.get(secret) ?? (await lookUp())
      // Not what was revoked while it was looked up, and not without end.
      if (found && catchUp() === lookedUpAt && known.size < MAX_CACHED) known.set(secret, found)
      return found
    },
  }
}
