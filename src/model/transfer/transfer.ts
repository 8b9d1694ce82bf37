/** Parts of a file that can be imported separately. */
export const importParts = ['members', 'groups', 'switches'] as const

/** Lists that a partial export has on request only. */
export const exportLists = ['notes', 'posts', 'polls', 'reminders', 'buckets'] as const
export type ExportList = (typeof exportLists)[number]

/** Further parts, which the files of PluralKit do not have. Front notes belong to `switches`. */
export const extImportParts = ['fields', ...exportLists] as const

/** Formats of an export of a whole system. */
export const exportFormats = ['pluralkit', 'pluralport'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const allImportParts = [...importParts, ...extImportParts] as const
export type ImportPart = (typeof allImportParts)[number]

/** Results of an import; a refused one found too many others. */
export const importResults = ['done', 'failed', 'refused'] as const
export type ImportResult = (typeof importResults)[number]

/** Kinds of rows that are counted in a file. */
export const parts = ['members', 'groups', 'memberships', 'switches'] as const
export type Part = (typeof parts)[number]

/** Kinds of rows of the extension API, in the order in which they are imported. */
export const extParts = [
  'fields',
  'values',
  'front_notes',
  'notes',
  'rooms',
  'posts',
  'polls',
  'votes',
  'reminders',
  'buckets',
] as const
export type ExtPart = (typeof extParts)[number]

/** Builds a record with a value for each kind of rows of the extension API. */
export function forEachExtPart<T>(build: (part: ExtPart) => T): Record<ExtPart, T> {
  return Object.fromEntries(extParts.map((part) => [part, build(part)])) as Record<ExtPart, T>
}

/** Import results for one kind of rows. */
export interface Tally {
  added: number
  changed: number
  unchanged: number
  left_out: number
}
