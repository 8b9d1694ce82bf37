import type { BundleGroup, BundleMember, Format, Repair } from '../../formats/bundle'
import type { BundleHead } from '../../formats/chunks'
import type { Group } from '../../model/group'
import type { Member } from '../../model/member'
import { type ImportPart, type Part, parts, type Tally } from '../../model/transfer'
import { createYielder } from '../cooperative'
import type { Deps } from '../deps'
import { beginStaging, type Staging } from './staging'

export interface ImportOptions {
  dryRun: boolean
  /** Only these of the file; everything when null. */
  only: ReadonlySet<ImportPart> | null
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  isPublic: boolean
  /** Accounts that somebody vouches for: those of them that the file names are linked. */
  link: 'all' | ReadonlySet<string>
  /** Whether a new system may be made of a file whose system is here already. */
  allowsCopy?: boolean
  /** Called now and then with how much of the work is done. */
  onProgress?: (done: number, total: number) => void
}

export interface ImportReport extends Record<Part, Tally> {
  format: Format
  dry_run: boolean
  /** Short ID of the system; empty for a new one in a dry run. */
  system: string
  /** Of a system that the import made; shown this once. */
  token?: string
  repairs: Repair[]
  /** Old and new, where an ID was not free here; what a dry run would draw is not known yet. */
  renamed: { kind: string; name: string | null; from: string; to: string }[]
  accounts: { id: string; linked: boolean; why: string }[]
  kept: Record<string, number>
  skipped: Record<string, number>
}

export interface MatchedEntities {
  members: Match<BundleMember, Member>[]
  groups: Match<BundleGroup, Group>[]
}

export interface Match<I, R> {
  incoming: I
  /** Null for a new one. */
  found: R | null
}

/** One import under way. */
export interface Import {
  readonly deps: Deps
  /** Null while it is to be a new one. */
  readonly systemId: number | null
  readonly options: ImportOptions
  readonly head: BundleHead
  readonly members: BundleMember[]
  readonly groups: BundleGroup[]
  readonly report: ImportReport
  /** Which row here each of the file's members and groups means. */
  matched: MatchedEntities
  /** The row of each key of the file's members, here or where it waits. */
  readonly memberIds: Map<string, number>
  /** The same of new groups. */
  readonly groupIds: Map<string, number>
  /** The tags of everybody, as their keys were written beside those in force; if they were many. */
  writtenTags: ReadonlyMap<number, string> | null
  /** How many more switches the system may have. */
  readonly switchCapacity: number
  /** Where its rows are written to, begun with the first of them. */
  staging(): Promise<Staging>
  /** What was begun so far. */
  readonly begun: Staging | null
  /** So many more rows are done. Lets others have their turn now and then. */
  step(rows?: number): Promise<void>
}

export function createImport(
  deps: Deps,
  systemId: number | null,
  head: BundleHead,
  options: ImportOptions,
  switchCapacity: number,
): Import {
  let begun: Promise<Staging> | undefined
  let staging: Staging | null = null
  return {
    deps,
    systemId,
    options,
    head,
    members: [],
    groups: [],
    report: emptyReport(head, options),
    matched: { members: [], groups: [] },
    memberIds: new Map(),
    groupIds: new Map(),
    writtenTags: null,
    switchCapacity,
    async staging() {
      begun ??= beginStaging(deps, systemId)
      staging = await begun
      return staging
    },
    get begun() {
      return staging
    },
    step: steps(head, options),
  }
}

/** Counts what is done; between two rows others have their turn. */
function steps({ counts }: BundleHead, { only, onProgress }: ImportOptions): Import['step'] {
  const { members, groups, switches, kept } = counts
  const total = members + groups + switches + (only === null ? kept : 0)
  const yieldIfDue = createYielder()
  let done = 0
  return async (rows = 1) => {
    done += rows
    if ((await yieldIfDue()) || (rows > 0 && done === total)) onProgress?.(done, total)
  }
}

function emptyReport(head: BundleHead, { dryRun }: ImportOptions): ImportReport {
  const tallies = parts.map((part) => [
    part,
    { added: 0, changed: 0, unchanged: 0, left_out: head.leftOut[part] },
  ])
  return {
    format: head.format,
    dry_run: dryRun,
    system: '',
    ...Object.fromEntries(tallies),
    repairs: [...head.repairs],
    renamed: [],
    accounts: [],
    kept: {},
    skipped: { ...head.skipped },
  }
}
