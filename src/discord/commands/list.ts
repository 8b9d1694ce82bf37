import { escapeMarkdown, formatCodeSpan } from '../messages/escape'
import type { Answer } from './answer'
import { paginate } from './ask'
import { formatBirthday, formatTag } from './cards/cards'
import { buildEmbed, formatTime, shorten } from './cards/embed'
import { formatListId, type IdStyle } from './cards/formatShortId'
import type { Context } from './context'
import type { MemberView } from './views'

const SHORT_PER_PAGE = 25
const FULL_PER_PAGE = 5
const MAX_DESCRIPTION_IN_LIST = 500

/** A row of a list: a member, or a group with the values that it lacks left out. */
export type Listed = Pick<
  MemberView,
  'id' | 'name' | 'display_name' | 'description' | 'created' | 'privacy'
> &
  Partial<MemberView>

type Compare = (one: Listed, other: Listed) => number

const byText =
  (of: (row: Listed) => string | null | undefined): Compare =>
  (one, other) =>
    (of(one) ?? '').localeCompare(of(other) ?? '', 'en', { sensitivity: 'base' })

/** Orders rows without a value last. */
const newestFirst =
  (of: (row: Listed) => string | null | undefined): Compare =>
  (one, other) =>
    (of(other) ?? '').localeCompare(of(one) ?? '')

const byName = byText(({ name }) => name)

/** Flags that sort a list, with their short forms. */
const sorts: Readonly<Record<string, Compare>> = {
  'by-name': byName,
  bn: byName,
  'by-display-name': byText(({ display_name, name }) => display_name ?? name),
  bdn: byText(({ display_name, name }) => display_name ?? name),
  'by-id': byText(({ id }) => id),
  bid: byText(({ id }) => id),
  'by-message-count': (one, other) => (other.message_count ?? -1) - (one.message_count ?? -1),
  bmc: (one, other) => (other.message_count ?? -1) - (one.message_count ?? -1),
  'by-created': newestFirst(({ created }) => created),
  bc: newestFirst(({ created }) => created),
  'by-last-message': newestFirst(({ last_message_timestamp }) => last_message_timestamp),
  blm: newestFirst(({ last_message_timestamp }) => last_message_timestamp),
  'by-birthday': byText(({ birthday }) => birthday?.slice(5) ?? '~'),
  bbd: byText(({ birthday }) => birthday?.slice(5) ?? '~'),
}

/** Flags that add a value to each row. */
const additions: Readonly<Record<string, (row: Listed) => string | null | undefined>> = {
  'with-message-count': ({ message_count }) => message_count?.toString(),
  wmc: ({ message_count }) => message_count?.toString(),
  'with-created': ({ created }) => formatTime(created, 'D'),
  wc: ({ created }) => formatTime(created, 'D'),
  'with-last-message': ({ last_message_timestamp = null }) =>
    formatTime(last_message_timestamp, 'R'),
  wlm: ({ last_message_timestamp = null }) => formatTime(last_message_timestamp, 'R'),
  'with-avatar': ({ avatar_url }) => avatar_url && `<${avatar_url}>`,
  wa: ({ avatar_url }) => avatar_url && `<${avatar_url}>`,
  'with-pronouns': ({ pronouns }) => pronouns && escapeMarkdown(pronouns),
  wp: ({ pronouns }) => pronouns && escapeMarkdown(pronouns),
  'with-display-name': ({ display_name }) => display_name && escapeMarkdown(display_name),
  wdn: ({ display_name }) => display_name && escapeMarkdown(display_name),
  'with-birthday': ({ birthday = null }) => formatBirthday(birthday),
  wbd: ({ birthday = null }) => formatBirthday(birthday),
}

const others = ['full', 'f', 'reverse', 'r', 'rev', 'random', 'search-description', 'sd'] as const
const filters = ['all', 'a', 'private-only', 'po', 'public', 'private'] as const

export const listFlags: readonly string[] = [
  ...Object.keys(sorts),
  ...Object.keys(additions),
  ...others,
  ...filters,
]

export interface ListOptions {
  readonly title: string
  readonly term: string | undefined
  readonly flags: ReadonlySet<string>
  readonly ids: IdStyle
  readonly color?: string | null
  /** All rows of the own system are listed, and private ones are left out only by a flag. */
  readonly showsAll: boolean
}

/** Filters, sorts and shows a list of members or groups. */
export function listRows(context: Context, all: readonly Listed[], options: ListOptions): Answer {
  const { texts } = context
  const { flags, term, title, ids, color } = options
  const rows = sortRows(filterRows(all, options), flags)
  const isFull = flags.has('full') || flags.has('f')
  const perPage = isFull ? FULL_PER_PAGE : SHORT_PER_PAGE
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const added = Object.keys(additions).filter((flag) => flags.has(flag))
  const hiddenCount = term === undefined ? all.length - rows.length : 0
  return paginate(context, pages, (page) => {
    const shown = rows.slice(page * perPage, (page + 1) * perPage)
    const lines = shown.map((row) =>
      isFull ? fullRow(context, row, ids) : shortRow(row, ids, added),
    )
    return {
      embeds: [
        buildEmbed({
          title,
          color: color ?? null,
          description: lines.join(isFull ? '\n\n' : '\n') || texts.listEmpty,
          footer: texts.listFooter(page + 1, pages, rows.length, hiddenCount),
        }),
      ],
    }
  })
}

function filterRows(all: readonly Listed[], { flags, term, showsAll }: ListOptions): Listed[] {
  const has = (...names: string[]) => names.some((name) => flags.has(name))
  const folded = term?.toLowerCase()
  return all.filter((row) => {
    const isPrivate = row.privacy?.visibility === 'private'
    if (has('private-only', 'po') ? !isPrivate : isPrivate && !showsAll && !has('all', 'a'))
      return false
    if (folded === undefined) return true
    const texts = has('search-description', 'sd') ? [row.description] : [row.name, row.display_name]
    return texts.some((text) => text?.toLowerCase().includes(folded))
  })
}

function sortRows(rows: readonly Listed[], flags: ReadonlySet<string>): Listed[] {
  const name = Object.keys(sorts).find((flag) => flags.has(flag)) ?? 'by-name'
  const sorted = rows.toSorted(sorts[name] ?? byName)
  if (flags.has('random')) shuffle(sorted)
  return ['reverse', 'rev', 'r'].some((flag) => flags.has(flag)) ? sorted.toReversed() : sorted
}

function shuffle(rows: Listed[]): void {
  for (let at = rows.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    const [one, two] = [rows[at], rows[other]]
    if (one && two) [rows[at], rows[other]] = [two, one]
  }
}

function shortRow(row: Listed, ids: IdStyle, added: readonly string[]): string {
  const tags = (row.proxy_tags ?? []).map((tag) => formatTag(tag)).join(', ')
  const extra = added.flatMap((flag) => additions[flag]?.(row) ?? [])
  const parts = [tags, ...extra].filter((part) => part !== '')
  const name = escapeMarkdown(shorten(row.name, 60))
  const id = formatCodeSpan(formatListId(row.id, ids))
  return shorten(`${id} **${name}**${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`, 150)
}

function fullRow({ texts }: Context, row: Listed, ids: IdStyle): string {
  const { labels } = texts
  const lines: [label: string, value: string | null | undefined][] = [
    [labels.displayName, row.display_name && escapeMarkdown(row.display_name)],
    [labels.pronouns, row.pronouns && escapeMarkdown(row.pronouns)],
    [labels.birthday, formatBirthday(row.birthday ?? null)],
    [labels.proxyTags, (row.proxy_tags ?? []).map((tag) => formatTag(tag)).join(', ')],
    [labels.messageCount, row.message_count?.toString()],
  ]
  const shown = lines.flatMap(([label, value]) => (value ? `${label}: ${value}` : []))
  const description = row.description
    ? [escapeMarkdown(shorten(row.description, MAX_DESCRIPTION_IN_LIST))]
    : []
  const head = `**${escapeMarkdown(row.name)}** (${formatCodeSpan(formatListId(row.id, ids))})`
  return shorten([head, ...shown, ...description].join('\n'), 790)
}
