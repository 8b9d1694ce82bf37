export const MAX_PROXY_NAME = 80

/** The previous message in the channel. */
export interface PreviousMessage {
  name: string
  /** UUID of its member; null if this server did not proxy it. */
  member: string | null
}

/** Formats a name. As in PluralKit, `{name}` inside the tag is expanded too. */
export function formatName(format: string, name: string, tag: string | null): string {
  // Not `replaceAll`, for which "$&" in a name is a pattern.
  const withTag = format.split('{tag}').join(tag ?? '')
  return withTag.split('{name}').join(name).trim()
}

/** Adapts a name to Discord: distinct from the previous message's name, and accepted by Discord. */
export function readyName(plain: string, member: string, previous: PreviousMessage | null): string {
  return fixForDiscord(needsMark(plain, member, previous) ? plain + MARK : plain)
}

/**
 * Discord groups consecutive messages with the same name, so two members need invisibly different
 * names.
 */
function needsMark(plain: string, member: string, previous: PreviousMessage | null): boolean {
  if (!previous) return false
  const shows = (name: string) => previous.name === name || previous.name === fixForDiscord(name)
  if (shows(plain)) return previous.member !== member
  // Keep the mark while the same member continues, so that Discord groups its messages.
  return previous.member === member && shows(plain + MARK)
}

/** Discord rejects some words in a webhook's name, and names of one UTF-16 unit. */
function fixForDiscord(name: string): string {
  const spaced = name.replace(REJECTED, `$&${HAIR_SPACE}`)
  const long = spaced.length === 1 ? spaced + INVISIBLE : spaced
  const cut = long.slice(0, MAX_PROXY_NAME)
  return HALF_PAIR_AT_END.test(cut) ? cut.slice(0, -1) : cut
}

const HAIR_SPACE = '\u200A'
const INVISIBLE = '\u17B5'
const MARK = HAIR_SPACE + INVISIBLE
/** First letter of a rejected word; the hair space is inserted after it. */
const REJECTED = /c(?=lyde)|d(?=iscord)|^h(?=ere$)|^e(?=veryone$)|`(?=``)/gi
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/
