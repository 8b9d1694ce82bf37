import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import {
  accounts,
  autoproxies,
  guilds,
  memberGuilds,
  members,
  proxyTagKeys,
  systemGuilds,
  systemSettings,
  systems,
} from '../db/tables'
import type { Member } from '../model/member'
import {
  autoproxyTarget,
  type Decision,
  decide,
  type ProxyContext,
  type ProxyMessage,
} from '../model/proxy'
import { keysOfContent } from '../model/proxyTags'
import type { System } from '../model/system'
import { type GuildAutoproxy, getAutoproxy, storeAutoproxy } from './autoproxy'
import type { Deps } from './deps'

export interface ProxyRequest extends ProxyMessage {
  account_id: string
  guild_id: string
  /** Only says what would be done. */
  dry_run: boolean
}

/** What becomes of a message. The backslash commands take effect at once, a proxy when recorded. */
export async function decideMessage(
  deps: Deps,
  request: ProxyRequest,
): Promise<{ decision: Decision<Speaker>; system: System | null }> {
  const loaded = await load(deps.db, request)
  const decision = decide(loaded?.context ?? null, request)
  if (loaded && !request.dry_run) await applyCommand(deps, loaded.system, request, decision)
  return { decision, system: loaded?.system ?? null }
}

/** A member as the engine takes it, with all that an answer shows of it. */
export type Speaker = Member & ProxyContext['members'][number]

async function applyCommand(
  deps: Deps,
  { id }: System,
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
): Promise<{ context: ProxyContext<Speaker>; system: System } | null> {
  const around = await surroundings(db).get({ account: account_id, guild: guild_id })
  if (!around) return null
  const { system, settings, account, systemGuild, guild } = around
  const fronters: number[] = JSON.parse(around.fronters)
  const autoproxy = {
    mode: around.autoproxy?.autoproxy_mode ?? 'off',
    member: around.autoproxy?.autoproxy_member ?? null,
    last_latch: around.autoproxy?.last_latch_timestamp ?? null,
  }
  const { prefixes, suffixes, bares } = keysOfContent(content ?? '')
  const rows = await candidates(db).all({
    system: system.id,
    guild: guild_id,
    prefixes: JSON.stringify(prefixes.filter((prefix) => prefix !== '')),
    suffixes: JSON.stringify(suffixes),
    bares: JSON.stringify(bares),
    target: autoproxyTarget({ autoproxy, fronters }),
  })
  const context = {
    system,
    settings,
    systemGuild,
    guild: guild ?? { disabled_channels: [], require_system_tag: false },
    account,
    autoproxy,
    fronters,
    members: rows.map(({ member, guild: own }) => ({ ...member, guild: own })),
  }
  return { context, system }
}

const surroundings = prepared((db) =>
  db
    .select({
      account: accounts,
      system: systems,
      settings: systemSettings,
      systemGuild: systemGuilds,
      guild: guilds,
      autoproxy: autoproxies,
      fronters: sql<string>`(
        select json_group_array(f.member_id order by f.position) from switch_members f
        where f.switch_id = (
          select s.id from switches s
          where s.system_id = ${systems.id} order by s.timestamp desc limit 1
        )
      )`,
    })
    .from(accounts)
    .innerJoin(systems, eq(systems.id, accounts.system_id))
    .innerJoin(systemSettings, eq(systemSettings.system_id, systems.id))
    .leftJoin(
      systemGuilds,
      and(
        eq(systemGuilds.system_id, systems.id),
        eq(systemGuilds.guild_id, sql.placeholder('guild')),
      ),
    )
    .leftJoin(guilds, eq(guilds.guild_id, sql.placeholder('guild')))
    .leftJoin(
      autoproxies,
      and(
        eq(autoproxies.system_id, systems.id),
        eq(autoproxies.guild_id, sql.placeholder('guild')),
      ),
    )
    .where(eq(accounts.id, sql.placeholder('account')))
    .prepare(),
)

/**
 * Members with a tag that could match, and the target of autoproxy. Tags with and without a prefix
 * are looked up apart (the "+" keeps the suffix out of the first look-up), so that the index is
 * asked once per prefix or suffix and not once per pair of them.
 */
const candidates = prepared((db) =>
  db
    .select({ member: getTableColumns(members), guild: memberGuilds })
    .from(members)
    .leftJoin(
      memberGuilds,
      and(
        eq(memberGuilds.member_id, members.id),
        eq(memberGuilds.guild_id, sql.placeholder('guild')),
      ),
    )
    .where(
      sql`${members.id} in (
        select t.member_id from ${proxyTagKeys} t
        where t.system_id = ${sql.placeholder('system')}
          and t.prefix_key in (select value from json_each(${sql.placeholder('prefixes')}))
          and +t.suffix_key in (select value from json_each(${sql.placeholder('suffixes')}))
        union all
        select t.member_id from ${proxyTagKeys} t
        where t.system_id = ${sql.placeholder('system')} and t.prefix_key = ''
          and t.suffix_key in (select value from json_each(${sql.placeholder('suffixes')}))
        union all
        select t.member_id from ${proxyTagKeys} t
        where t.system_id = ${sql.placeholder('system')}
          and t.bare_key in (select value from json_each(${sql.placeholder('bares')}))
        union all select ${sql.placeholder('target')}
      )`,
    )
    .orderBy(members.id)
    .prepare(),
)
