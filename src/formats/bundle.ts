import type { JsonObject } from '../model/core/entity'
import type { ReportedReason } from '../model/core/reasonMessages'
import type { Instant } from '../model/core/time'
import type { GroupDraft } from '../model/groups/group'
import type { GroupExtPatch } from '../model/groups/groupExt'
import type { MemberDraft } from '../model/members/member'
import type { MemberExtPatch } from '../model/members/memberExt'
import { forEachOwned, type OwnedName, ownedKinds } from '../model/ownedKinds'
import type { PictureType } from '../model/pictures/picture'
import type { AutoproxyPatch } from '../model/proxy/autoproxy'
import type { MemberGuildPatch, SystemGuildPatch } from '../model/proxy/guild'
import type { ExtSettingsPatch } from '../model/systems/extSettings'
import type { SettingsPatch } from '../model/systems/settings'
import type { SystemPatch } from '../model/systems/system'
import { type ExtPart, forEachExtPart, type Part } from '../model/transfer/transfer'

export type Format = 'pluralkit' | 'tupperbox' | 'simplyplural' | 'pluralport'

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
  /** Rows of the extension API. Of lists that have a limit, the newest rows come first. */
  ext: Record<ExtPart, BundleExtRow[]>
  extSettings?: ExtSettingsPatch
  /** Rows of other apps that the system was imported from, with the UUIDs of this file. */
  origins: (Origin & { target: string })[]
  /** Pictures inside the file, whose addresses are values of its system, members and groups. */
  pictures: BundlePicture[]
  repairs: Repair[]
  /** Rows without a counterpart here, by collection, to be archived unchanged. */
  kept: Record<string, unknown[]>
  /** Number of rows that could not be archived either, by collection. */
  skipped: Record<string, number>
  /** Number of rows of each kind that are not imported. */
  leftOut: Record<Part, number>
  extLeftOut: Record<ExtPart, number>
}

/** A picture that is inside the file, as the server stores it. */
export interface BundlePicture {
  /** Address in the values of this file, which the import replaces by that of the stored picture. */
  address: string
  type: PictureType
  base64: string
  /** Collection of the file that counts it as skipped if it cannot be stored. */
  collection: string
}

/** A row by its ID in the app that it comes from. */
export interface Origin {
  app: string
  collection: string
  id: string
}

export interface BundleExtRow {
  /** Reference in other rows of the same file. Unique within its list. */
  key: string
  uuid?: string
  origin?: Origin
  /** Keys of the field table, without references. */
  values: JsonObject
  /** Keys of members, fields, rooms, posts and polls of this file, by the key of the field table. */
  refs: Readonly<Record<string, string | null>>
  /** Contents of a privacy bucket. */
  contents?: BundleBucketContents
}

/** Keys of members, groups and fields of this file. */
export type BundleBucketContents = Record<'members' | 'groups' | 'fields', string[]>

export interface BundleSystem {
  hid?: string
  uuid?: string
  created?: Instant
  origin?: Origin
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
  origin?: Origin
  values: D
}

export interface BundleMember extends BundleEntity<MemberDraft> {
  ext?: MemberExtPatch
}

export interface BundleGroup extends BundleEntity<GroupDraft> {
  members: string[]
  /** `parent` is a key of this file's groups. */
  ext?: GroupExtPatch
}

export interface BundleSwitch {
  uuid?: string
  timestamp: Instant
  /** Keys of members, in order. */
  members: string[]
}

export interface Repair extends Subject, ReportedReason {
  field: string
  was: unknown
  now: unknown
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
    | 'field'
    | OwnedName
  name: string | null
}

/** Kinds of rows that have a name of their own in the report. */
export type NamedPart = Exclude<Part, 'memberships'> | ExtPart

/** Name of each kind of rows in the report. */
export const subjectKinds: Readonly<Record<NamedPart, Subject['kind']>> = {
  members: 'member',
  groups: 'group',
  switches: 'switch',
  ...forEachOwned((list): OwnedName => ownedKinds[list].name),
  values: 'field',
  votes: 'poll',
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
    ext: forEachExtPart(() => []),
    origins: [],
    pictures: [],
    repairs: [],
    kept: {},
    skipped: {},
    leftOut: { members: 0, groups: 0, memberships: 0, switches: 0 },
    extLeftOut: forEachExtPart(() => 0),
  }
}
