import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, type Placeholders, query } from '../../db/query'
import { cachedSql, columnFor } from '../../db/renderedJson'
import {
  accounts,
  autoproxies,
  guilds,
  memberExts,
  memberGuilds,
  messages,
  switchMembers,
  systemGuilds,
  systemSettings,
} from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import {
  liveSwitchesOf,
  visibleMembers as members,
  visibleSystems as systems,
} from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { AutoproxyMode } from '../../model/proxy/autoproxy'
import type { Fronter, ProxyContext, ProxyMember } from '../../model/proxy/decide'
import { isMessageStored } from './messageRows'

/** Flat row of the context. Columns of a guild are null if the guild has no settings. */
export interface ProxyContextRow {
  id: number
  tag_index_id: number
  hid: string
  disabled_at: Instant | null
  tag: string | null
  avatar_url: string | null
  case_sensitive_proxy_tags: number
  latch_timeout: number | null
  name_format: string
  proxy_error_message_enabled: number
  account_autoproxy: number
  in_guild: number | null
  guild_proxying: number
  guild_tag: string | null
  guild_tag_enabled: number
  guild_avatar_url: string | null
  guild_name_format: string | null
  disabled_channels: string | null
  require_system_tag: number | null
  guild_silent: number | null
  autoproxy_mode: AutoproxyMode | null
  autoproxy_member: number | null
  last_latch_timestamp: Instant | null
  fronters: string | null
  /** ID of a message that was recorded for the same original. */
  recorded: string | null
}

/** Finds the context of a message, without its members. */
export function findContextRow(
  db: Db,
  account: string,
  guild: string,
  original: string | null,
): MaybePromise<ProxyContextRow | null> {
  return contextRow(db).get({ account, guild, original })
}

/** Finds the message if the account has no system any more. */
export async function findRecorded(db: Db, original: string | null): Promise<string | null> {
  if (original === null) return null
  return (await recordedRow(db).get({ original }))?.recorded ?? null
}

/** The members are added when they are read. */
export function toProxyContext(
  row: ProxyContextRow,
): ProxyContext<CandidateMember> & { members: CandidateMember[] } {
  return {
    isDisabled: row.disabled_at !== null,
    system: row,
    settings: {
      case_sensitive_proxy_tags: row.case_sensitive_proxy_tags === 1,
      latch_timeout: row.latch_timeout,
      name_format: row.name_format,
      proxy_error_message_enabled: row.proxy_error_message_enabled === 1,
    },
    systemGuild:
      row.in_guild === null
        ? null
        : {
            proxying_enabled: row.guild_proxying === 1,
            tag: row.guild_tag,
            tag_enabled: row.guild_tag_enabled === 1,
            avatar_url: row.guild_avatar_url,
            name_format: row.guild_name_format,
          },
    guild: {
      disabled_channels: listOf(row.disabled_channels),
      require_system_tag: row.require_system_tag === 1,
    },
    account: { autoproxy_enabled: row.account_autoproxy === 1 },
    autoproxy: {
      mode: row.autoproxy_mode ?? 'off',
      member: row.autoproxy_member,
      last_latch: row.last_latch_timestamp,
    },
    fronters: frontersOf(row.fronters),
    members: [],
  }
}

/** Custom fronts have negative IDs in the row, so that one list holds IDs and kinds. */
function frontersOf(json: string | null): Fronter[] {
  return listOf<number>(json).map((id) =>
    id < 0 ? { id: -id, kind: 'custom_front' } : { id, kind: 'member' },
  )
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : JSON.parse(json)
}

/** A member for the proxy engine, with its rendered JSON for the owner; null on a cache miss. */
export type CandidateMember = ProxyMember & { json: string | null }

/** Flat row of a candidate. Columns of the guild are null if the member has no settings there. */
export type CandidateRow = Omit<CandidateMember, 'guild'> & {
  in_guild: number | null
  guild_display_name: string | null
  guild_avatar_url: string | null
  guild_keep_proxy: number | null
}

export function toCandidateMember(row: CandidateRow): CandidateMember {
  const keep = row.guild_keep_proxy
  const guild =
    row.in_guild === null
      ? null
      : {
          display_name: row.guild_display_name,
          avatar_url: row.guild_avatar_url,
          keep_proxy: keep === null ? null : keep === 1,
        }
  return Object.assign(row, { guild })
}

/** Finds a member, with its settings in a guild. */
export function findCandidate(
  db: Db,
  id: number,
  guild: string,
): MaybePromise<CandidateRow | null> {
  return candidateRow(db).get({ id, guild })
}

// SQL text, because this is a hot path: one flat row is the whole context, and its flags are decoded
// where they are used.

const own = alias(systemGuilds, 'own')
const ownOfMember = alias(memberGuilds, 'own')
const live = liveSwitchesOf(systems.id, systems.deleted_through_switch_id)

/** ID of a message with this original, however long ago it was recorded; null if there is none. */
function recordedOf(original: SQLWrapper): SQL {
  return sql`(select ${messages.id} from ${messages}
    where ${messages.original} = ${original} and ${isMessageStored} limit 1)`
}

const recordedRow = query(
  (_, { original }: Placeholders<'original'>) =>
    sql<Pick<ProxyContextRow, 'recorded'>>`select ${recordedOf(original)} as recorded`,
)

/** Fronters are read only if the autoproxy mode is `front`. */
const contextRow = query(
  (
    _,
    { account, guild, original }: Placeholders<'account' | 'guild' | 'original'>,
    { jsonNumbers },
  ) => {
    const fronters = jsonNumbers(
      sql`case when ${memberExts.kind} = 'custom_front' then -${switchMembers.member_id} else ${switchMembers.member_id} end`,
      sql`${switchMembers} join ${members} on ${members.id} = ${switchMembers.member_id}
        left join ${memberExts} on ${memberExts.member_id} = ${switchMembers.member_id}
        where ${switchMembers.switch_id} = (
          select ${live.id} from ${live} where ${live.system_id} = ${systems.id}
          order by ${live.timestamp} desc limit 1
        )`,
      switchMembers.position,
    )
    const settings = systemSettings
    return sql<ProxyContextRow>`
      select ${systems.id}, coalesce(${systems.tag_index_id}, ${systems.id}) as tag_index_id, ${systems.hid},
        ${systems.disabled_at}, ${systems.tag}, ${systems.avatar_url},
        ${settings.case_sensitive_proxy_tags}, ${settings.latch_timeout}, ${settings.name_format},
        ${settings.proxy_error_message_enabled}, ${accounts.autoproxy_enabled} as account_autoproxy,
        ${own.system_id} as in_guild, ${own.proxying_enabled} as guild_proxying, ${own.tag} as guild_tag,
        ${own.tag_enabled} as guild_tag_enabled, ${own.avatar_url} as guild_avatar_url,
        ${own.name_format} as guild_name_format, ${guilds.disabled_channels}, ${guilds.require_system_tag},
        ${guilds.silent} as guild_silent,
        ${autoproxies.autoproxy_mode}, ${autoproxies.autoproxy_member}, ${autoproxies.last_latch_timestamp},
        case when ${autoproxies.autoproxy_mode} = 'front' then ${fronters} end as fronters,
        ${recordedOf(original)} as recorded
      from ${accounts} join ${systems} on ${systems.id} = ${accounts.system_id}
      join ${settings} on ${settings.system_id} = ${systems.id}
      left join ${systemGuilds} ${own} on ${own.system_id} = ${systems.id} and ${own.guild_id} = ${guild}
      left join ${guilds} on ${guilds.guild_id} = ${guild}
      left join ${autoproxies} on ${autoproxies.system_id} = ${systems.id} and ${autoproxies.guild_id} = ${guild}
      where ${accounts.id} = ${account}`
  },
)

const candidateRow = query(
  (_, { id, guild }: Placeholders<'id' | 'guild'>) => sql<CandidateRow>`
    select ${members.id}, ${members.uuid}, ${members.hid}, ${members.name}, ${members.display_name},
      ${members.avatar_url}, ${members.webhook_avatar_url}, ${members.proxy_tags}, ${members.keep_proxy},
      ${members.tts}, ${members.autoproxy_enabled},
      ${cachedSql('members', columnFor('members', 'owner'))} as json,
      ${ownOfMember.member_id} as in_guild, ${ownOfMember.display_name} as guild_display_name,
      ${ownOfMember.avatar_url} as guild_avatar_url, ${ownOfMember.keep_proxy} as guild_keep_proxy
    from ${members} left join ${memberGuilds} ${ownOfMember}
      on ${ownOfMember.member_id} = ${members.id} and ${ownOfMember.guild_id} = ${guild}
    where ${members.id} = ${id}`,
  members._.selectedFields,
)
