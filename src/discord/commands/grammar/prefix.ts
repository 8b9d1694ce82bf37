/** Prefixes that begin a command, besides a mention of the bot followed by a space. */
export interface PrefixOptions {
  readonly prefixes: readonly string[]
  readonly botId: string
}

/**
 * Returns the text after the prefix, or null if the message is no command. A prefix alone is no
 * command, because nothing follows it.
 */
export function findCommandText(content: string, options: PrefixOptions): string | null {
  const rest = withoutPrefix(content, options)
  return rest === null || rest.trim() === '' ? null : rest.trim()
}

function withoutPrefix(content: string, { prefixes, botId }: PrefixOptions): string | null {
  const mention = new RegExp(`^<@!?${botId}>\\s`).exec(content)
  if (mention) return content.slice(mention[0].length)
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  const prefix = longestFirst.find(
    (one) => content.slice(0, one.length).toLowerCase() === one.toLowerCase(),
  )
  return prefix === undefined ? null : content.slice(prefix.length)
}
