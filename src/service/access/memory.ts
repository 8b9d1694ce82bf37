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
export interface Pass {
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
export interface TokenMemory {
  readonly tokens: Memory<Pass>
  readonly sessions: Memory<Pass>
  readonly bots: Memory<Bot>
}

interface Memory<T> {
  /** What was looked up since anything was last written. */
  recall(secret: string): T | undefined
  /** The same, or else what is looked up now. */
  find(secret: string, lookUp: () => Promise<T | null>): Promise<T | null>
}

const MOST_KNOWN = 10_000

export function createTokenMemory(sharedRead: Pick<SharedRead, 'begin'>): TokenMemory {
  return {
    tokens: createMemory(sharedRead),
    sessions: createMemory(sharedRead),
    bots: createMemory(sharedRead),
  }
}

function createMemory<T>(sharedRead: Pick<SharedRead, 'begin'>): Memory<T> {
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
    recall(secret) {
      catchUp()
      return known.get(secret)
    },
    async find(secret, lookUp) {
      const lookedUpAt = catchUp()
      const found = known.get(secret) ?? (await lookUp())
      // Not what was revoked while it was looked up, and not without end.
      if (found && catchUp() === lookedUpAt && known.size < MOST_KNOWN) known.set(secret, found)
      return found
    },
  }
}
