import type { APIInteraction } from 'discord-api-types/v10'
import type { IncomingMessage } from './messages/incomingMessage'

/** Handles commands. The bot claims each event before, so that it runs at most once. */
export interface CommandHandler {
  /** Runs the command of a message; `text` is what follows the prefix. */
  handleText(message: IncomingMessage, text: string): Promise<void>
  /** Handles a message without a prefix that may answer a question; returns whether it did. */
  handleAnswer(message: IncomingMessage): Promise<boolean>
  handleInteraction(interaction: APIInteraction): Promise<void>
}

/**
 * Returns the text after the prefix or the mention of the bot, which may be empty; null if the
 * message has neither, so that it may be proxied.
 */
export function findCommandText(
  content: string,
  prefixes: readonly string[],
  botId: string,
): string | null {
  const mention = new RegExp(`^<@!?${botId}>\\s`).exec(content)?.[0]
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  const prefix =
    mention ??
    longestFirst.find((one) => content.slice(0, one.length).toLowerCase() === one.toLowerCase())
  return prefix === undefined ? null : content.slice(prefix.length).trim()
}
