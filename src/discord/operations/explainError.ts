import { DiscordError, hasCode, isUncertain } from '../rest/errors'
import { operationTexts } from '../text/operationTexts'

/** Result of an action: null if it was done, or the reason why not, in a sentence. */
export type Failure = string | null

/** Unknown channel, unknown message. */
export const GONE = [10003, 10008]

/** Returns the answer to the account about a failure of Discord. Throws other failures. */
export function explain(cause: unknown): string {
  if (hasCode(cause, ...GONE)) return operationTexts.gone
  if (cause instanceof DiscordError && !isUncertain(cause)) return operationTexts.notAllowed
  throw cause
}
