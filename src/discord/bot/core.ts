import type { Log } from '../../runtime/log'
import type { DiscordMetrics } from '../../runtime/metrics/discordMetrics'
import type { StoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import type { Deps } from '../../service/core/deps'
import type { AttachmentLoader } from '../attachments/attachmentLoader'
import type { PictureLoader } from '../attachments/pictureLoader'
import type { GuildCache } from '../cache/guildCache'
import type { LatestMessages } from '../cache/latestMessages'
import type { WebhookCache } from '../cache/webhookCache'
import type { RestClient } from '../rest/restClient'

/** Account and application of the bot. */
export interface Identity {
  readonly userId: string
  readonly applicationId: string
  readonly name: string
}

export interface BotTiming {
  /** Time that a message waits for the database. */
  readonly databaseMs: number
  /** Time that a command waits for the database; an interaction must be answered within 3 s. */
  readonly commandDatabaseMs: number
  /** Time that later messages of a channel wait for a command at most. */
  readonly commandHoldMs: number
  /** Time after which the bot announces to an interaction that its answer takes longer. */
  readonly deferMs: number
  /** Time between the answer of the webhook and the deletion of the original. */
  readonly deletionMs: number
  /** Time after which a webhook request without an answer is looked for. */
  readonly uncertainMs: number
  readonly recoveryMs: number
  /** Time after which records of deleted messages are deleted. */
  readonly recordDeletionMs: number
  /** Time after which a notice to an author is deleted. */
  readonly noticeMs: number
  /** Time in which the bot notifies an author of the same problem in the same channel once. */
  readonly noticeRepeatMs: number
  /** Time in which an account can ping the sender of the same message once. */
  readonly pingRepeatMs: number
  /** Time for work in progress when the bot stops. */
  readonly drainMs: number
  readonly downloadMs: number
}

export const defaultBotTiming: BotTiming = {
  databaseMs: 30_000,
  commandDatabaseMs: 1500,
  commandHoldMs: 1000,
  deferMs: 1000,
  // Clients show the original again if it disappears at the same moment as its copy appears.
  deletionMs: 1000,
  uncertainMs: 1000,
  recoveryMs: 60_000,
  recordDeletionMs: 15_000,
  noticeMs: 30_000,
  noticeRepeatMs: 10 * 60_000,
  pingRepeatMs: 60_000,
  drainMs: 8000,
  downloadMs: 15_000,
}

/** Parts of the running bot that do not depend on each other. */
export interface BotCore {
  readonly deps: Deps
  readonly identity: Identity
  readonly rest: RestClient
  readonly guilds: GuildCache
  readonly webhooks: WebhookCache
  readonly latest: LatestMessages
  readonly attachments: AttachmentLoader
  readonly pictures: PictureLoader
  /** Prefixes of text commands. */
  readonly prefixes: readonly string[]
  /** The only origins that files are downloaded from; the first one has the pictures of accounts. */
  readonly cdn: readonly string[]
  readonly log: Log
  readonly metrics: DiscordMetrics | undefined
  readonly timing: BotTiming
  readonly sleeper: StoppableSleep
  /** Waits that end when the bot begins to stop, while work in progress still goes on. */
  readonly stopSignal: StoppableSleep
  readonly background: BackgroundWork
  /** Returns whether this process still holds the lease. Asked before each webhook execution. */
  maySend(): boolean
  /** Returns whether a failure means that the database is away for now. */
  isDatabaseAway(cause: unknown): boolean
}

/** Work that nothing waits for, except the end of the bot. */
export interface BackgroundWork {
  /** Starts work. Failures are logged with this name and never thrown. */
  run(name: string, work: () => Promise<void>): void
  /** Resolves when no work is left, or after a time. */
  drain(ms: number): Promise<void>
}

export function createBackgroundWork(log: Log, clock: Clock): BackgroundWork {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const promise = work().catch((cause) =>
        log.warn('Discord background work failed', { work: name, error: describeError(cause) }),
      )
      running.add(promise)
      void promise.finally(() => running.delete(promise))
    },
    async drain(ms) {
      let isOver = false
      const runAll = async () => {
        while (running.size > 0 && !isOver) await Promise.all(running)
      }
      await withTimeout(
        runAll(),
        ms,
        () => {
          isOver = true
        },
        clock,
      )
    },
  }
}

/** Returns the text of a failure for the log, without the values of a query, which are private. */
export function describeError(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? `${inner.name}: ${inner.message}` : String(inner)
}
