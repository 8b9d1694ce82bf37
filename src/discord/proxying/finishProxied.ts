import { DomainError } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { backoffMs } from '../../runtime/timers/backoff'
import { ownsClaim, recordClaimedMessage, settleClaim } from '../../service/discord/claims'
import { deleteMessages, type MessageDraft, type Recorded } from '../../service/proxy/recordMessage'
import type { Bot } from '../bot/bot'
import { describeError } from '../bot/core'
import { hasCode, isTokenRefused, isUncertain, NotSentError } from '../rest/errors'
import { deleteProxied } from './outgoing'

/** A message that was sent and is not recorded yet. */
export interface Sent {
  readonly draft: MessageDraft
  /** Channel of the webhook, and thread if there is one. */
  readonly channelId: string
  readonly threadId: string | null
  /** IDs of all parts; the first one is recorded. */
  readonly ids: readonly string[]
}

const RECORD_BACKOFF = { firstMs: 100, maxMs: 5000 }
const MAX_CONFLICTS = 5

/**
 * Stores the record, until it succeeds: the database may be away for a while. Returns null if the
 * member or the system is gone; the message is deleted then, and the original stays.
 */
export async function recordSent(bot: Bot, sent: Sent): Promise<Recorded | null> {
  let conflicts = 0
  for (let failures = 1; ; failures++) {
    try {
      return await recordClaimedMessage(bot.deps, discordBot, sent.draft)
    } catch (cause) {
      const isConflict = cause instanceof DomainError && cause.kind === 'conflict'
      const isRefused = cause instanceof DomainError && !bot.isDatabaseAway(cause) && !isConflict
      if (isRefused || (isConflict && ++conflicts > MAX_CONFLICTS)) {
        await withdraw(bot, sent, sent.draft.original)
        return null
      }
      if (bot.sleeper.isStopped || !bot.maySend()) throw cause
      bot.log.warn('Discord message not recorded yet', {
        message: sent.draft.id,
        attempt: failures,
        error: describeError(cause),
      })
      await bot.sleeper.sleep(backoffMs(RECORD_BACKOFF, failures))
    }
  }
}

/**
 * Deletes a message that was sent, and its record, so that the original stays alone or a message that
 * another bot or a moderator has deleted stays away.
 */
export async function withdraw(
  bot: Bot,
  sent: Pick<Sent, 'channelId' | 'threadId' | 'ids'>,
  original: string,
): Promise<void> {
  for (const id of sent.ids) await deleteProxied(bot, sent, id)
  await deleteMessages(bot.deps, discordBot, sent.ids)
  await settleClaim(bot.deps, discordBot, original, 'dropped')
  bot.metrics?.countMessage('failed', 'withdrawn')
}

interface DeletionParts {
  /** Attempt that claimed the original. */
  readonly node: string
  /** Called after the copy was withdrawn, because the bot may not delete the original. */
  onRefused(): Promise<void>
}

/** Deletes the original after a pause, in the background, and ends the claim. */
export function deleteOriginalLater(
  bot: Bot,
  sent: Sent,
  { node, onRefused }: DeletionParts,
): void {
  const { original } = sent.draft
  const end = bot.inFlight.begin(original)
  bot.background.run('deletion of an original', async () => {
    try {
      await bot.sleeper.sleep(bot.timing.deletionMs)
      // The rest is done by recovery, here or in another process.
      if (!bot.maySend()) return
      const result = await deleteOriginal(bot, sent.threadId ?? sent.channelId, original)
      if (result === 'failed') return
      if (result === 'deleted') return await settleClaim(bot.deps, discordBot, original, 'done')
      // Another process that took over may have deleted the original; the copy must stay then.
      if (!(await ownsClaim(bot.deps, discordBot, original, node))) return
      await withdraw(bot, sent, original)
      if (result === 'refused') await onRefused()
    } finally {
      end()
    }
  })
}

/**
 * `gone`: it was deleted by another account; `refused`: the bot may not delete it; `failed`: Discord
 * did not answer, so it is tried again later.
 */
export type Deletion = 'deleted' | 'gone' | 'refused' | 'failed'

const ATTEMPTS = 5
const DELETE_BACKOFF = { firstMs: 250, maxMs: 5000 }
const UNKNOWN_CHANNEL = 10003
const UNKNOWN_MESSAGE = 10008

/** Deletes an original. After an attempt without an answer, a missing message counts as deleted. */
export async function deleteOriginal(
  { rest, sleeper, maySend }: Bot,
  channelId: string,
  messageId: string,
): Promise<Deletion> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rest.request('DELETE', '/channels/{channel_id}/messages/{message_id}', {
        params: { channel_id: channelId, message_id: messageId },
        isProxying: true,
        retries: 0,
        hasOwnConnection: true,
        maySend,
      })
      return 'deleted'
    } catch (cause) {
      if (hasCode(cause, UNKNOWN_MESSAGE)) return attempt === 1 ? 'gone' : 'deleted'
      if (hasCode(cause, UNKNOWN_CHANNEL)) return 'deleted'
      if (cause instanceof NotSentError || isTokenRefused(cause)) return 'failed'
      if (!isUncertain(cause)) return 'refused'
      if (attempt === ATTEMPTS) return 'failed'
      await sleeper.sleep(backoffMs(DELETE_BACKOFF, attempt))
    }
  }
}
