export const MAX_PROXY_NAME = 80

/** The message before this one in the channel: its shown name, and its member if it has one. */
export interface PreviousMessage {
  name: string
  /** UUID of the member it was proxied as, null when it was not proxied here. */
  member: string | null
}

/** The name a format makes. A tag that holds `{name}` is expanded too, as in PluralKit. */
export function formatName(format: string, name: string, tag: string | null): string {
  // Given as functions, so that "$&" in a name stays as it is.
  return format
    .replaceAll('{tag}', () => tag ?? '')
    .replaceAll('{name}', () => name)
    .trim()
}

/** The name as it is sent: told apart from the message before, and in a form Discord takes. */
export function readyName(plain: string, member: string, previous: PreviousMessage | null): string {
  return fixForDiscord(needsMark(plain, member, previous) ? plain + MARK : plain)
}

/** Discord joins neighbouring messages of one name, so two who share it must differ unseen. */
function needsMark(plain: string, member: string, previous: PreviousMessage | null): boolean {
  if (!previous) return false
  const shows = (name: string) => previous.name === name || previous.name === fixForDiscord(name)
  if (shows(plain)) return previous.member !== member
  // Once marked, a member stays so while it speaks on, or its own messages would fall apart.
  return previous.member === member && shows(plain + MARK)
}

/** Discord refuses some words in a webhook's name, and names of one unit. */
function fixForDiscord(name: string): string {
  const spaced = name.replace(REFUSED, `$&${HAIR_SPACE}`)
  const long = spaced.length === 1 ? spaced + INVISIBLE : spaced
  const cut = long.slice(0, MAX_PROXY_NAME)
  return HALF_PAIR_AT_END.test(cut) ? cut.slice(0, -1) : cut
}

const HAIR_SPACE = '\u200A'
const INVISIBLE = '\u17B5'
const MARK = HAIR_SPACE + INVISIBLE
/** The first letter of what is refused; the space goes behind it. */
const REFUSED = /c(?=lyde)|d(?=iscord)|^h(?=ere$)|^e(?=veryone$)|`(?=``)/gi
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/
