/** Mentions of a message that the bot or a webhook sends. Always explicit, because Discord's default pings. */
export interface AllowedMentions {
  readonly parse: readonly 'everyone'[]
  readonly users?: readonly string[]
  readonly roles?: readonly string[]
}

/** Mentions of the author's own message, as Discord resolved them. */
export interface OriginalMentions {
  readonly mentions: readonly { readonly id: string }[]
  readonly mention_roles: readonly string[]
  readonly mention_everyone: boolean
}

export const NO_MENTIONS: AllowedMentions = { parse: [] }

/** Discord accepts at most this many IDs of each kind. */
const MAX_IDS = 100

/**
 * Returns the mentions that a proxied message may have: those that the original had, that are still
 * in the content, and that the author may use. The account that a reply pinged was pinged by the
 * original, and is listed only if the content mentions it.
 */
export function allowedMentions(
  original: OriginalMentions,
  content: string,
  author: {
    readonly mayMentionEveryone: boolean
    isMentionable(roleId: string): boolean
  },
): AllowedMentions {
  const users = idsIn(content, /<@!?(\d+)>/g)
  const roles = idsIn(content, /<@&(\d+)>/g)
  const everyone =
    original.mention_everyone && author.mayMentionEveryone && /@(everyone|here)/.test(content)
  return {
    parse: everyone ? ['everyone'] : [],
    users: select(
      original.mentions.map(({ id }) => id),
      (id) => users.has(id),
    ),
    roles: select(
      original.mention_roles,
      (id) => roles.has(id) && (author.mayMentionEveryone || author.isMentionable(id)),
    ),
  }
}

function idsIn(content: string, pattern: RegExp): Set<string> {
  return new Set([...content.matchAll(pattern)].map(([, id = '']) => id))
}

function select(ids: readonly string[], isAllowed: (id: string) => boolean): string[] {
  return [...new Set(ids)].filter(isAllowed).slice(0, MAX_IDS)
}
