import type { Preferences } from '../../model/access/preferences'
import {
  type Entity,
  type Identity,
  type JsonObject,
  type Row,
  serializeFields,
} from '../../model/core/entity'
import { type Field, isUrl } from '../../model/core/field'
import { DISCORD, platformOf } from '../../model/core/platform'
import { formatInstant, type Instant } from '../../model/core/time'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { type Autoproxy, autoproxy } from '../../model/proxy/autoproxy'
import {
  type MemberGuild,
  memberGuild,
  type SystemGuild,
  systemGuild,
} from '../../model/proxy/guild'
import { type Settings, settings } from '../../model/systems/settings'
import { system } from '../../model/systems/system'
import type { Pieces } from '../switches'

type Identified<E> = Row<E> & Pick<Identity, 'hid' | 'uuid'>

/** All data of a system, in the order of the file. Members are referenced by short ID. */
export interface Snapshot {
  exportedAt: Instant
  system: Identified<typeof system>
  settings: Settings
  /** PluralKit's `card_show_color_hex`. */
  colorHex: boolean
  accounts: readonly { id: string; autoproxy_enabled: boolean }[]
  members: readonly Identified<typeof member>[]
  groups: readonly (Identified<typeof group> & { members: readonly string[] })[]
  /** Newest first, in chunks that are read once, so that they need not all be in memory. */
  switches: Pieces<readonly { uuid: string; timestamp: Instant; members: readonly string[] }[]>
  systemGuilds: readonly (SystemGuild & { guild_id: string })[]
  memberGuilds: readonly (MemberGuild & { guild_id: string; member: string })[]
  autoproxy: readonly (Autoproxy & { guild_id: string })[]
  /** Null if none were set. */
  preferences: Preferences | null
  /** Rows of the extension API; null if the system uses nothing of it. */
  ext: ExtSnapshot | null
  /** In chunks; the chunks of a collection are consecutive. Rows are already JSON. */
  kept: Pieces<{ collection: string; rows: readonly string[] }>
}

/** The key `multitude.ext`: its lists follow its other keys. Rows are already JSON. */
export interface ExtSnapshot {
  head: JsonObject
  lists: ReadonlyMap<string, readonly string[]>
}

/** Writes the file in chunks, because a long history would be too large as one string. */
export async function* writePluralkit(snapshot: Snapshot): AsyncGenerator<string> {
  const { accounts, members, groups, switches } = snapshot
  const unfit = new Unfit()
  const head = {
    version: 2,
    ...unfit.extractFrom(system, serializeSystem(snapshot.system)),
    config: serializeConfig(snapshot),
  }
  yield JSON.stringify(head).slice(0, -1)
  const discordAccounts = accounts.filter(({ id }) => platformOf(id) === DISCORD)
  // Written as text, because a JavaScript number would round them.
  yield `,"accounts":[${discordAccounts.map(({ id }) => BigInt(id)).join()}],`
  yield* list('members', members, (row) => unfit.extractFrom(member, serializeMember(row)))
  yield ','
  yield* list('groups', groups, (row) => {
    const { privacy, ...values } = unfit.extractFrom(group, serializeGroup(row))
    return { ...values, members: row.members, privacy }
  })
  yield ','
  const uuids: string[] = []
  yield '"switches":['
  for await (const page of switches) {
    if (page.length === 0) continue
    const separator = uuids.length === 0 ? '' : ','
    const formatted = page.map((row) => ({ ...row, timestamp: formatInstant(row.timestamp) }))
    uuids.push(serializeAll(formatted, ({ timestamp, uuid }) => ({ timestamp, uuid })))
    yield separator + serializeAll(formatted, ({ timestamp, members }) => ({ timestamp, members }))
  }
  yield '],"multitude":'
  yield* extras(snapshot, unfit.values, uuids)
  yield '}'
}

export function serializeConfig({ settings, colorHex }: Snapshot): JsonObject {
  // PluralKit's settings have a key that ours lack.
  const config: Settings & JsonObject = { ...settings, card_show_color_hex: colorHex }
  return serializeSettings(config)
}

/** Serializes accounts, settings of guilds and preferences, which PluralKit's format lacks. */
export function serializeExtras(snapshot: Snapshot): JsonObject {
  return {
    accounts: snapshot.accounts.map(({ id, autoproxy_enabled }) => ({ id, autoproxy_enabled })),
    system_guilds: snapshot.systemGuilds.map(({ guild_id, ...row }) => ({
      guild_id,
      ...serializeSystemGuild(row),
    })),
    member_guilds: snapshot.memberGuilds.map(({ guild_id, member, ...row }) => ({
      guild_id,
      member,
      ...serializeMemberGuild(row),
    })),
    autoproxy: snapshot.autoproxy.map(({ guild_id, ...row }) => ({
      guild_id,
      ...serializeAutoproxy(row),
    })),
    ...(snapshot.preferences && { preferences: snapshot.preferences }),
  }
}

/** Writes data that the format lacks into one key, which PluralKit ignores. */
async function* extras(
  snapshot: Snapshot,
  unfit: readonly JsonObject[],
  uuids: readonly string[],
): AsyncGenerator<string> {
  const exported_at = formatInstant(snapshot.exportedAt)
  const head = { exported_at, ...serializeExtras(snapshot), unfit }
  yield `${JSON.stringify(head).slice(0, -1)},"switches":[${uuids.join()}],"kept":`
  yield* writeArchived(snapshot)
  // Absent if empty, so that files of systems without extensions stay as they were.
  if (snapshot.ext) {
    yield ',"ext":'
    yield* writeExt(snapshot.ext)
  }
  yield '}'
}

/** Writes the archived rows by collection. */
export async function* writeArchived({ kept }: Snapshot): AsyncGenerator<string> {
  yield '{'
  let last: string | undefined
  for await (const { collection, rows } of kept) {
    if (collection === last) yield ','
    else yield `${last === undefined ? '' : '],'}${JSON.stringify(collection)}:[`
    yield rows.join()
    last = collection
  }
  yield last === undefined ? '}' : ']}'
}

export function* writeExt({ head, lists }: ExtSnapshot): Generator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const [name, rows] of lists) {
    yield `,${JSON.stringify(name)}:[`
    for (let index = 0; index < rows.length; index += ROWS_PER_PIECE)
      yield `${index === 0 ? '' : ','}${rows.slice(index, index + ROWS_PER_PIECE).join()}`
    yield ']'
  }
  yield '}'
}

const ROWS_PER_PIECE = 200

/**
 * Values that PluralKit rejects. One such value would make it reject the file, so they are moved.
 */
class Unfit {
  readonly values: JsonObject[] = []

  extractFrom(entity: Entity, row: JsonObject): JsonObject {
    const fit = { ...row }
    for (const [key, field] of entity.entries) {
      const value = row[key]
      const replacement = fallbackValue(field, value, row.id)
      if (replacement === value) continue
      this.values.push({ kind: entity.name, id: row.id, field: key, value })
      fit[key] = replacement
    }
    return fit
  }
}

/** Returns a value that PluralKit accepts: addresses must be https, and names must not be blank. */
function fallbackValue(field: Field, value: unknown, id: unknown): unknown {
  if (typeof value !== 'string' || field.readonly) return value
  if (isUrl(field)) return /^https:/i.test(value) ? value : null
  return field.required && value.trim() === '' ? id : value
}

/**
 * Writes a list without the items whose serialization is undefined. These are empty pieces, because
 * other requests are answered between pieces.
 */
export function* list<T>(
  key: string,
  items: Iterable<T>,
  serialize: (item: T) => unknown,
): Generator<string> {
  yield `${JSON.stringify(key)}:[`
  let separator = ''
  for (const item of items) {
    const json = JSON.stringify(serialize(item))
    yield json === undefined ? '' : `${separator}${json}`
    if (json !== undefined) separator = ','
  }
  yield ']'
}

function serializeAll<T>(items: readonly T[], serialize: (item: T) => unknown): string {
  return items.map((item) => JSON.stringify(serialize(item))).join()
}

/**
 * Creates a serializer with PluralKit's key order. Further keys follow, and PluralKit ignores them.
 */
function serializerOf<E extends Entity>(
  entity: E,
  firstKeys: readonly string[] = [],
  firstLevels: readonly string[] = [],
): (row: Row<E> & Partial<Identity>) => JsonObject {
  const keys = [...new Set([...firstKeys, ...Object.keys(entity.fields)])]
  const levels = [...new Set([...firstLevels, ...entity.levels])]
  const pick = (from: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, from[name]]))
  return (row) => {
    const from = row as JsonObject
    const values = {
      ...(row.hid && { id: row.hid, uuid: row.uuid }),
      ...pick({ ...from, ...serializeFields(entity, from) }, keys),
    }
    return levels.length === 0 ? values : { ...values, privacy: pick(from, levels) }
  }
}

export const serializeSystem = serializerOf(
  system,
  [
    'name',
    'description',
    'tag',
    'pronouns',
    'avatar_url',
    'banner',
    'color',
    'created',
    'webhook_url',
  ],
  ['name_privacy', 'avatar_privacy'],
)

const serializeSettings = serializerOf(settings, [
  'timezone',
  'pings_enabled',
  'latch_timeout',
  'member_default_private',
  'group_default_private',
  'show_private_info',
  'member_limit',
  'group_limit',
  'case_sensitive_proxy_tags',
  'proxy_error_message_enabled',
  'hid_display_split',
  'hid_display_caps',
  'hid_list_padding',
  'card_show_color_hex',
  'proxy_switch',
  'name_format',
  'description_templates',
])

export const serializeMember = serializerOf(
  member,
  [
    'name',
    'display_name',
    'color',
    'birthday',
    'pronouns',
    'avatar_url',
    'webhook_avatar_url',
    'banner',
    'description',
    'created',
    'keep_proxy',
    'tts',
    'autoproxy_enabled',
    'message_count',
    'last_message_timestamp',
    'proxy_tags',
  ],
  [
    'visibility',
    'name_privacy',
    'description_privacy',
    'banner_privacy',
    'birthday_privacy',
    'pronoun_privacy',
    'avatar_privacy',
    'metadata_privacy',
    'proxy_privacy',
  ],
)

export const serializeGroup = serializerOf(group, [
  'name',
  'display_name',
  'description',
  'icon',
  'banner',
  'color',
  'created',
])

const serializeSystemGuild = serializerOf(systemGuild)
const serializeMemberGuild = serializerOf(memberGuild)
const serializeAutoproxy = serializerOf(autoproxy)
