import { type ImportPart, importParts, type Part, parts, type Tally } from '../../model/transfer'

/** Report of an import or of its dry run. */

export interface Repair {
  readonly kind: string
  readonly name: string | null
  readonly id?: string
  readonly field: string
  readonly was?: unknown
  readonly now?: unknown
  readonly why: string
  readonly left_out?: number
}

export interface Report extends Readonly<Record<Part, Tally>> {
  readonly format: 'pluralkit' | 'tupperbox' | 'simplyplural'
  readonly dry_run: boolean
  readonly repairs: readonly Repair[]
  readonly renamed: readonly { kind: string; name: string | null; from: string; to: string }[]
  readonly accounts: readonly { id: string; linked: boolean; why: string }[]
  readonly kept: Readonly<Record<string, number>>
  readonly skipped: Readonly<Record<string, number>>
}

/** Returns true if the import adds and changes nothing. */
export function isSame(report: Report): boolean {
  return parts.every((part) => report[part].added + report[part].changed === 0)
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
  const of = (which: 'file' | 'repaired' | 'dropped' | 'leftOut') => sorted.get(which) ?? []
  return {
    file: of('file'),
    repaired: of('repaired'),
    dropped: of('dropped'),
    leftOut: of('leftOut'),
  }
}

/** Builds the query of an import. Without `only` the server imports everything in the file. */
export function importQuery(given: {
  isDryRun: boolean
  parts: ReadonlySet<ImportPart>
  isPublic: boolean
  isPrivate: boolean
}): string {
  const query = new URLSearchParams()
  if (given.isDryRun) query.set('dry_run', 'true')
  if (given.parts.size < importParts.length) query.set('only', [...given.parts].join())
  if (given.isPublic) query.set('public', 'true')
  if (given.isPrivate) query.set('private', 'true')
  return query.toString()
}
