/** Code blocks and code spans, in which Discord does not recognize links. */
const CODE = /```[\s\S]*?```|(?<ticks>`{1,2})(?!`)[\s\S]*?[^`]\k<ticks>(?!`)/
const SUPPRESSED = /<https?:\/\/[^\s<>]+>/
/** A spoiler mark ends a link. */
const LINK = /https?:\/\/(?:(?!\|\|)[^\s<>])+/
const TOKENS = new RegExp(`${CODE.source}|${SUPPRESSED.source}|(?<link>${LINK.source})`, 'gi')

/**
 * Wraps bare links in `<…>`, which makes Discord show no preview. Used for authors without Embed
 * Links, because webhooks always have that permission. The text may exceed 2,000 characters then.
 */
export function suppressLinkPreviews(content: string): string {
  return content.replace(TOKENS, (token, ...groups) => {
    const { link }: { link?: string } = groups.at(-1)
    if (link === undefined) return token
    const address = withoutTrailingPunctuation(link)
    return `<${address}>${link.slice(address.length)}`
  })
}

/** Removes what Discord does not count as part of a link, such as the parenthesis of a masked link. */
function withoutTrailingPunctuation(link: string): string {
  const trimmed = link.replace(/[.,:;"'*_~\]]+$/, '')
  const count = (sign: string) => trimmed.split(sign).length
  const isUnbalanced = trimmed.endsWith(')') && count(')') > count('(')
  if (isUnbalanced) return withoutTrailingPunctuation(trimmed.slice(0, -1))
  return trimmed
}
