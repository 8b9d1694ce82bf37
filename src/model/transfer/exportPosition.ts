import type { Instant } from '../core/time'
import { extParts } from './transfer'

/** Lists of the extension API in the order of an export. Votes are in their polls. */
export const extLists = [
  'members',
  'groups',
  ...extParts.filter((part) => part !== 'votes'),
  'origins',
] as const
type ExtList = (typeof extLists)[number]

/** Lists with few rows, which the rows of the others refer to. */
const shortLists = ['groups', 'fields', 'rooms'] as const

export type LongList = Exclude<ExtList, (typeof shortLists)[number]>

export const longLists = extLists.filter(
  (name): name is LongList => !shortLists.some((short) => short === name),
)

/** Where a part of an export begins, so that it is read without the parts before it. */
export interface ExportPosition {
  /** Number of the part, from 2. */
  readonly part: number
  /** Time before which its switches are; null after the last part with switches. */
  readonly switches: Instant | null
  readonly lists: ListPosition | null
}

/** Where a part with long lists begins: in the first of them, after a row. */
export interface ListPosition {
  readonly lists: readonly LongList[]
  readonly after: RowKey | null
}

/** Values of a row that its list continues after. */
export type RowKey = readonly (string | number)[]

/** Formats a position as text for a link to its part. */
export function formatExportPosition({ switches, lists }: ExportPosition): string {
  const values = [switches, lists?.lists ?? null, lists?.after ?? null]
  // A query with brackets and commas would be read as a list.
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** Parses the text of a link to a part; null if it is not one. */
export function parseExportPosition(part: number, text: string): ExportPosition | null {
  const [switches, lists, after, ...more] = parseValues(text)
  if (more.length > 0 || (switches === null && lists === null)) return null
  if (switches !== null && !Number.isSafeInteger(switches)) return null
  if (lists !== null && !(Array.isArray(lists) && lists.length > 0 && lists.every(isLongList)))
    return null
  if (after !== null && !(Array.isArray(after) && after.every(isKeyValue))) return null
  return { part, switches: switches as Instant | null, lists: lists && { lists, after } }
}

function parseValues(text: string): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(values) ? values : []
  } catch {
    return []
  }
}

function isLongList(name: unknown): name is LongList {
  return longLists.some((list) => list === name)
}

function isKeyValue(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
