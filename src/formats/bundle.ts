import type { AutoproxyPatch } from '../model/autoproxy'
import type { GroupDraft } from '../model/group'
import type { MemberGuildPatch, SystemGuildPatch } from '../model/guild'
import type { MemberDraft } from '../model/member'
import type { SettingsPatch } from '../model/settings'
import type { SystemPatch } from '../model/system'
import type { Instant } from '../model/time'
import type { Part } from '../model/transfer'

export type Format = 'pluralkit' | 'tupperbox' | 'simplyplural'

/**
 * What a file brings, whoever wrote it. A key that is not there was not in the file and changes
 * nothing; a null clears. Every value already passes its field table.
 */
export interface Bundle {
  format: Format
  system: BundleSystem
  settings: SettingsPatch
  /** PluralKit's `card_show_color_hex`. */
  colorHex?: boolean
  accounts: BundleAccount[]
  members: BundleMember[]
  groups: BundleGroup[]
  /** Oldest first, each instant once. */
  switches: BundleSwitch[]
  systemGuilds: (SystemGuildPatch & { guild_id: string })[]
  /** `member` is a key of this file's members. */
  memberGuilds: (MemberGuildPatch & { guild_id: string; member: string })[]
  /** `autoproxy_member` is a key of this file's members. */
  autoproxy: (AutoproxyPatch & { guild_id: string })[]
  /** What the dashboard remembers; members and groups by their keys in this file. */
  preferences?: BundlePreferences
  repairs: Repair[]
  /** Rows without a counterpart here, by collection, to be stored aside as they are. */
  kept: Record<string, unknown[]>
  /** How many rows without a counterpart here could not be kept either, by collection. */
  skipped: Record<string, number>
  /** How many rows of each kind did not come in. */
  leftOut: Record<Part, number>
}

export interface BundleSystem {
  hid?: string
  uuid?: string
  created?: Instant
  patch: SystemPatch
}

export interface BundlePreferences {
  word?: string
  pinned: string[]
  statuses: string[]
}

export interface BundleAccount {
  id: string
  autoproxy_enabled?: boolean
}

interface BundleEntity<D> {
  /** What groups and switches of the same file call it. Unique within its list. */
  key: string
  hid?: string
  uuid?: string
  values: D
}

export type BundleMember = BundleEntity<MemberDraft>

export interface BundleGroup extends BundleEntity<GroupDraft> {
  /** Keys of members. */
  members: string[]
}

export interface BundleSwitch {
  uuid?: string
  timestamp: Instant
  /** Keys of members, in order. */
  members: string[]
}

export interface Repair extends Subject {
  field: string
  was: unknown
  now: unknown
  why: string
  /** The row itself did not come in, or so many of them. */
  left_out?: number
}

/** Which entity of the file is spoken of. */
export interface Subject {
  /** What it is called by in the file, beside its name. */
  id?: string
  kind:
    | 'file'
    | 'system'
    | 'settings'
    | 'account'
    | 'member'
    | 'group'
    | 'switch'
    | 'guild'
    | 'autoproxy'
  name: string | null
}

export interface ReadOptions {
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  public?: boolean
  /** How many there is room for; a file with more is refused before its rows are read. */
  maxMembers?: number
  maxGroups?: number
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024
export const MAX_SWITCHES = 100_000
export const MAX_FRONTERS = 150
export const MAX_ACCOUNTS = 50
/** Of the system's guild settings, of the members', and of autoproxy each. */
export const MAX_GUILD_ROWS = 1000
export const MAX_ARCHIVED_ROWS = 100_000
export const MAX_ARCHIVED_BYTES = 32 * 1024 * 1024

/** The file as a whole cannot be taken. The message is safe to show: it never quotes the file. */
export class UnreadableFile extends Error {
  constructor(
    readonly reason:
      | 'broken'
      | 'unknown'
      | 'tooLarge'
      | 'tooManyMembers'
      | 'tooManyGroups'
      | 'tooManySwitches',
    message: string,
  ) {
    super(message)
  }
}

export function emptyBundle(format: Format): Bundle {
  return {
    format,
    system: { patch: {} },
    settings: {},
    accounts: [],
    members: [],
    groups: [],
    switches: [],
    systemGuilds: [],
    memberGuilds: [],
    autoproxy: [],
    repairs: [],
    kept: {},
    skipped: {},
    leftOut: { members: 0, groups: 0, memberships: 0, switches: 0 },
  }
}
