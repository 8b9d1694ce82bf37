import { DAY, HOUR, type Instant } from '../core/time'

/** Microseconds until a session expires. Each use extends one that is remembered, up to the longest. */
export const sessionDurations = {
  short: 12 * HOUR,
  remembered: 90 * DAY,
  longest: 365 * DAY,
} as const

/** A browser that is logged in. */
export interface Session {
  id: number
  uuid: string
  system_id: number
  name: string
  created: Instant
  last_used: Instant
  expires: Instant
}

export interface Device {
  name: string
  /** Stays logged in for months, not only until the browser is closed. */
  remember: boolean
}

export interface OpenedSession extends Session {
  /** Value of the cookie; only its hash is stored. */
  secret: string
}
