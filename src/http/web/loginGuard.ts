import { error } from '../../model/core/errors'
import type { Clock } from '../../runtime/timers/clock'
import { clientOf } from '../server/routeGroup'
import { isLoginAllowed, type OriginConfig } from '../server/sessionCookie'
import { createLoginAttempts } from './loginAttempts'

/** Checks that all routes for callers without a session share. */
export interface LoginGuard {
  /** Throws if a page of another origin sent the request. */
  requireOwnPage(request: Request): void
  /**
   * Returns what a token or code gives access to. If that is nothing, counts a failed attempt and
   * throws an error that does not reveal what was wrong.
   */
  requireAccess<T>(request: Request, lookup: Promise<T | null>): Promise<T>
}

export function createLoginGuard(origin: OriginConfig, clock: Clock): LoginGuard {
  const attempts = createLoginAttempts()
  return {
    requireOwnPage({ headers }) {
      if (!isLoginAllowed(headers, origin)) throw error('forbidden')
    },
    async requireAccess(request, lookup) {
      const result = await lookup
      if (result !== null) return result
      const { address } = clientOf(request)
      const waitMs = attempts.add(address, clock.now())
      throw waitMs === null
        ? error('unauthorized')
        : error('tooManyRequests', 'too many failed attempts', waitMs)
    },
  }
}
