import { computed } from '@preact/signals'
import { type Instant, parseInstant } from '../../../model/core/time'
import { isCustomFront, type Member } from '../../api/types'
import { formatter } from '../../core/appearance'
import { errorText, LIMIT_REACHED } from '../../core/errorText'
import { displayName, front, members, membersById } from '../../core/store'
import { now } from '../../lib/clock'
import { type Block, type Inline, parseMarkdown } from '../../lib/markdown'
import { formatAgo } from '../../lib/time'
import { journalStrings, strings } from '../../texts/texts'

/** The board of the whole system, where a member would be named. */
export const SYSTEM_BOARD = '@system'

const membersByUuid = computed(() => new Map(members.value.map((member) => [member.uuid, member])))

export function findMember(uuid: string | null): Member | undefined {
  return uuid === null ? undefined : membersByUuid.value.get(uuid)
}

/** Returns the name of an author or owner; `without` if there is none. */
export function nameOfAuthor(
  uuid: string | null,
  authorName: string | null,
  without: string,
): string {
  const member = findMember(uuid)
  if (member) return displayName(member)
  return authorName === null ? without : journalStrings.deletedAuthor(authorName)
}

/** Returns the UUID of the first fronter who can write; '' if there is none. */
export function firstWriter(): string {
  const fronters = (front.value?.members ?? []).flatMap((id) => membersById.value.get(id) ?? [])
  return fronters.find((member) => !isCustomFront(member))?.uuid ?? ''
}

export function explain(cause: unknown): string {
  const { limitReached, voteWasClosed } = journalStrings
  return errorText({ [LIMIT_REACHED]: limitReached, 49002: voteWasClosed })(cause)
}

/** Formats a time that may be in any year. */
export function formatMoment(at: Instant): string {
  return `${formatter.value.date(at)}, ${formatter.value.time(at)}`
}

/** Formats a time as clock time and as time ago. */
export function describeTime(time: string | null): string {
  const at = parseInstant(time ?? '') ?? now.value
  return [formatter.value.moment(at, now.value), formatAgo(now.value - at)].join(' · ')
}

/** Returns the beginning of a text without its markup, and without what spoilers hide. */
export function excerptOf(text: string, length: number): string {
  const plain = parseMarkdown(text).map(blockText).join(' ').replace(/\s+/g, ' ').trim()
  const characters = [...plain]
  return characters.length <= length ? plain : `${characters.slice(0, length).join('').trimEnd()}…`
}

function blockText(block: Block): string {
  if (block.kind === 'code') return block.text
  if (block.kind === 'quote') return block.inside.map(blockText).join(' ')
  if (block.kind !== 'list') return inlineText(block.inside)
  return block.items
    .map(({ inside, children }) => [inlineText(inside), ...children.map(blockText)].join(' '))
    .join(' ')
}

function inlineText(inside: readonly Inline[]): string {
  return inside
    .map((inline) => {
      if (inline.kind === 'spoiler') return strings.spoiler
      if (inline.kind === 'break') return ' '
      if (inline.kind === 'emoji') return inline.name
      return 'inside' in inline ? inlineText(inline.inside) : inline.text
    })
    .join('')
}
