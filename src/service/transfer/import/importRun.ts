import { createYielder } from '../../../db/yieldToEventLoop'
import { type Format, type Repair, subjectKinds } from '../../../formats/bundle'
import type { BundleHead } from '../../../formats/chunks'
import { type Reason, type ReportedReason, reportReason } from '../../../model/core/reasonMessages'
import { forEachOwned, type OwnedList } from '../../../model/ownedKinds'
import {
  type ExtPart,
  extParts,
  forEachExtPart,
  type ImportPart,
  type Part,
  parts,
  type Tally,
} from '../../../model/transfer/transfer'
import type { GivenIdentity } from '../../../store/core/identityRows'
import { getSystemById } from '../../../store/systems/systemRows'
import type { Staging } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { beginStaging } from '../../systems/staging'
import type { ImportedFile } from './importedFile'
import { type ImportSpace, spaceOf } from './importSpace'

/** Pictures beside a file, as an export writes them. */
export interface PictureFiles {
  /** Returns the bytes of the picture that an address names, or the reason why there are none. */
  read(name: string): Promise<Uint8Array | { readonly why: Reason }>
}

export interface ImportOptions {
  dryRun: boolean
  /** Parts of the file to import; null for all. */
  only: ReadonlySet<ImportPart> | null
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  isPublic: boolean
  /** Ignores the privacy levels of the file: its members and groups become private, and a new system. */
  isPrivate?: boolean
  /** Pictures beside the file, which its addresses name. */
  pictures?: PictureFiles
  /** Accounts that the caller vouches for. Those that the file names are linked. */
  link: 'all' | ReadonlySet<string>
  /** Account for which a bot creates the system. Without one, the operator creates it. */
  owner?: NewOwner
  /** True if rows of the archive are converted, which were never shared before. */
  isConversion?: boolean
  /** True to create a second copy if the system of the file exists already. */
  allowsCopy?: boolean
  /** Called repeatedly with the number of processed rows. */
  onProgress?: (done: number, total: number) => void
}

/** Account that a system is created for. */
export interface NewOwner {
  account: string
  /** Invite code of the operator, where one is required. */
  invite: string | null
}

export interface ImportReport extends Record<Part, Tally> {
  format: Format
  dry_run: boolean
  /** Short ID of the system; empty for a new one in a dry run. */
  system: string
  /** Token of a system that the import created. It is not stored. */
  token?: string
  /** Rows of the extension API, if the file has any. */
  ext?: Record<ExtPart, Tally>
  /** Distinct pictures, if the import has some beside the file. */
  pictures?: Omit<Tally, 'changed'>
  repairs: Repair[]
  /** Old and new IDs, where an ID was not free. A dry run does not know the new ones. */
  renamed: { kind: string; name: string | null; from: string; to: string }[]
  accounts: ({ id: string; linked: boolean } & ReportedReason)[]
  kept: Record<string, number>
  skipped: Record<string, number>
}

/** What the steps of an import share. Everything else is the state of one step. */
export interface ImportRun {
  readonly deps: Deps
  /** Null if the import creates a system. */
  readonly systemId: number | null
  readonly options: ImportOptions
  readonly file: ImportedFile
  readonly report: ImportReport
  readonly ids: ImportedIds
  readonly space: ImportSpace
  /** Returns the staging of the import, which begins with the first call. */
  staging(): Promise<Staging>
  readonly begun: Staging | null
  /** Counts processed rows for the progress, and yields to the event loop when due. */
  advance(rows?: number): Promise<void>
}

/**
 * Row IDs here by the keys of the file. New rows that are not written yet have `PENDING_ID`, new
 * groups none.
 */
export type ImportedIds = Readonly<Record<'members' | 'groups' | OwnedList, Map<string, number>>>

export const PENDING_ID = 0

export async function createRun(
  deps: Deps,
  systemId: number | null,
  file: ImportedFile,
  options: ImportOptions,
): Promise<ImportRun> {
  let begun: Promise<Staging> | undefined
  let staging: Staging | null = null
  return {
    deps,
    systemId,
    options,
    file,
    report: { ...emptyReport(file.head, options), system: await hidOf(deps, systemId) },
    ids: { members: new Map(), groups: new Map(), ...forEachOwned(() => new Map()) },
    space: await spaceOf(deps, systemId),
    async staging() {
      begun ??= beginStaging(deps, systemId)
      staging = await begun
      return staging
    },
    get begun() {
      return staging
    },
    advance: createProgress(deps, file.head, options),
  }
}

/** Returns the ID of a system; empty for a new one, which has none yet. */
async function hidOf({ db }: Deps, systemId: number | null): Promise<string> {
  return systemId === null ? '' : (await getSystemById(db, systemId)).hid
}

export function wants({ options }: ImportRun, part: ImportPart): boolean {
  return options.only?.has(part) ?? true
}

/** Reports rows that are not imported, all for the same reason. */
export function leaveOut(
  { report }: ImportRun,
  part: ExtPart,
  count: number,
  reason: Reason,
): void {
  if (count === 0 || !report.ext) return
  report.ext[part].left_out += count
  report.repairs.push({
    kind: subjectKinds[part],
    name: null,
    field: part,
    was: null,
    now: null,
    ...reportReason(reason),
    left_out: count,
  })
}

export const NOT_IMPORTED = 'owner_not_imported'

export const NO_SPACE = 'no_space_for_text'

/** Reports IDs that were not free, with their replacements. */
export function recordRename(
  { report: { renamed } }: ImportRun,
  kind: string,
  name: string | null,
  given: GivenIdentity,
  assigned: GivenIdentity,
): void {
  for (const key of ['hid', 'uuid'] as const)
    if (given[key] && given[key] !== assigned[key])
      renamed.push({ kind, name, from: given[key], to: assigned[key] ?? '' })
}

function createProgress(
  { clock }: Deps,
  { counts }: BundleHead,
  { only, onProgress }: ImportOptions,
): ImportRun['advance'] {
  const { members, groups, switches, ext, kept } = counts
  const total = members + groups + switches + ext + (only === null ? kept : 0)
  const yieldIfDue = createYielder(undefined, null, clock)
  let done = 0
  return async (rows = 1) => {
    done += rows
    if ((await yieldIfDue()) || (rows > 0 && done === total)) onProgress?.(done, total)
  }
}

function emptyReport(head: BundleHead, { dryRun }: ImportOptions): ImportReport {
  const tallies = parts.map((part) => [part, emptyTally(head.leftOut[part])])
  const hasExt = head.counts.ext > 0 || extParts.some((part) => head.extLeftOut[part] > 0)
  return {
    format: head.format,
    dry_run: dryRun,
    system: '',
    ...Object.fromEntries(tallies),
    ...(hasExt && { ext: forEachExtPart((part) => emptyTally(head.extLeftOut[part])) }),
    repairs: [...head.repairs],
    renamed: [],
    accounts: [],
    kept: {},
    skipped: { ...head.skipped },
  }
}

function emptyTally(left_out: number): Tally {
  return { added: 0, changed: 0, unchanged: 0, left_out }
}
