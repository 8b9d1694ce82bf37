import type { MaybePromise } from '../../db/types'
import type { Platform } from '../../model/core/platform'
import type { Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'

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
  /** Later after a renewal. */
  expires: Instant | null
  /** Time from which the next use is recorded, in milliseconds. */
  due: number
}

export interface Bot {
  platform: Platform
}

/** Caches of looked-up tokens, sessions and bot keys, because clients use the same one repeatedly. */
export interface CredentialCache {
  readonly tokens: LookupCache<Credential>
  readonly sessions: LookupCache<Credential>
  readonly bots: LookupCache<Bot>
}

/** Returns a value that was looked up since the last change of credentials, or looks it up. */
export type LookupCache<T> = (
  secret: string,
  lookUp: () => Promise<T | null>,
) => MaybePromise<T | null>
