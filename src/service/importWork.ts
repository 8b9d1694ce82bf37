import type { Db } from '../db/handle'
import type { Bundle, Format, Repair } from '../formats/bundle'
import type { Member } from '../model/member'
import type { Deps } from './deps'

export const importParts = ['members', 'groups', 'switches'] as const
export type ImportPart = (typeof importParts)[number]

export interface ImportOptions {
  dryRun: boolean
  /** Only these of the file; everything when null. */
  only: ReadonlySet<ImportPart> | null
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  isPublic: boolean
  /** Called now and then with how much of the work is done. */
  onProgress?: (done: number, total: number) => void
}

export interface Tally {
  added: number
  changed: number
  unchanged: number
  left_out: number
}

export interface ImportReport {
  format: Format
  dry_run: boolean
  /** Short ID of the system; empty for a new one in a dry run. */
  system: string
  /** Of a system that the import made; shown this once. */
  token?: string
  members: Tally
  groups: Tally
  memberships: Tally
  switches: Tally
  repairs: Repair[]
  renamed: { kind: string; from: string; to: string }[]
  kept: Record<string, number>
  skipped: Record<string, number>
}

/** One import under way. */
export interface Import {
  readonly deps: Deps
  readonly tx: Db
  readonly systemId: number
  readonly bundle: Bundle
  readonly options: ImportOptions
  readonly report: ImportReport
  /** Which member here each key of the file means. */
  readonly members: Map<string, Member>
  /** Whether anything was written at all. */
  touch(): void
  /** So many more rows are done. Lets others have their turn now and then. */
  step(rows?: number): Promise<void>
}
