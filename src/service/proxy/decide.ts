import { isFinished } from '../../db/finished'
import type { Db } from '../../db/handle'
import { createDecoder } from '../../db/rows'
import { statement } from '../../db/statement'
import type { AutoproxyMode } from '../../model/autoproxy'
import { MAX_TAGS } from '../../model/check'
import { type Member, member } from '../../model/member'
import { requireWitness, type Viewer } from '../../model/privacy'
import {
  autoproxyTarget,
  type Decision,
  decide,
  type ProxyContext,
  type ProxyMessage,
} from '../../model/proxy/decide'
import { keysOfContent, PAIRS } from '../../model/proxy/tags'
import type { Instant } from '../../model/time'
import { type GuildAutoproxy, getAutoproxy, storeAutoproxy } from '../autoproxy'
import type { Deps } from '../deps'

export interface ProxyRequest extends ProxyMessage {
  account_id: string
  guild_id: string
  /** Only says what would be done. */
  dry_run: boolean
}

/** What becomes of a message. The backslash commands take effect at once, a proxy when recorded. */
export async function decideMessage(
  deps: Deps,
  viewer: Viewer,
  request: ProxyRequest,
): Promise<{ decision: Decision<Speaker>; system: { hid: string } | null }> {
  requireWitness(viewer, request.account_id)
  const loaded = await load(deps.db, request)
  const decision = decide(loaded?.context ?? null, request)
  if (loaded && !request.dry_run) await applyCommand(deps, loaded.system, request, decision)
  return { decision, system: loaded?.system ?? null }
}

/** A member as the engine takes it, with all that an answer shows of it. */
export type Speaker = Member & ProxyContext['members'][number]

async function applyCommand(
  deps: Deps,
  { id }: { id: number },
  { guild_id }: ProxyRequest,
  { action }: Decision,
): Promise<void> {
  if (action !== 'autoproxy_off' && action !== 'unlatch') return
  await deps.transact(async (tx) => {
    const before = await getAutoproxy(tx, id, guild_id)
    // Another mode may have been chosen since the message was read.
    if (action === 'unlatch' && before.autoproxy_mode !== 'latch') return
    const autoproxy_mode = action === 'autoproxy_off' ? 'off' : before.autoproxy_mode
    const after: GuildAutoproxy = {
      autoproxy_mode,
      autoproxy_member: null,
      last_latch_timestamp: null,
    }
    await storeAutoproxy(deps, tx, id, guild_id, before, after)
  })
}

/** Two queries, whatever the size of the system: the surroundings, and whoever could be meant. */
async function load(
  db: Db,
  { account_id, guild_id, content }: ProxyRequest,
): Promise<{ context: ProxyContext<Speaker>; system: { id: number; hid: string } } | null> {
  const around = await surroundings(db).get({ account: account_id, guild: guild_id })
  if (!around) return null
  const surrounding = surroundingOf(around)
  const { case_sensitive_proxy_tags } = surrounding.settings
  const keys = keysOfContent(content ?? '', case_sensitive_proxy_tags)
  const rows = await candidates[case_sensitive_proxy_tags ? 'asWritten' : 'inAnyCase'](db).all({
    set: around.tag_set,
    guild: guild_id,
    prefixes: JSON.stringify(keys.prefixes),
    suffixes: JSON.stringify(keys.suffixes),
    most: keys.most,
    spoiled: JSON.stringify(keys.spoiled),
    bare: keys.bare,
    brackets: JSON.stringify(keys.brackets),
    target: autoproxyTarget(surrounding),
  })
  return { context: { ...surrounding, members: rows.map(speakerOf) }, system: around }
}

/** Flat, as SQLite gives it: what a guild sets is null where it sets nothing. */
interface Surroundings {
  id: number
  tag_set: number
  hid: string
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
  autoproxy_mode: AutoproxyMode | null
  autoproxy_member: number | null
  last_latch_timestamp: Instant | null
  fronters: string | null
}

function surroundingOf(row: Surroundings): Omit<ProxyContext, 'members'> {
  return {
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
      disabled_channels: JSON.parse(row.disabled_channels ?? '[]'),
      require_system_tag: row.require_system_tag === 1,
    },
    account: { autoproxy_enabled: row.account_autoproxy === 1 },
    autoproxy: {
      mode: row.autoproxy_mode ?? 'off',
      member: row.autoproxy_member,
      last_latch: row.last_latch_timestamp,
    },
    fronters: JSON.parse(row.fronters ?? '[]'),
  }
}

/** Who fronts is looked up only where autoproxy speaks for them. */
const decodeMember = createDecoder(member)

const surroundings = statement<'account' | 'guild', Surroundings>(`
   select systems.id, coalesce(systems.tag_set, systems.id) as tag_set, systems.hid, systems.tag, systems.avatar_url,
     settings.case_sensitive_proxy_tags, settings.latch_timeout, settings.name_format,
     settings.proxy_error_message_enabled, accounts.autoproxy_enabled as account_autoproxy,
     own.system_id as in_guild, own.proxying_enabled as guild_proxying, own.tag as guild_tag,
     own.tag_enabled as guild_tag_enabled, own.avatar_url as guild_avatar_url,
     own.name_format as guild_name_format, guilds.disabled_channels, guilds.require_system_tag,
     autoproxy.autoproxy_mode, autoproxy.autoproxy_member, autoproxy.last_latch_timestamp,
     case when autoproxy.autoproxy_mode = 'front' then (
       select json_group_array(f.member_id order by f.position) from switch_members f
       where f.switch_id = (
         select s.id from switches s where s.system_id = systems.id and ${isFinished('s')}
         order by s.timestamp desc limit 1
       )
     ) end as fronters
   from accounts join systems on systems.id = accounts.system_id
   join settings on settings.system_id = systems.id
   left join system_guilds own on own.system_id = systems.id and own.guild_id = :guild
   left join guilds on guilds.guild_id = :guild
   left join autoproxy on autoproxy.system_id = systems.id and autoproxy.guild_id = :guild
   where accounts.id = :account`)

/** A member with what it set in the guild, which is null where it set nothing. */
interface Candidate extends Member {
  in_guild: number | null
  guild_display_name: string | null
  guild_avatar_url: string | null
  guild_keep_proxy: number | null
}

function speakerOf(row: Candidate): Speaker {
  const keep = row.guild_keep_proxy
  const guild =
    row.in_guild === null
      ? null
      : {
          display_name: row.guild_display_name,
          avatar_url: row.guild_avatar_url,
          keep_proxy: keep === null ? null : keep === 1,
        }
  return Object.assign(decodeMember(row), { guild })
}

/**
 * The member whose tag wins, or up to five of whom one wins, and the target of autoproxy: never
 * more, however many share a tag. For each prefix that the system knows, the suffixes are tried
 * from the longest on; and of those who have a prefix and a suffix, only the first is looked at.
 * (`json_each` goes through a list in its order; `limit -1` keeps SQLite from working out the same
 * twice.)
 */
function createCandidates(prefix: 'prefix' | 'prefix_key', suffix: 'suffix' | 'suffix_key') {
  const tagsWith = (head: string, condition = '') =>
    `from proxy_tag_keys t where t.set_id = :set and t.${prefix} = ${head} ${condition}`
  const known = `
    select key as head_length, value as head,
      exists (select 1 ${tagsWith('value', `and t.${suffix} > ''`)}) as has_tail
    from json_each(:prefixes)
    where value is not null and exists (select 1 ${tagsWith('value')}) limit -1`
  const longest = `
    select key from json_each(:suffixes)
    where value is not null and key >= head_length and (key = :most or has_tail)
      and head_length * ${PAIRS} + :most - key not in (select value from json_each(:spoiled))
      and exists (select 1 ${tagsWith('head', `and t.${suffix} = value`)}) limit 1`
  const first = `
    select t.member_id * ${MAX_TAGS} + t.position
    ${tagsWith('head', `and t.${suffix} = value`)} order by t.member_id, t.position limit 1`
  return statement<
    'set' | 'guild' | 'prefixes' | 'suffixes' | 'most' | 'spoiled' | 'bare' | 'brackets' | 'target',
    Candidate
  >(`
     select members.*, own.member_id as in_guild, own.display_name as guild_display_name,
       own.avatar_url as guild_avatar_url, own.keep_proxy as guild_keep_proxy
     from members left join member_guilds own
       on own.member_id = members.id and own.guild_id = :guild
     where members.id in (
       select first / ${MAX_TAGS} from (
         select (${first}) as first
         from (select head_length, head, (${longest}) as tail from (${known}) limit -1)
         cross join json_each(:suffixes) where key = tail
         order by head_length - key desc, first limit 1
       )
       union all
       select (
         select t.member_id from proxy_tag_keys t
         where t.set_id = :set and t.bare_key = :bare and t.brackets = value and t.gap = (
           select max(w.gap) from proxy_tag_keys w
           where w.set_id = :set and w.bare_key = :bare and w.brackets = value
         )
         order by t.member_id, t.position limit 1
       ) from json_each(:brackets)
       union all select :target
     )
     order by members.id`)
}

const candidates = {
  asWritten: createCandidates('prefix', 'suffix'),
  inAnyCase: createCandidates('prefix_key', 'suffix_key'),
}
