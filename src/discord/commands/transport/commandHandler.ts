import type { Substitute } from '../../../model/proxy/substitution'
import type { Bot } from '../../bot/bot'
import { describeError } from '../../bot/core'
import { en } from '../../text/en'
import type { CommandDeps, Context, EventWebhooks } from '../context'
import { showMessage } from '../handlers/message'
import { nameTextCommands } from '../nameCommand'
import { createPrompts } from '../prompts'
import { createRateLimit } from '../rateLimit'
import { answerFor } from '../runCommand'
import { createDiscordSide, type ReadStatus } from './discordActions'
import { createInteractions, type Interactions } from './interactions'
import type { LookUp } from './reactions'
import { createTextCommands, type TextCommands } from './textCommands'

/** Parts of the commands that other layers supply. */
export interface CommandParts {
  readonly substitute: Substitute
  readonly webhooks: EventWebhooks
  /** Public address of this server; empty if it is not set. */
  readonly publicUrl: string
  readonly importLimit: number
}

/** Handles commands. The bot claims each event before, so that it runs at most once. */
export interface CommandHandler {
  readonly text: TextCommands
  readonly interactions: Interactions
  /** Looks up a message for an account that reads the answer alone. */
  readonly lookUp: LookUp
}

export function createCommandHandler(
  bot: Bot,
  { substitute, webhooks, publicUrl, importLimit }: CommandParts,
  readStatus: ReadStatus,
): CommandHandler {
  const [prefix = ''] = bot.prefixes
  const nowMs = () => bot.deps.now() / 1000
  const shared: CommandDeps = {
    deps: bot.deps,
    texts: en,
    discord: createDiscordSide(bot, readStatus),
    webhooks,
    prompts: createPrompts(nowMs),
    rateLimit: createRateLimit(bot.deps.clock.monotonic),
    substitute,
    settings: { prefixes: bot.prefixes, publicUrl, importLimit },
    isDatabaseAway: bot.isDatabaseAway,
    onError: (cause, command) =>
      bot.log.error('Discord command failed', { command, error: describeError(cause) }),
  }
  return {
    text: createTextCommands(bot, shared),
    interactions: createInteractions(bot, shared),
    lookUp(account, message) {
      if (shared.rateLimit.takeTurn(account, 'lookup') === null)
        return Promise.resolve({ content: shared.texts.slowDown, isRefusal: true })
      const context: Context = {
        ...shared,
        via: 'text',
        prefix,
        name: nameTextCommands(prefix),
        account,
        id: message.messageId,
        guild: null,
        // The account reacted there, so it may read the text.
        channel: message.channelId,
        attachments: [],
        target: message,
        sendDirect: async () => false,
        defer: async () => {},
        deleteCommand: async () => {},
      }
      const args = { values: {}, lists: {}, flags: new Set<string>() }
      return answerFor(context, 'message', () => showMessage(context, args))
    },
  }
}
