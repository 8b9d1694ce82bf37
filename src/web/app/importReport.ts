import { type ImportPart, importParts, type Part, parts, type Tally } from '../../model/transfer'

/** What an import did, or would do. */

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

/** Whether nothing is new and nothing differs. */
export function isSame(report: Report): boolean {
  return parts.every((part) => report[part].added + report[part].changed === 0)
}

export function isEmpty({ added, changed, unchanged, left_out }: Tally): boolean {
  return added + changed + unchanged + left_out === 0
}

/** What concerns all of the file, values mended, values dropped, rows that did not come in. */
export function sortRepairs(repairs: readonly Repair[]) {
  const sorted = Map.groupBy(repairs, ({ kind, left_out, now }) => {
    if (kind === 'file') return 'file'
    if (left_out !== undefined) return 'leftOut'
    return now === null || now === undefined ? 'dropped' : 'mended'
  })
  const of = (which: 'file' | 'mended' | 'dropped' | 'leftOut') => sorted.get(which) ?? []
  return { file: of('file'), mended: of('mended'), dropped: of('dropped'), leftOut: of('leftOut') }
}

/** `frontStatuses` in words: "front statuses". */
export function nameCollection(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

/** The query of an import: without `only`, everything that the file has comes along. */
export function importQuery(given: {
  isDryRun: boolean
  parts: ReadonlySet<ImportPart>
  isPublic: boolean
}): string {
  const query = new URLSearchParams()
  if (given.isDryRun) query.set('dry_run', 'true')
  if (given.parts.size < importParts.length) query.set('only', [...given.parts].join())
  if (given.isPublic) query.set('public', 'true')
  return query.toString()
}
