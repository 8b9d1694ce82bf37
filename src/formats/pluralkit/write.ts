import { type Autoproxy, autoproxy } from '../../model/autoproxy'
import {
  type Entity,
  type Identity,
  type JsonObject,
  type Row,
  serializeFields,
} from '../../model/entity'
import { type Field, isUrl } from '../../model/field'
import { group } from '../../model/group'
import { type MemberGuild, memberGuild, type SystemGuild, systemGuild } from '../../model/guild'
import { member } from '../../model/member'
import { DISCORD, platformOf } from '../../model/platform'
import type { Preferences } from '../../model/preferences'
import { type Settings, settings } from '../../model/settings'
import { system } from '../../model/system'
import { formatInstant, type Instant } from '../../model/time'
import type { Pieces } from '../switches'

type Whole<E> = Row<E> & Pick<Identity, 'hid' | 'uuid'>

/** Everything of a system, in the order it is to be written. Members go by their short IDs. */
export interface Snapshot {
  exportedAt: Instant
  system: Whole<typeof system>
  settings: Settings
  /** PluralKit's `card_show_color_hex`. */
  colorHex: boolean
  accounts: readonly { id: string; autoproxy_enabled: boolean }[]
  members: readonly Whole<typeof member>[]
  groups: readonly (Whole<typeof group> & { members: readonly string[] })[]
  /** Newest first, some at a time and walked once, so that they need not all be in memory. */
  switches: Pieces<readonly { uuid: string; timestamp: Instant; members: readonly string[] }[]>
  systemGuilds: readonly (SystemGuild & { guild_id: string })[]
  memberGuilds: readonly (MemberGuild & { guild_id: string; member: string })[]
  autoproxy: readonly (Autoproxy & { guild_id: string })[]
  /** Null where nobody set any. */
  preferences: Preferences | null
  /** Some at a time, each collection in one run. Their rows are JSON already. */
  kept: Pieces<{ collection: string; rows: readonly string[] }>
}

/** The file in pieces: with a long history it is too large for comfort as one text. */
export async function* writePluralkit(snapshot: Snapshot): AsyncGenerator<string> {
  const { accounts, members, groups, switches } = snapshot
  // PluralKit's settings have a key that ours do not.
  const config: Settings & JsonObject = {
    ...snapshot.settings,
    card_show_color_hex: snapshot.colorHex,
  }
  const unfit = new Unfit()
  const head = {
    version: 2,
    ...unfit.takeFrom(system, serializeSystem(snapshot.system)),
    config: serializeSettings(config),
  }
  yield JSON.stringify(head).slice(0, -1)
  const ofDiscord = accounts.filter(({ id }) => platformOf(id) === DISCORD)
  // By hand: a JavaScript number would round them.
  yield `,"accounts":[${ofDiscord.map(({ id }) => BigInt(id)).join()}],`
  yield* list('members', members, (row) => unfit.takeFrom(member, serializeMember(row)))
  yield ','
  yield* list('groups', groups, (row) => {
    const { privacy, ...values } = unfit.takeFrom(group, serializeGroup(row))
    return { ...values, members: row.members, privacy }
  })
  yield ','
  const uuids: string[] = []
  yield '"switches":['
  for await (const page of switches) {
    if (page.length === 0) continue
    const separator = uuids.length === 0 ? '' : ','
    const timed = page.map((one) => ({ ...one, timestamp: formatInstant(one.timestamp) }))
    uuids.push(serializeAll(timed, ({ timestamp, uuid }) => ({ timestamp, uuid })))
    yield separator + serializeAll(timed, ({ timestamp, members }) => ({ timestamp, members }))
  }
  yield '],"multitude":'
  yield* extras(snapshot, unfit.values, uuids)
  yield '}'
}

/** What the format has no place for, in one key that PluralKit passes over. */
async function* extras(
  snapshot: Snapshot,
  unfit: readonly JsonObject[],
  uuids: readonly string[],
): AsyncGenerator<string> {
  const head = {
    exported_at: formatInstant(snapshot.exportedAt),
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
    unfit,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"switches":[${uuids.join()}],"kept":{`
  let last: string | undefined
  for await (const { collection, rows } of snapshot.kept) {
    if (collection === last) yield ','
    else yield `${last === undefined ? '' : '],'}${JSON.stringify(collection)}:[`
    yield rows.join()
    last = collection
  }
  yield last === undefined ? '}}' : ']}}'
}

/** For one value that PluralKit's rules refuse it refuses the file: such values stand aside. */
class Unfit {
  readonly values: JsonObject[] = []

  takeFrom(entity: Entity, row: JsonObject): JsonObject {
    const fit = { ...row }
    for (const [key, field] of entity.entries) {
      const value = row[key]
      const instead = fallbackValue(field, value, row.id)
      if (instead === value) continue
      this.values.push({ kind: entity.name, id: row.id, field: key, value })
      fit[key] = instead
    }
    return fit
  }
}

/** Addresses must be https, and a name must not be blank. */
function fallbackValue(field: Field, value: unknown, id: unknown): unknown {
  if (typeof value !== 'string' || field.readonly) return value
  if (isUrl(field)) return /^https:/i.test(value) ? value : null
  return field.required && value.trim() === '' ? id : value
}

function* list<T>(
  key: string,
  items: Iterable<T>,
  serialize: (item: T) => unknown,
): Generator<string> {
  yield `${JSON.stringify(key)}:[`
  let separator = ''
  for (const item of items) {
    yield `${separator}${JSON.stringify(serialize(item))}`
    separator = ','
  }
  yield ']'
}

function serializeAll<T>(items: readonly T[], serialize: (item: T) => unknown): string {
  return items.map((item) => JSON.stringify(serialize(item))).join()
}

/** Spells rows in PluralKit's order. What the table has beside it comes behind, and is passed over. */
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

const serializeSystem = serializerOf(
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
  [
    'name_privacy',
    'avatar_privacy',
    'description_privacy',
    'banner_privacy',
    'pronoun_privacy',
    'member_list_privacy',
    'group_list_privacy',
    'front_privacy',
    'front_history_privacy',
  ],
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

const serializeMember = serializerOf(
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

const serializeGroup = serializerOf(
  group,
  ['name', 'display_name', 'description', 'icon', 'banner', 'color', 'created'],
  [
    'name_privacy',
    'description_privacy',
    'banner_privacy',
    'icon_privacy',
    'list_privacy',
    'metadata_privacy',
    'visibility',
  ],
)

const serializeSystemGuild = serializerOf(systemGuild)
const serializeMemberGuild = serializerOf(memberGuild)
const serializeAutoproxy = serializerOf(autoproxy)
