import type { APIMessage } from 'discord-api-types/v10'
import type { Claim } from '../../model/discord'
import { discordBot } from '../../model/privacy'
import { listUnfinishedClaims, STALE_CLAIM_MS, settleClaim } from '../../service/discord/claims'
import { type PeriodicTask, startPeriodicTask } from '../../timers/periodicTask'
import type { Bot } from '../bot'
import { describeError } from '../core'
import { hasCode } from '../rest/errors'
import { digestOf, isRecorded, listSent } from './findSent'
import { deleteOriginal, recordSent, type Sent } from './finishProxied'
import { deleteProxied } from './outgoing'

/** Messages are split into at most this many parts: a message has at most ten files. */
const MAX_PARTS = 10
/** Unknown channel, unknown message, missing access. */
const NOT_READABLE = [10003, 10008, 50001, 50013]

/** Added to the age of a claim from which recovery handles it. */
const MARGIN_MS = 500

/**
 * Finishes what this or another process left unfinished: at once, as soon as the claims of a process
 * that was killed just now are old enough, and then every minute.
 */
export function startRecovery(bot: Bot): PeriodicTask {
  let runs = 0
  return startPeriodicTask({
    everyMs: () => (runs++ === 0 ? STALE_CLAIM_MS + MARGIN_MS : bot.timing.recoveryMs),
    firstMs: 0,
    mayRun: bot.maySend,
    run: (isStopped) => recoverClaims(bot, isStopped),
    onError: (cause) => bot.log.warn('Discord recovery failed', { error: describeError(cause) }),
  })
}

async function recoverClaims(bot: Bot, isStopped: () => boolean): Promise<void> {
  const claims = await listUnfinishedClaims(bot.deps, discordBot)
  for (const claim of claims) {
    if (isStopped()) return
    if (bot.underWay.has(claim.id)) continue
    try {
      const result = await recover(bot, claim)
      bot.metrics?.countRecovered(result)
      bot.log.info('Discord message recovered', { message: claim.id, result })
    } catch (cause) {
      bot.log.warn('Discord recovery failed', { message: claim.id, error: describeError(cause) })
    }
  }
}

async function recover(bot: Bot, claim: Claim): Promise<'finished' | 'recorded' | 'dropped'> {
  if (claim.state === 'recorded') {
    await finish(bot, claim)
    return 'finished'
  }
  const sent = await findParts(bot, claim)
  if (!sent || !(await recordSent(bot, sent))) {
    await settleClaim(bot.deps, discordBot, claim.id, 'dropped')
    return 'dropped'
  }
  await finish(bot, claim)
  return 'recorded'
}

/**
 * Deletes the original. If it is gone, the interrupted process most likely deleted it, so the copy
 * stays.
 */
async function finish(bot: Bot, { id, kind, channel, thread }: Claim): Promise<void> {
  // The record of a command has no original in the channel, or one that the command itself deletes.
  if (kind === 'message') {
    const result = await deleteOriginal(bot, thread ?? channel, id)
    if (result === 'failed') throw new Error('the original could not be deleted')
  }
  await settleClaim(bot.deps, discordBot, id, 'done')
}

/** Finds all parts that an interrupted process sent. Incomplete ones are deleted. */
async function findParts(bot: Bot, claim: Claim): Promise<Sent | null> {
  const { id, guild, channel, thread, sender, member, digest } = claim
  if (digest === null || member === null) return null
  const channelId = thread ?? channel
  const candidates = await listReadable(bot, channelId, id)
  for (const [at, first] of candidates.entries()) {
    const { username } = first.author
    const counts = Array.from({ length: MAX_PARTS }, (_, index) => index + 1)
    const count = counts.find((parts) => digestOf(username, first.content, parts) === digest)
    if (count === undefined || (await isRecorded(bot, first.id))) continue
    const later = candidates
      .slice(at + 1)
      .filter(
        ({ author, content, attachments }) =>
          author.username === username && content === '' && attachments.length > 0,
      )
    const ids = [first, ...later.slice(0, count - 1)].map((part) => part.id)
    const place = { channelId: channel, threadId: thread }
    if (ids.length < count) {
      for (const part of ids) await deleteProxied(bot, place, part)
      return null
    }
    const draft = { id: first.id, original: id, sender, channel: channelId, guild, member }
    return { ...place, ids, draft: { ...draft, timestamp: null } }
  }
  return null
}

async function listReadable(bot: Bot, channelId: string, after: string): Promise<APIMessage[]> {
  try {
    return await listSent(bot, channelId, after)
  } catch (cause) {
    if (hasCode(cause, ...NOT_READABLE)) return []
    throw cause
  }
}
