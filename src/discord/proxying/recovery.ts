import type { APIMessage } from 'discord-api-types/v10'
import type { Claim } from '../../model/core/discord'
import { discordBot } from '../../model/core/privacy'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import {
  listUnfinishedClaims,
  STALE_CLAIM_MS,
  settleClaim,
  takeOverClaim,
} from '../../service/discord/claims'
import type { Bot } from '../bot/bot'
import { describeError } from '../bot/core'
import { findRecord } from '../operations/proxiedMessage'
import { hasCode } from '../rest/errors'
import { digestOf, isRecorded, listSent } from './findSent'
import { deleteOriginal, recordSent, type Sent, withdraw } from './finishProxied'
import { deleteProxied } from './outgoing'

/** Messages are split into at most this many parts: a message has at most ten files. */
const MAX_PARTS = 10
/** Unknown channel, unknown message, missing access. */
const NOT_READABLE = [10003, 10008, 50001, 50013]

/** From then on, recovery handles the claims of a process that was killed just before the start. */
const FIRST_PAUSE_MS = STALE_CLAIM_MS + 500

/**
 * Finishes what this or another process left unfinished: at once, as soon as the claims of a process
 * that was killed just now are old enough, and then every minute.
 */
export function startRecovery(bot: Bot): PeriodicTask {
  let runs = 0
  return startPeriodicTask({
    clock: bot.deps.clock,
    everyMs: () => Math.min(bot.timing.recoveryMs, runs++ === 0 ? FIRST_PAUSE_MS : Infinity),
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
    if (bot.inFlight.has(claim.id)) continue
    try {
      const result = await recover(bot, claim)
      // It was finished while the list was read.
      if (result === null) continue
      bot.metrics?.countRecovered(result)
      bot.log.info('Discord message recovered', { message: claim.id, result })
    } catch (cause) {
      bot.log.warn('Discord recovery failed', { message: claim.id, error: describeError(cause) })
    }
  }
}

type Result = 'finished' | 'recorded' | 'dropped' | 'withdrawn'

async function recover(bot: Bot, claim: Claim): Promise<Result | null> {
  const node = `${bot.node} ${crypto.randomUUID()}`
  if (!(await takeOverClaim(bot.deps, discordBot, claim.id, node))) return null
  if (claim.state === 'recorded') return finish(bot, claim, 'finished')
  const sent = await findUnrecorded(bot, claim)
  if (sent && (await recordSent(bot, sent))) return finish(bot, claim, 'recorded')
  await settleClaim(bot.deps, discordBot, claim.id, 'dropped')
  return 'dropped'
}

/**
 * Deletes the original. If it is gone, the interrupted process most likely deleted it, so the copy
 * stays.
 */
async function finish(bot: Bot, claim: Claim, done: Result): Promise<Result> {
  const { id, kind, channel, thread } = claim
  // The record of a command has no original in the channel, or one that the command itself deletes.
  const deletion = kind === 'message' ? await deleteOriginal(bot, thread ?? channel, id) : 'deleted'
  if (deletion === 'failed') throw new Error('the original could not be deleted')
  if (deletion === 'refused') {
    await withdraw(
      bot,
      { channelId: channel, threadId: thread, ids: await findCopy(bot, claim) },
      id,
    )
    return 'withdrawn'
  }
  await settleClaim(bot.deps, discordBot, id, 'done')
  return done
}

/** Finds all parts that an interrupted process sent. Incomplete ones are deleted. */
async function findUnrecorded(bot: Bot, claim: Claim): Promise<Sent | null> {
  const { id, guild, channel, thread, sender, member } = claim
  if (member === null) return null
  const candidates = await listReadable(bot, thread ?? channel, id)
  for (const [index, first] of candidates.entries()) {
    const count = countParts(first, claim)
    if (count === null || (await isRecorded(bot, first.id))) continue
    const ids = await listParts(bot, candidates.slice(index), count)
    const channelContext = { channelId: channel, threadId: thread }
    if (ids.length < count) {
      for (const part of ids) await deleteProxied(bot, channelContext, part)
      return null
    }
    const draft = { id: first.id, original: id, sender, channel: thread ?? channel, guild, member }
    return { ...channelContext, ids, draft: { ...draft, timestamp: null } }
  }
  return null
}

/** Lists the IDs of all parts of a recorded message. */
async function findCopy(bot: Bot, claim: Claim): Promise<string[]> {
  const { id, channel, thread } = claim
  const record = await findRecord(bot, id, null)
  if (!record) return []
  const candidates = await listReadable(bot, thread ?? channel, id)
  const index = candidates.findIndex((message) => message.id === record.message.id)
  const first = candidates[index]
  const count = first ? countParts(first, claim) : null
  return count === null ? [record.message.id] : listParts(bot, candidates.slice(index), count)
}

/** Number of parts of the claimed message if this is its first one; null if it is another message. */
function countParts({ author, content }: APIMessage, { digest }: Claim): number | null {
  const counts = Array.from({ length: MAX_PARTS }, (_, index) => index + 1)
  return counts.find((parts) => digestOf(author.username, content, parts) === digest) ?? null
}

/** Lists the IDs of the first part and of those after it, which have files and no text. */
async function listParts(
  bot: Bot,
  [first, ...later]: readonly APIMessage[],
  count: number,
): Promise<string[]> {
  const ids = first ? [first.id] : []
  for (const { id, author, content, attachments } of later) {
    if (ids.length === count) break
    const isAlike = author.username === first?.author.username && content === ''
    // A message that consists of files looks the same, but has a record.
    if (isAlike && attachments.length > 0 && !(await isRecorded(bot, id))) ids.push(id)
  }
  return ids
}

async function listReadable(bot: Bot, channelId: string, after: string): Promise<APIMessage[]> {
  try {
    return await listSent(bot, channelId, after)
  } catch (cause) {
    if (hasCode(cause, ...NOT_READABLE)) return []
    throw cause
  }
}
