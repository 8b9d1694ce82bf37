/** Characters of a long text that lists show. */
export const EXCERPT_LENGTH = 300

/** Cuts a text, but not between the two halves of a character. */
export function excerptOf(text: string): string {
  const cut = text.slice(0, EXCERPT_LENGTH)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
