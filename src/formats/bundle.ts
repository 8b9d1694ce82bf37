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
 * Contents of an import file of any format. A missing key was not in the file and changes nothing;
 * null clears the value. Every value is already valid according to its field table.
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
  /** Switches, oldest first; no two have the same time. */
  switches: BundleSwitch[]
  systemGuilds: (SystemGuildPatch & { guild_id: string })[]
  /** `member` is a key of this file's members. */
  memberGuilds: (MemberGuildPatch & { guild_id: string; member: string })[]
  /** `autoproxy_member` is a key of this file's members. */
  autoproxy: (AutoproxyPatch & { guild_id: string })[]
  /** Preferences of the dashboard; members and groups by their keys in this file. */
  preferences?: BundlePreferences
  repairs: Repair[]
  /** Rows without a counterpart here, by collection, to be archived unchanged. */
  kept: Record<string, unknown[]>
  /** Number of rows that could not be archived either, by collection. */
  skipped: Record<string, number>
  /** Number of rows of each kind that are not imported. */
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
  /** Reference in groups and switches of the same file. Unique within its list. */
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
  /** Number of rows that are not imported for this reason. */
  left_out?: number
}

/** The entity of the file that an entry of the report concerns. */
export interface Subject {
  /** ID in the file, in addition to the name. */
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
  /** Simply Plural only: import data that all friends could see as public instead of private. */
  public?: boolean
  /** Remaining capacity; a larger file is rejected before its rows are parsed. */
  maxMembers?: number
  maxGroups?: number
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024
export const MAX_SWITCHES = 100_000
export const MAX_ACCOUNTS = 50
/** Limit for each of system guild settings, member guild settings and autoproxy. */
export const MAX_GUILD_ROWS = 1000
export const MAX_ARCHIVED_ROWS = 100_000
export const MAX_ARCHIVED_BYTES = 32 * 1024 * 1024

/** The file cannot be imported at all. The message is safe to show: it never quotes the file. */
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
