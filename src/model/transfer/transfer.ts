import { listsInFile, type OwnedList, ownedKind, type ownedKinds } from '../ownedKinds'

/** Parts of a file that can be imported separately. */
export const importParts = ['members', 'groups', 'switches'] as const

/** Lists that a partial export has on request only. */
export const exportLists = [
  ...new Set(listsInFile.map((list): string => ownedKind(list).importPart)),
].filter((part): part is ExportList => part !== 'fields' && part !== 'switches')
export type ExportList = Exclude<OwnedFacts['importPart'], 'fields' | 'switches'>

type OwnedFacts = (typeof ownedKinds)[OwnedList]

/** Further parts, which the files of PluralKit do not have. Front notes belong to `switches`. */
export const extImportParts: readonly ('fields' | ExportList)[] = ['fields', ...exportLists]

/** Formats of an export of a whole system. */
export const exportFormats = ['pluralkit', 'pluralport'] as const
export type ExportFormat = (typeof exportFormats)[number]

export type ImportPart = (typeof importParts)[number] | (typeof extImportParts)[number]
export const allImportParts: readonly ImportPart[] = [...importParts, ...extImportParts]

/** Results of an import; a refused one found too many others. */
export const importResults = ['done', 'failed', 'refused'] as const
export type ImportResult = (typeof importResults)[number]

/** Kinds of rows that are counted in a file. */
export const parts = ['members', 'groups', 'memberships', 'switches'] as const
export type Part = (typeof parts)[number]

/** Kinds of rows of the extension API in the order of a file, each followed by what belongs to it. */
export type ExtPart = OwnedList | 'values' | 'votes'
export const extParts: readonly ExtPart[] = listsInFile.flatMap((list): ExtPart[] => {
  if (list === 'fields') return ['fields', 'values']
  return list === 'polls' ? ['polls', 'votes'] : [list]
})

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
