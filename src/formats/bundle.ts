import type { AutoproxyPatch } from '../model/autoproxy'
import type { GroupDraft } from '../model/group'
import type { MemberGuildPatch, SystemGuildPatch } from '../model/guild'
import type { MemberDraft } from '../model/member'
import type { SettingsPatch } from '../model/settings'
import type { SystemPatch } from '../model/system'
import type { Instant } from '../model/time'

export type Format = 'pluralkit' | 'tupperbox' | 'simplyplural'

/**
 * What a file brings, whoever wrote it. A key that is not there was not in the file and changes
 * nothing; a null clears. Every value already passes its field table.
 */
export interface Bundle {
  format: Format
  system: BundleSystem
  settings: SettingsPatch
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
  repairs: Repair[]
  /** Rows without a counterpart here, by collection, to be stored aside as they are. */
  kept: Record<string, unknown[]>
  /** How many rows could not be taken at all, by collection. */
  skipped: Record<string, number>
}

export interface BundleSystem {
  hid?: string
  uuid?: string
  created?: Instant
  patch: SystemPatch
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
}

/** Which entity of the file is spoken of. */
export interface Subject {
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

/** A reading that may pause wherever it yields: a long one would keep everyone else waiting. */
export type Steps<T> = Generator<void, T, void>

export interface ReadOptions {
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  public?: boolean
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024
export const MAX_SWITCHES = 100_000
export const MAX_FRONTERS = 150

/** The file as a whole cannot be taken. The message is safe to show: it never quotes the file. */
export class UnreadableFile extends Error {
  constructor(
    readonly reason: 'broken' | 'unknown' | 'tooLarge' | 'tooManySwitches',
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
  }
}
