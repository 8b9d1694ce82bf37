import { applicationPage } from '../../model/core/discord'

/** Code that the bot closes with. 1000 and 1001 would end the session. */
export const RESUMABLE_CLOSE = 4900

/** Code after which the bot token is of no use for requests either. */
export const TOKEN_REFUSED = 4004

/** A close code after which connecting again is pointless, until the operator does something. */
export interface FatalClose {
  readonly code: number
  readonly reason: string
  readonly remedy: string
}

/** Returns the reason and the remedy of a fatal close code; null if the bot may connect again. */
export function findFatalClose(code: number, applicationId: string | null): FatalClose | null {
  const problem = fatal[code]
  if (!problem) return null
  const page = applicationPage(applicationId)
  const remedy = problem.remedy.replace('{page}', applicationId === null ? page : `${page}/bot`)
  return { code, reason: problem.reason, remedy }
}

/** Returns reason and remedy of a bot token that Discord refused, also before the first connection. */
export function describeRefusedToken(applicationId: string | null): FatalClose {
  const close = findFatalClose(TOKEN_REFUSED, applicationId)
  if (!close) throw new Error(`close code ${TOKEN_REFUSED} is not fatal`)
  return close
}

const fatal: Readonly<Record<number, { reason: string; remedy: string }>> = {
  [TOKEN_REFUSED]: {
    reason: 'Discord refused the bot token',
    remedy: 'Set DISCORD_TOKEN to the token shown at {page}; Reset Token creates a new one.',
  },
  4010: { reason: 'invalid shard', remedy: 'Set DISCORD_SHARDS to auto.' },
  4011: {
    reason: 'the bot is in too many servers for this number of shards',
    remedy: 'Set DISCORD_SHARDS to auto or to a larger number.',
  },
  4012: { reason: 'invalid API version', remedy: 'Update Multitude.' },
  4013: { reason: 'invalid intents', remedy: 'Update Multitude.' },
  4014: {
    reason: 'an intent is not allowed',
    remedy: 'Enable Message Content Intent under Privileged Gateway Intents at {page}.',
  },
}

/** Returns whether Discord has ended the session with this code. */
export function endsSession(code: number): boolean {
  return code === 4007 || code === 4009
}
