/** Prefixes that begin a command, besides a mention of the bot followed by a space. */
export interface PrefixOptions {
  readonly prefixes: readonly string[]
  readonly botId: string
}

/**
 * Returns the text after the prefix or the mention of the bot, which is empty if nothing follows;
 * null if the message has neither, so that it may be proxied.
 */
export function findCommandText(
  content: string,
  { prefixes, botId }: PrefixOptions,
): string | null {
  const mention = content.startsWith('<@')
    ? new RegExp(`^<@!?${botId}>\\s`).exec(content)?.[0]
    : undefined
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  const prefix =
    mention ??
    longestFirst.find((one) => content.slice(0, one.length).toLowerCase() === one.toLowerCase())
  return prefix === undefined ? null : content.slice(prefix.length).trim()
}
