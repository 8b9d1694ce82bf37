/** Prefixes that begin a command, besides a mention of the bot. */
export interface PrefixOptions {
  readonly prefixes: readonly string[]
  readonly botId: string
}

/** A command without its prefix. */
export interface CommandText {
  /** Prefix that was typed; after a mention of the bot, the first one. */
  readonly prefix: string
  /** Empty if nothing follows the prefix. */
  readonly text: string
}

/** Finds a command in a message; null if it has no prefix, so that it may be proxied. */
export function findCommandText(
  content: string,
  { prefixes, botId }: PrefixOptions,
): CommandText | null {
  const mention = content.startsWith('<@')
    ? new RegExp(`^<@!?${botId}>(?:\\s|$)`).exec(content)?.[0]
    : undefined
  if (mention !== undefined)
    return { prefix: prefixes[0] ?? '', text: content.slice(mention.length).trim() }
  const prefix = prefixes
    .toSorted((candidate, other) => other.length - candidate.length)
    .find((candidate) => {
      return content.slice(0, candidate.length).toLowerCase() === candidate.toLowerCase()
    })
  return prefix === undefined ? null : { prefix, text: content.slice(prefix.length).trim() }
}
