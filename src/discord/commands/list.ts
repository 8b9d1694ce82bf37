import { escapeMarkdown, escapeMaskedLinks, formatCodeSpan } from '../messages/escape'
import type { Texts } from '../text/texts'
import type { Answer } from './answer'
import { paginate } from './ask'
import { formatBirthday, formatTag } from './cards/cards'
import { buildEmbed, formatTime, shorten } from './cards/embed'
import { formatListId, type IdStyle } from './cards/formatShortId'
import type { Context } from './context'
import { Refusal } from './refusal'
import type { GroupView, MemberView } from './views'

const SHORT_PER_PAGE = 25
const FULL_PER_PAGE = 5
const MAX_DESCRIPTION_IN_LIST = 500

/** A row of a list: a member, or a group with the values that it lacks left out. */
export type Listed = Pick<
  MemberView,
  'id' | 'name' | 'display_name' | 'description' | 'created' | 'privacy'
> &
  Partial<MemberView> &
  Partial<Pick<GroupView, 'icon'>> & { readonly lastFront?: LastFront }

/** End of the last time in front, in microseconds; `now` for a current fronter. */
export type LastFront = number | 'now'

/** A value of rows that flags sort by or show. */
interface Column {
  readonly by?: readonly string[]
  readonly with?: readonly string[]
  readonly label: keyof Texts['labels']
  readonly isInFull?: boolean
  /** Rows without a value are last. */
  readonly value: (row: Listed) => string | number | null | undefined
  readonly isDescending?: boolean
  /** Formats the value; without it, the value is shown as typed. */
  readonly format?: (row: Listed, texts: Texts) => string | null | undefined
}

const lastFronted: Column = {
  by: ['by-last-fronted', 'by-last-front', 'by-last-switch', 'blf', 'bls'],
  with: ['with-last-switch', 'with-last-fronted', 'with-last-front', 'wls', 'wlf'],
  label: 'lastFronted',
  value: ({ lastFront }) => (lastFront === 'now' ? Infinity : lastFront),
  isDescending: true,
  format: ({ lastFront }, texts) =>
    typeof lastFront === 'number'
      ? `<t:${Math.floor(lastFront / 1_000_000)}:R>`
      : lastFront && texts.now,
}

/** Values that lists are sorted by or show, with all flags of PluralKit. */
const columns: readonly Column[] = [
  { by: ['by-name', 'bn'], label: 'name', value: ({ name }) => name },
  { by: ['by-id', 'bid'], label: 'id', value: ({ id }) => id },
  {
    by: ['by-display-name', 'bdn'],
    with: ['with-display-name', 'with-displayname', 'wdn'],
    label: 'displayName',
    isInFull: true,
    value: ({ display_name }) => display_name,
  },
  {
    with: ['with-pronouns', 'wp', 'wprns'],
    label: 'pronouns',
    isInFull: true,
    value: ({ pronouns }) => pronouns,
  },
  {
    by: ['by-birthday', 'by-birthdate', 'bbd'],
    with: ['with-birthday', 'wbd', 'wb'],
    label: 'birthday',
    isInFull: true,
    value: ({ birthday }) => birthday?.slice(5),
    format: ({ birthday = null }) => formatBirthday(birthday),
  },
  {
    by: ['by-message-count', 'bmc'],
    with: ['with-message-count', 'wmc'],
    label: 'messageCount',
    isInFull: true,
    value: ({ message_count }) => message_count,
    isDescending: true,
  },
  {
    by: ['by-created', 'bc', 'bcd'],
    with: ['with-created', 'wc'],
    label: 'created',
    value: ({ created }) => created,
    format: ({ created }) => formatTime(created, 'D'),
  },
  lastFronted,
  {
    by: ['by-last-message', 'blm', 'blp'],
    with: ['with-last-message', 'with-last-proxy', 'wlm', 'wlp'],
    label: 'lastMessage',
    value: ({ last_message_timestamp }) => last_message_timestamp,
    isDescending: true,
    format: ({ last_message_timestamp = null }) => formatTime(last_message_timestamp, 'R'),
  },
  {
    with: ['with-avatar', 'with-image', 'with-icon', 'wa', 'wi', 'ia', 'ii', 'img'],
    label: 'avatar',
    value: ({ avatar_url, icon }) => avatar_url ?? icon,
    format: ({ avatar_url, icon }) => (avatar_url ?? icon) && `<${avatar_url ?? icon}>`,
  },
]

const FULL = ['full', 'f']
const REVERSE = ['reverse', 'rev', 'r']
const RANDOM = ['random', 'rand']
const ALL = ['all', 'a']
const PRIVATE_ONLY = ['private-only', 'po']
const IN_DESCRIPTION = [
  'search-description',
  'filter-description',
  'in-description',
  'sd',
  'description',
  'desc',
]

/** Names of the flags of a list, each with its other forms. */
export const listFlags: readonly string[] = [
  ...columns.flatMap(({ by, with: added }) => [by ?? [], added ?? []]),
  ...[FULL, REVERSE, RANDOM, ALL, PRIVATE_ONLY, IN_DESCRIPTION],
  ...[
    ['public', 'pub'],
    ['private', 'priv'],
  ],
]
  .filter((forms) => forms.length > 0)
  .map((forms) => forms.join('|'))

/** Orders of a list, without the `by-` of their flags. */
export const listOrders: readonly string[] = columns.flatMap(({ by: [first] = [] }) =>
  first === undefined ? [] : [first.replace('by-', '')],
)

export interface ListOptions {
  readonly title: string
  /** Text that is searched; the word `full` may precede it. */
  readonly term: string | undefined
  readonly flags: ReadonlySet<string>
  readonly ids: IdStyle
  readonly color?: string | null
  /** All rows of the own system are listed, and private ones are left out only by a flag. */
  readonly showsAll: boolean
  /** Reads the last times in front by ID, only if a flag asks for them. */
  readonly readLastFronts: () => Promise<ReadonlyMap<string, LastFront>>
}

/** Filters, sorts and shows a list of members or groups. */
export async function listRows(
  context: Context,
  all: readonly Listed[],
  options: ListOptions,
): Promise<Answer> {
  const { texts } = context
  const { flags, title, ids, color, readLastFronts } = options
  const has = ([name]: readonly string[] = []) => name !== undefined && flags.has(name)
  const [, full, rest] =
    /^((?:f|full|big|details|long)(?=\s|$))?\s*(.*)$/is.exec(options.term ?? '') ?? []
  const term = rest === '' ? undefined : rest
  const isFull = has(FULL) || full !== undefined
  const orders = columns.filter(({ by }) => has(by))
  if (orders.length + Number(has(RANDOM)) > 1) throw new Refusal(texts.oneOrder)
  const added = columns.filter((column) => has(column.with) || orders.includes(column))
  const times = added.includes(lastFronted) ? await readLastFronts() : null
  const listed = times ? all.map((row) => withLastFront(row, times.get(row.id))) : all
  const matches = listed.filter((row) => isFound(row, term, has(IN_DESCRIPTION)) && isShown(row))
  const rows = has(RANDOM) ? shuffle(matches) : sortRows(matches, orders[0], has(REVERSE))
  const order = has(RANDOM) ? texts.randomOrder : texts.labels[orders[0]?.label ?? 'name']
  const perPage = isFull ? FULL_PER_PAGE : SHORT_PER_PAGE
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const hiddenCount = term === undefined ? all.length - rows.length : 0
  const render = (page: number): Answer => {
    const shown = rows.slice(page * perPage, (page + 1) * perPage)
    const lines = shown.map((row) =>
      isFull ? fullRow(texts, row, ids, added) : shortRow(texts, row, ids, added),
    )
    return {
      embeds: [
        buildEmbed({
          title: term === undefined ? title : texts.listSearch(title, term),
          color: color ?? null,
          description:
            lines.join(isFull ? '\n\n' : '\n') ||
            (term === undefined ? texts.listEmpty : texts.noMatch(escapeMarkdown(term))),
          footer: texts.listFooter(page + 1, pages, rows.length, hiddenCount, order),
        }),
      ],
    }
  }
  return { ...paginate(context, pages, render), isPublic: flags.has('public') }

  function isShown({ privacy }: Listed): boolean {
    const isPrivate = privacy?.visibility === 'private'
    return has(PRIVATE_ONLY) ? isPrivate : !isPrivate || options.showsAll || has(ALL)
  }
}

function withLastFront(row: Listed, lastFront: LastFront | undefined): Listed {
  return lastFront === undefined ? row : { ...row, lastFront }
}

function isFound(row: Listed, term: string | undefined, inDescription: boolean): boolean {
  if (term === undefined) return true
  const texts = [row.name, row.display_name, ...(inDescription ? [row.description] : [])]
  return texts.some((text) => text?.toLowerCase().includes(term.toLowerCase()))
}

/** Sorts by a value, then by name. */
function sortRows(rows: readonly Listed[], column: Column | undefined, isReverse: boolean) {
  const direction = (column?.isDescending ?? false) === isReverse ? 1 : -1
  const value = column?.value ?? (({ name }: Listed) => name)
  return rows.toSorted((row, other) => {
    const [first, second] = [value(row) ?? '', value(other) ?? '']
    const isEmpty = Number(first === '') - Number(second === '')
    return isEmpty || direction * compare(first, second) || compare(row.name, other.name)
  })
}

function compare(value: string | number, other: string | number): number {
  if (typeof value === 'number' && typeof other === 'number')
    return value === other ? 0 : value - other
  return String(value).localeCompare(String(other), 'en', { sensitivity: 'base' })
}

function shuffle(ordered: readonly Listed[]): Listed[] {
  const rows = [...ordered]
  for (let index = rows.length - 1; index > 0; index--) {
    const otherIndex = Math.floor(Math.random() * (index + 1))
    const [row, otherRow] = [rows[index], rows[otherIndex]]
    if (row && otherRow) [rows[index], rows[otherIndex]] = [otherRow, row]
  }
  return rows
}

/** Formats the values of columns, each with its label; empty ones are left out. */
function valuesOf(texts: Texts, row: Listed, shown: readonly Column[]): string[] {
  return shown.flatMap(({ label, value, format }) => {
    const text = format ? format(row, texts) : escapeMarkdown(String(value(row) ?? ''))
    return text ? texts.labelled(texts.labels[label], text) : []
  })
}

const isNamed = ({ label }: Column) => label === 'name' || label === 'id'

function shortRow(texts: Texts, row: Listed, ids: IdStyle, added: readonly Column[]): string {
  const tags = tagsOf(row)
  const extra = valuesOf(
    texts,
    row,
    added.filter((column) => !isNamed(column)),
  )
  const parts = [tags, ...extra].filter((part) => part !== '')
  const name = escapeMarkdown(shorten(row.name, 60))
  const id = formatCodeSpan(formatListId(row.id, ids))
  return shorten(`${id} **${name}**${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`, 150)
}

function fullRow(texts: Texts, row: Listed, ids: IdStyle, added: readonly Column[]): string {
  const shown = columns.filter(
    (column) => column.isInFull || (added.includes(column) && !isNamed(column)),
  )
  const tags = tagsOf(row)
  const description = row.description
    ? [escapeMaskedLinks(shorten(row.description, MAX_DESCRIPTION_IN_LIST))]
    : []
  const head = `**${escapeMarkdown(row.name)}** (${formatCodeSpan(formatListId(row.id, ids))})`
  const values = valuesOf(texts, row, shown)
  if (tags !== '') values.push(texts.labelled(texts.labels.proxyTags, tags))
  return shorten([head, ...values, ...description].join('\n'), 790)
}

function tagsOf({ proxy_tags = [] }: Listed): string {
  return proxy_tags.map((tag) => formatTag(tag)).join(', ')
}
