import { DownloadError } from '../attachments/download'
import { DiscordError } from '../rest/errors'
import { proxyTexts } from '../text/proxyTexts'
import { PartError } from './outgoing'

/** A failure that the author is notified of. */
export interface ToldFailure {
  readonly reason: string
  readonly text: string
  /** The cache of the guild is wrong: Discord refused what it allowed. */
  readonly isPermission?: boolean
}

/** Returns whether Discord itself failed. */
export function isFault(cause: unknown): boolean {
  return cause instanceof DiscordError && cause.status >= 500
}

/** Returns the notice for the author about a failure; null if there is none. */
export function describeFailure(cause: unknown, isVoice: boolean): ToldFailure | null {
  if (cause instanceof PartError) return { reason: 'part_failed', text: proxyTexts.partFailed }
  if (cause instanceof DownloadError)
    return { reason: 'download_failed', text: proxyTexts.downloadFailed }
  if (!(cause instanceof DiscordError)) return null
  const isCode = (...codes: readonly number[]) => codes.includes(cause.code)
  const { refusedByDiscord, tooManyWebhooksInChannel, tooManyWebhooksInGuild } = proxyTexts
  if (isCode(50001, 50013))
    return { reason: 'missing_permissions', text: refusedByDiscord, isPermission: true }
  if (isCode(30007)) return { reason: 'webhooks', text: tooManyWebhooksInChannel }
  if (isCode(30058)) return { reason: 'webhooks', text: tooManyWebhooksInGuild }
  if (isCode(200000, 200001)) return { reason: 'automod', text: proxyTexts.automod }
  if (isCode(40005) || cause.status === 413)
    return { reason: 'too_large', text: proxyTexts.uploadTooLarge }
  const name = cause.problems.find(({ path }) => path === 'username')
  if (name) return { reason: 'refused_name', text: proxyTexts.refusedName(name.message) }
  if (isVoice && cause.status === 400)
    return { reason: 'voice_refused', text: proxyTexts.voiceRefused }
  // Gone: nothing that the author could do.
  // A notice after a fault would follow the original, which could then no longer be proxied by an
  // edit. A reaction says it instead.
  if (isCode(10003, 10008) || isFault(cause)) return null
  return { reason: 'failed', text: proxyTexts.failed }
}
