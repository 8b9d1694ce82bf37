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
import type { Db } from '../../db/types'
import {
  liveSwitchesOf,
  visibleMembers as members,
  visibleSystems as systems,
} from '../../db/visible'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { Problem } from '../../model/core/validation'
import type { AutoproxyMode } from '../../model/proxy/autoproxy'
import {
  type Decision,
  decide,
  type Fronter,
  findTarget,
  type ProxyContext,
  type ProxyMember,
  type ProxyMessage,
} from '../../model/proxy/decide'
import { findCandidates } from '../../store/proxy/findCandidates'
import type { Deps } from '../core/deps'
import { memberRepository } from '../members/members'
import { renderOwnMember } from '../reads/renderGaps'
import { type GuildAutoproxy, getAutoproxy, storeAutoproxy } from './autoproxy'
import { isMessageStored } from './messages'

export interface ProxyRequest extends ProxyMessage {
  account_id: string
  guild_id: string
  /** Short ID or UUID of the member to proxy as, whatever tags and autoproxy say. */
  as?: string | null
  /** ID of the message, to ignore it if it was proxied already. */
  original?: string | null
  /** Returns the decision without applying it. */
  dry_run: boolean
}

/** Decision about a message, with the system's short ID, and the member's JSON if it is proxied. */
export interface Decided {
  decision: Decision
  system: string | null
  member: string | null
  /** True if the bot is to send proxied messages in the guild without notifications. */
  silent: boolean
}

/** Decides about a message. Backslash commands take effect at once, a proxy when it is recorded. */
export async function decideMessage(
  deps: Deps,
  viewer: Viewer,
  request: ProxyRequest,
): Promise<Decided> {
  requirePlatformAuthority(viewer, request.account_id)
  // The context and the members are read on one snapshot.
  deps.sharedRead.begin()
  const { account_id: account, guild_id: guild, original = null } = request
  const row = await contextRow(deps.db).get({ account, guild, original })
  const recorded = row ? row.recorded : await findRecorded(deps.db, original)
  const silent = row?.guild_silent === 1
  if (recorded !== null) return { decision: ALREADY_PROXIED, system: null, member: null, silent }
  const loaded = row && (await readContext(deps, row, request))
  const decision = decide(loaded?.context ?? null, request)
  const system = loaded && !loaded.context.isDisabled ? loaded.system.hid : null
  if (decision.action === 'proxy') {
    const { id, json } = decision.member
    return { decision, system, member: json ?? (await renderOwnMember(deps, id)), silent }
  }
  if (loaded && !request.dry_run) await applyCommand(deps, loaded.system, request, decision)
  return { decision, system, member: null, silent }
}

const ALREADY_PROXIED: Decision = { action: 'ignore', reason: 'already_proxied' }

async function applyCommand(
  deps: Deps,
  { id }: { id: number },
  { guild_id }: ProxyRequest,
  { action }: Decision,
): Promise<void> {
  if (action !== 'autoproxy_off' && action !== 'unlatch') return
  await deps.transact({ system: id }, async (tx) => {
    const before = await getAutoproxy(tx, id, guild_id)
    // Another request may have changed the mode since the context was read.
    if (action === 'unlatch' && before.autoproxy_mode !== 'latch') return
    const autoproxy_mode = action === 'autoproxy_off' ? 'off' : before.autoproxy_mode
    const after: GuildAutoproxy = {
      ...before,
      autoproxy_mode,
      autoproxy_member: null,
      last_latch_timestamp: null,
    }
    await storeAutoproxy(deps, tx, id, guild_id, before, after)
  })
}

/** Adds the candidate members of a message to its context. */
async function readContext(
  { db }: Deps,
  row: ProxyContextRow,
  { guild_id, content, as }: ProxyRequest,
): Promise<{ context: ProxyContext<CandidateMember>; system: { id: number; hid: string } }> {
  const context = toProxyContext(row)
  if (context.isDisabled) return { context, system: row }
  if (as) context.as = await requireOwnMember(db, row.id, as)
  const { case_sensitive_proxy_tags } = context.settings
  const candidates = await findCandidates(
    db,
    row.tag_index_id,
    content ?? '',
    case_sensitive_proxy_tags,
  )
  for (const id of withTarget(candidates, findTarget(context))) {
    const candidate = await candidateRow(db).get({ id, guild: guild_id })
    if (candidate) context.members.push(toCandidateMember(candidate))
  }
  return { context, system: row }
}

/** Returns the row ID of a member that the request names. */
async function requireOwnMember(db: Db, system: number, ref: string): Promise<number> {
  const found = await memberRepository.locate(db, ref)
  if (!found) throw error('invalidBody', { as: [new Problem('Member not found.')] })
  if (found.system_id !== system) throw error('notYourMember')
  return found.id
}

/** Adds the target to the candidates, without duplicates, in order of creation. */
function withTarget(candidates: number[], target: number | null): number[] {
  if (target === null || candidates.includes(target)) return candidates
  return [...candidates, target].sort((a, b) => a - b)
}

/** Flat row of the context. Columns of a guild are null if the guild has no settings. */
interface ProxyContextRow {
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

/** The members are added when they are read. */
function toProxyContext(
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

/** Finds the message if the account has no system any more. */
async function findRecorded(db: Db, original: string | null): Promise<string | null> {
  if (original === null) return null
  return (await recordedRow(db).get({ original }))?.recorded ?? null
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
    const of = systemSettings
    return sql<ProxyContextRow>`
      select ${systems.id}, coalesce(${systems.tag_index_id}, ${systems.id}) as tag_index_id, ${systems.hid},
        ${systems.disabled_at}, ${systems.tag}, ${systems.avatar_url},
        ${of.case_sensitive_proxy_tags}, ${of.latch_timeout}, ${of.name_format},
        ${of.proxy_error_message_enabled}, ${accounts.autoproxy_enabled} as account_autoproxy,
        ${own.system_id} as in_guild, ${own.proxying_enabled} as guild_proxying, ${own.tag} as guild_tag,
        ${own.tag_enabled} as guild_tag_enabled, ${own.avatar_url} as guild_avatar_url,
        ${own.name_format} as guild_name_format, ${guilds.disabled_channels}, ${guilds.require_system_tag},
        ${guilds.silent} as guild_silent,
        ${autoproxies.autoproxy_mode}, ${autoproxies.autoproxy_member}, ${autoproxies.last_latch_timestamp},
        case when ${autoproxies.autoproxy_mode} = 'front' then ${fronters} end as fronters,
        ${recordedOf(original)} as recorded
      from ${accounts} join ${systems} on ${systems.id} = ${accounts.system_id}
      join ${of} on ${of.system_id} = ${systems.id}
      left join ${systemGuilds} ${own} on ${own.system_id} = ${systems.id} and ${own.guild_id} = ${guild}
      left join ${guilds} on ${guilds.guild_id} = ${guild}
      left join ${autoproxies} on ${autoproxies.system_id} = ${systems.id} and ${autoproxies.guild_id} = ${guild}
      where ${accounts.id} = ${account}`
  },
)

/** A member for the proxy engine, with its rendered JSON for the owner; null on a cache miss. */
type CandidateMember = ProxyMember & { json: string | null }

/** Flat row of a candidate. Columns of the guild are null if the member has no settings there. */
type CandidateRow = Omit<CandidateMember, 'guild'> & {
  in_guild: number | null
  guild_display_name: string | null
  guild_avatar_url: string | null
  guild_keep_proxy: number | null
}

function toCandidateMember(row: CandidateRow): CandidateMember {
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
