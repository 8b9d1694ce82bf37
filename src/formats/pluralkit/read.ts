import type { Entity, JsonObject } from '../../model/core/entity'
import { DISCORD, isIdOf, normalizeId } from '../../model/core/platform'
import { reason } from '../../model/core/reason'
import { parseInstant } from '../../model/core/time'
import { isObject } from '../../model/core/validation'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { type SettingsPatch, settings } from '../../model/systems/settings'
import { system } from '../../model/systems/system'
import {
  type Bundle,
  type BundleAccount,
  type BundleGroup,
  type BundleMember,
  type BundleSwitch,
  type BundleSystem,
  emptyBundle,
  MAX_ACCOUNTS,
  MAX_SWITCHES,
  type ReadOptions,
  type Subject,
} from '../bundle'
import { Counter, ImportLog } from '../importLog'
import {
  nameOr,
  readHid,
  readRef,
  readUuid,
  rejectTooMany,
  repairFields,
  repairLevels,
  resolveMembers,
  rowsOf,
  withoutBlanks,
} from '../repair'
import { normalizeSwitches } from '../switches'
import { readExt } from './ext'
import { readExtras, readPreferences, readSwitchUuids, readUnfit } from './extras'
import { parseOffsetZone } from './timezone'

export function isPluralkit(file: JsonObject): boolean {
  return Object.hasOwn(file, 'switches')
}

export function readPluralkit(
  file: JsonObject,
  options: ReadOptions,
  log: ImportLog = new ImportLog(),
): Bundle {
  const context = new ReadContext(file, log)
  const members = rowsOf(file, 'members', 'members', log)
  const groups = rowsOf(file, 'groups', 'groups', log)
  const switches = rowsOf(file, 'switches', 'switches', log)
  rejectTooMany('tooManyMembers', members.length, options.maxMembers)
  rejectTooMany('tooManyGroups', groups.length, options.maxGroups)
  rejectTooMany('tooManySwitches', switches.length, MAX_SWITCHES)
  const bundle = {
    ...emptyBundle('pluralkit'),
    system: readSystem(context),
    settings: readSettings(context),
    ...readColorHex(context),
    accounts: readAccounts(context),
    // Members first: parsing them fills the keys that later rows refer to.
    members: members.map((row, index) => readMember(row, index, context)),
    groups: groups.map((row, index) => readGroup(row, index, context)),
    switches: readSwitches(switches, context),
    ...readExtras(context.extras, context.keys, log),
    ...readPreferences(context.extras, context),
  }
  return {
    ...bundle,
    ...readExt(context.extras, bundle.members, bundle.groups, log),
    ...log.result(),
  }
}

/** State while one file is parsed. */
class ReadContext {
  /** Keys of members in the bundle, by their references in the file. */
  readonly keys = new Map<string, string>()
  /** Keys of groups in the bundle, by their references in the file. */
  readonly groupKeys = new Map<string, string>()
  /** Short IDs and UUIDs that are already assigned. */
  readonly taken = new Set<string>()
  readonly extras: JsonObject
  /** True if Multitude wrote the file: then all values are valid and stay unchanged. */
  readonly isOurs: boolean
  readonly #unfit: ReadonlyMap<string, JsonObject>

  constructor(
    readonly file: JsonObject,
    readonly log: ImportLog,
  ) {
    this.isOurs = isObject(file.multitude)
    this.extras = isObject(file.multitude) ? file.multitude : {}
    this.#unfit = readUnfit(this.extras)
  }

  /**
   * Parses fields and levels. Older files have the levels next to the fields instead of in
   * `privacy`.
   */
  values<E extends Entity>(entity: E, row: JsonObject, subject: Subject) {
    const unfit = this.#unfit.get(`${entity.name} ${readRef(row.id)}`)
    const fields = this.isOurs ? { ...row, ...unfit } : withoutBlanks(row)
    const levels = isObject(row.privacy) ? { ...row, ...row.privacy } : row
    return {
      ...repairFields(entity, fields, subject, this.log),
      ...repairLevels(entity, levels, subject, this.log),
    }
  }

  identity(row: JsonObject, subject: Subject): { hid?: string; uuid?: string } {
    const hid = this.claim('id', row.id, readHid(row.id), subject)
    const uuid = this.claim('uuid', row.uuid, readUuid(row.uuid), subject)
    return { ...(hid && { hid }), ...(uuid && { uuid }) }
  }

  claim(field: string, value: unknown, read: string | undefined, subject: Subject) {
    if (value === undefined || value === null) return undefined
    const name = `${subject.kind} ${read}`
    if (read !== undefined && !this.taken.has(name)) {
      this.taken.add(name)
      return read
    }
    const why = read === undefined ? 'new_id' : 'given_twice'
    this.log.repair(subject, field, value, null, why)
    return undefined
  }
}

function readSystem(context: ReadContext): BundleSystem {
  const { file, log } = context
  const subject = subjectOf('system', file)
  if (file.webhook_url) log.repair(subject, 'webhook_url', null, null, 'webhook_not_registered')
  const fields = { ...file, webhook_url: undefined }
  const { created, webhook_url: _, ...patch } = context.values(system, fields, subject)
  return {
    ...context.identity(file, subject),
    ...(typeof created === 'number' && { created }),
    patch,
  }
}

function readSettings({ file, isOurs, log }: ReadContext): SettingsPatch {
  const config = isObject(file.config) ? file.config : {}
  const subject: Subject = { kind: 'settings', name: null }
  const fields = {
    ...config,
    timezone: parseOffsetZone(file.timezone ?? config.timezone),
    proxy_switch: convertFlag(config.proxy_switch),
    // The operator sets the limits, not the file.
    member_limit: undefined,
    group_limit: undefined,
  }
  return repairFields(settings, isOurs ? fields : withoutBlanks(fields), subject, log)
}

/** Unused here, but kept for the next export. */
function readColorHex({ file: { config } }: ReadContext): Pick<Bundle, 'colorHex'> {
  const shown = isObject(config) ? config.card_show_color_hex : undefined
  return typeof shown === 'boolean' ? { colorHex: shown } : {}
}

function convertFlag(value: unknown): unknown {
  return typeof value === 'boolean' ? (value ? 'new' : 'off') : value
}

function readAccounts({ file, extras, log }: ReadContext): BundleAccount[] {
  // PluralKit's own list has Discord accounts only.
  const hasAllPlatforms = Array.isArray(extras.accounts)
  const list = hasAllPlatforms ? extras.accounts : file.accounts
  const accounts = new Map<string, BundleAccount>()
  const items: unknown[] = Array.isArray(list) ? list : []
  if (items.length > MAX_ACCOUNTS) {
    const why = reason('only_first', { max: MAX_ACCOUNTS })
    log.repair({ kind: 'account', name: null }, 'accounts', items.length, MAX_ACCOUNTS, why)
  }
  for (const item of items.slice(0, MAX_ACCOUNTS)) {
    const { id: accountId, autoproxy_enabled }: JsonObject = isObject(item) ? item : { id: item }
    const ref = readRef(accountId) ?? ''
    const id = hasAllPlatforms || isIdOf(DISCORD, ref) ? normalizeId(ref) : null
    if (id !== null)
      accounts.set(id, { id, ...(typeof autoproxy_enabled === 'boolean' && { autoproxy_enabled }) })
    else log.repair({ kind: 'account', name: null }, 'id', accountId, null, 'not_account_id')
  }
  return [...accounts.values()]
}

function readMember(row: JsonObject, index: number, context: ReadContext): BundleMember {
  const { keys, log } = context
  const subject = subjectOf('member', row)
  const identity = context.identity(row, subject)
  const { created, ...values } = context.values(member, withTags(row), subject)
  // Old exports contain the avatar twice.
  const isDuplicate = !context.isOurs && values.webhook_avatar_url === values.avatar_url
  if (isDuplicate && values.webhook_avatar_url) {
    log.repair(subject, 'webhook_avatar_url', row.webhook_avatar_url, null, 'same_as_avatar')
    values.webhook_avatar_url = null
  }
  const key = identity.hid ?? `#${index}`
  for (const ref of [readRef(row.id), identity.hid, identity.uuid])
    if (ref !== undefined && !keys.has(ref)) keys.set(ref, key)
  const name = nameOr(values.name, values.display_name ?? identity.hid, subject, log)
  return {
    key,
    ...identity,
    values: { ...values, ...(typeof created === 'number' && { created }), name },
  }
}

/** Converts the single proxy tag of old exports, which had the keys `prefix` and `suffix`. */
function withTags(row: JsonObject): JsonObject {
  const { prefix, suffix } = row
  if (row.proxy_tags || (prefix === undefined && suffix === undefined)) return row
  return { ...row, proxy_tags: [{ prefix, suffix }] }
}

function readGroup(row: JsonObject, index: number, context: ReadContext): BundleGroup {
  const { keys, log } = context
  const subject = subjectOf('group', row)
  const identity = context.identity(row, subject)
  const { created, ...values } = context.values(group, row, subject)
  const name = nameOr(values.name, values.display_name ?? identity.hid, subject, log)
  const members = resolveMembers(row.members, keys, (ref) =>
    log.dropRow('memberships', subject, 'members', ref, 'no_such_member'),
  )
  const key = identity.hid ?? `#${index}`
  for (const ref of [readRef(row.id), identity.hid, identity.uuid])
    if (ref !== undefined && !context.groupKeys.has(ref)) context.groupKeys.set(ref, key)
  return {
    key,
    ...identity,
    values: { ...values, ...(typeof created === 'number' && { created }), name },
    members,
  }
}

function readSwitches(
  rows: readonly JsonObject[],
  { extras, keys, log }: ReadContext,
): BundleSwitch[] {
  const uuids = readSwitchUuids(extras)
  const unknown = new Counter()
  const switches: BundleSwitch[] = []
  for (const { timestamp: time, members } of rows) {
    const timestamp = typeof time === 'string' ? parseInstant(time) : null
    if (timestamp === null || !Array.isArray(members)) {
      const name = typeof time === 'string' ? time : null
      if (timestamp === null)
        log.dropRow('switches', { kind: 'switch', name: null }, 'timestamp', time, 'not_time')
      else log.dropRow('switches', { kind: 'switch', name }, 'members', members, 'no_members')
      continue
    }
    const uuid = uuids.get(String(time))
    const fronters = resolveMembers(members, keys, (ref) => unknown.add(ref))
    switches.push({ ...(uuid && { uuid }), timestamp, members: fronters })
  }
  for (const [ref, count] of unknown) {
    const why = reason('left_out_of_switches', { count })
    log.repair({ kind: 'switch', name: null }, 'members', ref, null, why)
  }
  return normalizeSwitches(switches, log)
}

function subjectOf(kind: Subject['kind'], { name, id }: JsonObject): Subject {
  const isNamed = typeof name === 'string' && name.trim() !== ''
  const ref = readRef(id)
  return { kind, name: isNamed ? name : (ref ?? null), ...(isNamed && ref && { id: ref }) }
}
