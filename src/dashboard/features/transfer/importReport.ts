import type { ReasonCode, ReportedReason } from '../../../model/core/reasonMessages'
import {
  type ExtPart,
  extImportParts,
  extParts,
  type ImportPart,
  importParts,
  type Part,
  parts,
  type Tally,
} from '../../../model/transfer/transfer'

/** Report of an import or of its dry run. */

export interface Repair extends ReportedReason {
  readonly kind: string
  readonly name: string | null
  readonly id?: string
  readonly field: string
  readonly was?: unknown
  readonly now?: unknown
  readonly left_out?: number
}

export interface Report extends Readonly<Record<Part, Tally>> {
  readonly format: 'pluralkit' | 'tupperbox' | 'simplyplural' | 'pluralport'
  readonly dry_run: boolean
  /** Rows of the extension API, if the file has any. */
  readonly ext?: Readonly<Record<ExtPart, Tally>>
  readonly repairs: readonly Repair[]
  readonly renamed: readonly { kind: string; name: string | null; from: string; to: string }[]
  readonly accounts: readonly ({ id: string; linked: boolean } & ReportedReason)[]
  readonly kept: Readonly<Record<string, number>>
  readonly skipped: Readonly<Record<string, number>>
}

/** Returns true if the import adds and changes nothing. */
export function isSame(report: Report): boolean {
  const isSameTally = ({ added, changed }: Tally) => added + changed === 0
  const { ext } = report
  return (
    parts.every((part) => isSameTally(report[part])) &&
    (!ext || extParts.every((part) => isSameTally(ext[part])))
  )
}

/** Kinds of rows in the order of a report: each of the parts that can be chosen, with its rows. */
const listed: readonly (Part | ExtPart)[] = [
  ...parts,
  'front_notes',
  ...extParts.filter((part) => part !== 'front_notes'),
]

/** Kinds of rows that a report lists, with their counts. */
export function talliesOf(report: Report): [part: Part | ExtPart, tally: Tally][] {
  const tallies: Partial<Record<Part | ExtPart, Tally>> = { ...report.ext, ...report }
  return listed.flatMap((part): [Part | ExtPart, Tally][] => {
    const tally = tallies[part]
    const isInEveryFile = importParts.some((importPart) => importPart === part)
    return tally && (isInEveryFile || !isEmpty(tally)) ? [[part, tally]] : []
  })
}

/** Parts that can be chosen: those of every file, and those of the extension API that it has. */
export function partsIn({ ext }: Report): ImportPart[] {
  return [...importParts, ...extImportParts.filter((part) => ext && !isEmpty(ext[part]))]
}

export function isEmpty({ added, changed, unchanged, left_out }: Tally): boolean {
  return added + changed + unchanged + left_out === 0
}

/** Groups repairs: about the whole file, values repaired, values dropped, rows left out. */
export function sortRepairs(repairs: readonly Repair[]) {
  const sorted = Map.groupBy(repairs, ({ kind, left_out, now }) => {
    if (kind === 'file') return 'file'
    if (left_out !== undefined) return 'leftOut'
    return now === null || now === undefined ? 'dropped' : 'repaired'
  })
  const listOf = (which: 'file' | 'repaired' | 'dropped' | 'leftOut') => sorted.get(which) ?? []
  return {
    file: listOf('file'),
    repaired: listOf('repaired'),
    dropped: listOf('dropped'),
    leftOut: listOf('leftOut'),
  }
}

const withoutRoom: readonly ReasonCode[] = [
  'no_space_for_text',
  'no_space_for_pictures',
  'above_limit',
]

/** Counts the rows and texts that found no room here. */
export function countWithoutRoom(repairs: readonly Repair[]): number {
  return repairs
    .filter(({ code }) => withoutRoom.includes(code))
    .reduce((sum, { left_out = 1 }) => sum + left_out, 0)
}

/** Builds the query of an import. Without `only` the server imports everything in the file. */
export function importQuery(options: {
  isDryRun: boolean
  parts: readonly ImportPart[]
  /** True if `parts` are all parts of the file. */
  isWhole: boolean
  isPublic: boolean
  isPrivate: boolean
}): string {
  const query = new URLSearchParams()
  if (options.isDryRun) query.set('dry_run', 'true')
  if (!options.isWhole) query.set('only', options.parts.join())
  if (options.isPublic) query.set('public', 'true')
  if (options.isPrivate) query.set('private', 'true')
  return query.toString()
}
