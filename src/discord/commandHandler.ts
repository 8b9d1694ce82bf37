import type { Substitute } from '../model/substitution'
import type { Bot } from './bot'
import type { CommandDeps, EventWebhooks } from './commands/context'
import { createPrompts } from './commands/prompts'
import { createRateLimit } from './commands/rateLimit'
import { describeError } from './core'
import { createDiscordSide, type ReadStatus } from './discordSide'
import { createInteractions, type Interactions } from './interactions'
import { en } from './text/en'
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
}

export function createCommandHandler(
  bot: Bot,
  { substitute, webhooks, publicUrl, importLimit }: CommandParts,
  readStatus: ReadStatus,
): CommandHandler {
  const shared: CommandDeps = {
    deps: bot.deps,
    texts: en,
    discord: createDiscordSide(bot, readStatus),
    webhooks,
    prompts: createPrompts(() => performance.now()),
    rateLimit: createRateLimit(() => performance.now()),
    substitute,
    settings: { prefixes: bot.prefixes, publicUrl, importLimit },
    isDatabaseAway: bot.isDatabaseAway,
    onError: (cause, command) =>
      bot.log.error('Discord command failed', { command, error: describeError(cause) }),
  }
  return {
    text: createTextCommands(bot, shared),
    interactions: createInteractions(bot, shared),
  }
}
