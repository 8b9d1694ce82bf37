import { DomainError } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { getLastMessage } from '../../service/proxy/messages'
import type { BotCore } from '../bot/core'
import type { ChannelContext } from '../messages/channelContext'
import type { Failure } from '../operations/explainError'
import { hasPermissions, type PermissionName } from '../permissions/permission'
import { operationTexts } from '../text/operationTexts'

/**
 * Slow mode of channels. Discord applies it to messages of accounts, but not to webhooks, so the bot
 * applies it to texts that an account sends without a message.
 */
export interface SlowMode {
  /** Notes that an account has sent a message. */
  note(channelContext: ChannelContext, account: string): void
  /** Runs work that sends a message for an account with these permissions, unless it has to wait. */
  run(
    channelContext: ChannelContext,
    account: string,
    permissions: bigint,
    work: () => Promise<Failure>,
  ): Promise<Failure>
}

/** Any of these permissions ends the wait. Moderators with the first two could switch it off. */
const EXEMPT: readonly PermissionName[] = ['ManageChannels', 'ManageMessages', 'BypassSlowmode']
const MAX_REMEMBERED = 10_000

export function createSlowMode({ deps }: Pick<BotCore, 'deps'>): SlowMode {
  /** Milliseconds of the clock, by channel and account. */
  const sentAt = new Map<string, number>()

  const set = (key: string, at: number | undefined) => {
    sentAt.delete(key)
    if (at !== undefined) sentAt.set(key, at)
    const [oldest] = sentAt.keys()
    if (sentAt.size > MAX_REMEMBERED && oldest !== undefined) sentAt.delete(oldest)
  }

  /** Time of the last proxied message, which another process may have sent. */
  const findRecorded = async (account: string, channelId: string): Promise<number | undefined> => {
    try {
      const { message } = await getLastMessage(deps, discordBot, account, channelId)
      return message.timestamp / 1000
    } catch (cause) {
      if (cause instanceof DomainError && cause.kind === 'messageNotFound') return undefined
      throw cause
    }
  }

  return {
    note({ channel }, account) {
      if (channel.slowmodeSeconds > 0) set(keyOf(channel.id, account), deps.clock.now())
    },
    async run({ channel }, account, permissions, work) {
      const isExempt = EXEMPT.some((name) => hasPermissions(permissions, name))
      if (channel.slowmodeSeconds === 0 || isExempt) return work()
      const key = keyOf(channel.id, account)
      const before = sentAt.get(key)
      const explainWait = (lastAt = -Infinity): Failure => {
        const endsAt = lastAt + channel.slowmodeSeconds * 1000
        return endsAt > deps.clock.now() ? operationTexts.slowmode(Math.ceil(endsAt / 1000)) : null
      }
      const wait = explainWait(before)
      if (wait !== null) return wait
      // Noted before the work, so that a second command at the same time has to wait.
      set(key, deps.clock.now())
      let hasSent = false
      try {
        const failure = explainWait(await findRecorded(account, channel.id)) ?? (await work())
        hasSent = failure === null
        return failure
      } finally {
        if (!hasSent) set(key, before)
      }
    },
  }
}

function keyOf(channelId: string, account: string): string {
  return `${channelId} ${account}`
}
