import { createYielder } from '../../../db/yieldToEventLoop'
import type {
  Bundle,
  BundleGroup,
  BundleMember,
  BundlePicture,
  Format,
  Origin,
  Repair,
} from '../../../formats/bundle'
import { type BundleHead, batches } from '../../../formats/chunks'
import type { Group } from '../../../model/groups/group'
import type { Member } from '../../../model/members/member'
import {
  type ExtPart,
  extParts,
  forEachExtPart,
  type ImportPart,
  type Part,
  parts,
  type Tally,
} from '../../../model/transfer/transfer'
import type { UsageChange } from '../../../store/core/usage'
import type { BucketLinks } from '../../../store/friends/bucketRows'
import type { NamedPicture } from '../../../store/pictures/pictureRows'
import {
  findOrigins,
  ORIGINS_AT_ONCE,
  type OriginRow,
  originKey,
} from '../../../store/transfer/originRows'
import type { Staging } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { beginStaging } from '../../systems/staging'

/** Pictures beside a file, as an export writes them. */
export interface PictureFiles {
  /** Returns the bytes of the picture that an address names, or the reason why there are none. */
  read(name: string): Promise<Uint8Array | { readonly why: string }>
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
  /** Null if the row will be created. */
  found: R | null
}

/** Pictures of an import that values of it name. */
export interface ImportedPictures {
  /** Names of all of them, of which the system may have had some before. */
  readonly names: Set<string>
  readonly added: (NamedPicture & { readonly base64: string })[]
}

/** State of a running import. */
export interface Import {
  readonly deps: Deps
  /** Null if the import creates a system. */
  readonly systemId: number | null
  readonly options: ImportOptions
  readonly head: BundleHead
  readonly members: BundleMember[]
  readonly groups: BundleGroup[]
  readonly report: ImportReport
  /** Existing rows that match the members and groups of the file. */
  matched: MatchedEntities
  /** Row ID of each member of the file by its key, existing or staged. */
  readonly memberIds: Map<string, number>
  /** Row ID of each new group by its key. */
  readonly groupIds: Map<string, number>
  /** UUIDs of new members and groups by part and key, known in the last transaction. */
  readonly assignedUuids: Map<string, string>
  /** Tags of members whose keys were staged; null if there were few and none were staged. */
  writtenTags: ReadonlyMap<number, string> | null
  readonly ext: Bundle['ext']
  readonly origins: OriginRow[]
  /** Pictures inside the file, until `planPictures` has decided which of them are stored. */
  readonly pictures: BundlePicture[]
  readonly imported: ImportedPictures
  /** UUIDs of rows that were imported before, by `originKey`. */
  readonly originTargets: Map<string, string>
  loadOrigins(given: readonly Origin[]): Promise<void>
  /** Numbers that the staged rows add to the use of the limits. */
  readonly extUsage: Required<UsageChange>
  /** New UUIDs of rows of the extension API by those in the file, which were not free. */
  readonly newUuids: Map<string, string>
  /** Origins of rows of the extension API. */
  readonly newOrigins: OriginRow[]
  /** Origins that exist with another target, to be written in the last transaction. */
  readonly changedOrigins: OriginRow[]
  /** Values of existing fields and members, to be written in the last transaction. */
  readonly visibleValues: { member_id: number; field_id: number; value: string }[]
  /** Contents of existing buckets, to be written in the last transaction. */
  readonly visibleContents: BucketLinks[]
  /** Number of switches that the system may still add. */
  readonly switchCapacity: number
  /** Returns the staging of the import, which begins with the first call. */
  staging(): Promise<Staging>
  /** Staging if it has begun. */
  readonly begun: Staging | null
  /** Counts processed rows for the progress, and yields to the event loop when due. */
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
  const originTargets = new Map<string, string>()
  const step = createStep(deps, head, options)
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
    assignedUuids: new Map(),
    writtenTags: null,
    ext: forEachExtPart(() => []),
    origins: [],
    pictures: [],
    imported: { names: new Set(), added: [] },
    originTargets,
    async loadOrigins(given) {
      if (systemId === null) return
      for (const batch of batches(given, ORIGINS_AT_ONCE)) {
        const unknown = batch.filter((origin) => !originTargets.has(originKey(origin)))
        for (const [key, target] of await findOrigins(deps.db, systemId, unknown))
          originTargets.set(key, target)
        await step(0)
      }
    },
    extUsage: { text_bytes: 0, front_notes: 0, notes: 0, posts: 0 },
    newUuids: new Map(),
    newOrigins: [],
    changedOrigins: [],
    visibleValues: [],
    visibleContents: [],
    switchCapacity,
    async staging() {
      begun ??= beginStaging(deps, systemId)
      staging = await begun
      return staging
    },
    get begun() {
      return staging
    },
    step,
  }
}

function createStep(
  { clock }: Deps,
  { counts }: BundleHead,
  { only, onProgress }: ImportOptions,
): Import['step'] {
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
