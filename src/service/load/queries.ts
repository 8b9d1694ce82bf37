import type { Dialect } from '../../db/dialect'
import { CACHE_MISS, ifListPublicSql, jsonListSql, renderedListSql } from '../../db/jsonSql'
import {
  type RenderedTable,
  renderedObjectSql,
  renderedObjectSqlFor,
  renderedRowsSql,
} from '../../db/renderedJson'
import { statement } from '../../db/statement'
import { isEnabled, isLiveSwitch, isVisible } from '../../db/visibility'
import type { Serialized } from '../../model/privacy'
import type { Audience } from '../../model/renderedJson'
import { SWITCHES_PER_PAGE } from '../../model/switch'

/** The statements behind `reading.ts`: each answers with ready JSON. */

/** As the bytes that are sent: a text would be decoded only to be encoded again. */
export type Json = Uint8Array<ArrayBuffer> & Serialized

export type BySystemRef<More extends string> = ReturnType<typeof bySystemRef<More>>
export type ByRef = ReturnType<typeof byRef>

/** JSON for an audience, in the words of an engine. */
type Spell = (audience: Audience, say: Dialect) => string

/** The JSON of members, by what selects them. */
const memberList = (say: Dialect, audience: Audience, from: string, rest: string) =>
  renderedListSql(say, renderedRowsSql('members', audience, from, rest))

const orFaceless = (json: string) => `coalesce(${json}, '${CACHE_MISS}')`

const onlyVisible = (audience: Audience, table: string) =>
  audience === 'owner' ? '' : `and ${table}.visibility = 'public'`

const onlyListed = (audience: Audience) =>
  audience === 'owner' ? '' : "and groups.list_privacy = 'public'"

export const systemJson = bySystemRef((audience) =>
  orFaceless(renderedObjectSql('systems', audience)),
)

export const membersJson = bySystemRef((audience, say) =>
  ifListPublicSql(
    'members',
    'systems',
    audience,
    memberList(
      say,
      audience,
      'members',
      `where members.system_id = systems.id ${onlyVisible(audience, 'members')} order by members.id`,
    ),
  ),
)

export const groupsJson = bySystemRef(groupList(() => ''))

/** Strangers see no members of a group with a hidden list, and no hidden member anywhere. */
export const groupsWithMembersJson = bySystemRef(
  groupList((audience, { jsonTexts }) => {
    const uuids = jsonTexts(
      'members.uuid',
      `group_members join members on members.id = group_members.member_id
       where group_members.group_id = groups.id ${onlyListed(audience)} ${onlyVisible(audience, 'members')}`,
      'group_members.member_id',
    )
    return `'"members":' || ${uuids} || ','`
  }),
)

function groupList(extra: Spell): Spell {
  return (audience, say) =>
    ifListPublicSql(
      'groups',
      'systems',
      audience,
      renderedListSql(
        say,
        renderedRowsSql(
          'groups',
          audience,
          'groups',
          `where groups.system_id = systems.id ${onlyVisible(audience, 'groups')} order by groups.id`,
          extra(audience, say),
        ),
      ),
    )
}

/** A limit that is known beforehand saves a sixth of the work, so the usual one is fixed. */
export const pageOfSwitchesJson = bySystemRef<'before'>((audience, say) =>
  switchList(say, audience, SWITCHES_PER_PAGE),
)
export const someSwitchesJson = bySystemRef<'before' | 'limit'>((audience, say) =>
  switchList(say, audience, ':limit'),
)

function switchList(say: Dialect, audience: Audience, limit: number | ':limit'): string {
  const hids = say.jsonTexts(
    'members.hid',
    `switch_members join members on members.id = switch_members.member_id
     where switch_members.switch_id = switches.id and ${isVisible('members')}`,
    'switch_members.position',
  )
  return ifListPublicSql(
    'history',
    'systems',
    audience,
    jsonListSql(
      say,
      `select '{"id":"' || switches.uuid || '","timestamp":"' || ${say.isoTimestamp('switches.timestamp')} ||
         '","members":' || ${hids} || '}' as json
       from switches where switches.system_id = systems.id and switches.timestamp < :before
         and ${isLiveSwitch('switches', 'systems.forgotten_switches')}
       order by switches.timestamp desc limit ${limit}`,
    ),
  )
}

/** The one switch that a condition selects, with its members as objects. */
function frontJson(say: Dialect, audience: Audience, condition: string): string {
  const list = memberList(
    say,
    audience,
    'switch_members join members on members.id = switch_members.member_id',
    `where switch_members.switch_id = switches.id and ${isVisible('members')}
     order by switch_members.position`,
  )
  return `(select case when list = '${CACHE_MISS}' then list else
      '{"id":"' || uuid || '","timestamp":"' || ${say.isoTimestamp('timestamp')} || '","members":' || list || '}'
    end from (
      select switches.uuid, switches.timestamp, ${list} as list from switches
      where switches.system_id = systems.id and ${isLiveSwitch('switches', 'systems.forgotten_switches')} ${condition}
     ${say.fence}) front)`
}

/** JSON's null when nobody has ever switched. */
export const frontersJson = bySystemRef((audience, say) =>
  ifListPublicSql(
    'fronters',
    'systems',
    audience,
    `coalesce(${frontJson(say, audience, 'order by switches.timestamp desc limit 1')}, 'null')`,
  ),
)

export const switchJson = bySystemRef<'uuid'>((audience, say) =>
  ifListPublicSql(
    'switch',
    'systems',
    audience,
    frontJson(say, audience, 'and switches.uuid = :uuid'),
  ),
)

const ownerHid = (table: string) =>
  `'"system":"' || (select systems.hid from systems where systems.id = ${table}.system_id) || '",'`

export const memberJson = byRef('members', (audience) =>
  orFaceless(renderedObjectSql('members', audience, ownerHid('members'))),
)

export const groupJson = byRef('groups', (audience) =>
  orFaceless(renderedObjectSql('groups', audience, ownerHid('groups'))),
)

export const groupMembersJson = byRef('groups', (audience, say) =>
  ifListPublicSql(
    'groupMembers',
    'groups',
    audience,
    memberList(
      say,
      audience,
      'group_members join members on members.id = group_members.member_id',
      `where group_members.group_id = groups.id ${onlyVisible(audience, 'members')} order by members.id`,
    ),
  ),
)

/** Strangers are not told from this side what a group's hidden list keeps from them. */
export const memberGroupsJson = byRef('members', (audience, say) => {
  const list = renderedListSql(
    say,
    renderedRowsSql(
      'groups',
      audience,
      'group_members join groups on groups.id = group_members.group_id',
      `where group_members.member_id = members.id and groups.system_id = members.system_id
         ${onlyListed(audience)} ${onlyVisible(audience, 'groups')} order by groups.id`,
    ),
  )
  return `(select ${ifListPublicSql('groups', 'systems', audience, list)}
    from systems where systems.id = members.system_id)`
})

/** Both are null once the member is gone. IDs of some platforms have quotation marks. */
const messageWhere = <Name extends string>(rest: string) =>
  statement<Name | 'viewer', { json: Json }>(
    (
      say,
    ) => `select ${say.bytes(`case when system = '${CACHE_MISS}' or member = '${CACHE_MISS}' then '${CACHE_MISS}' else
       '{"timestamp":"' || ${say.isoTimestamp('timestamp')} || '","id":' || ${say.jsonString('id')} ||
       ',"original":' || ${say.jsonString('original')} || ',"sender":' || ${say.jsonString('sender')} ||
       ',"channel":' || ${say.jsonString('channel')} || ',"guild":' || ${say.jsonString('guild')} ||
       ',"system":' || coalesce(system, 'null') || ',"member":' || coalesce(member, 'null') || '}'
     end`)} as json from (
       select messages.*,
         case when members.id is not null then ${orFaceless(renderedObjectSqlFor('systems', 'systems.id = :viewer'))} end
           as system,
         case when members.id is not null then ${orFaceless(renderedObjectSqlFor('members', 'members.system_id = :viewer'))} end
           as member
       from messages
       join systems on systems.id = messages.system_id and ${isVisible('systems')} and ${isEnabled('systems')}
       left join members on members.id = messages.member_id and ${isVisible('members')}
       where ${rest}
       ${say.fence}) found`,
  )

export const messageById = messageWhere<'id'>('messages.id = :id')

export const messageByOriginal = messageWhere<'original' | 'since'>(
  `messages.original = :original and messages.timestamp > :since
   order by messages.timestamp desc limit 1`,
)

/** One statement for each way to name a system and for either audience. */
function bySystemRef<More extends string = never>(json: Spell) {
  const where = (audience: Audience, condition: string) =>
    statement<'ref' | 'viewer' | More, { json: Json | null }>(
      (say) => `select ${say.bytes(json(audience, say))} as json from systems
       where ${condition}${isTheirs(audience, 'systems', 'systems.id')}`,
    )
  return forEither((audience) => ({
    id: where(audience, `systems.id = :ref and ${isVisible('systems')}`),
    hid: where(audience, 'systems.hid = :ref'),
    uuid: where(audience, 'systems.uuid = :ref'),
    account: where(
      audience,
      'systems.id = (select system_id from accounts where accounts.id = :ref)',
    ),
  }))
}

/** One statement for each way to name a member or a group and for either audience. */
function byRef(table: 'members' | 'groups', json: Spell) {
  const where = (audience: Audience, column: 'hid' | 'uuid') =>
    statement<'ref' | 'viewer', { json: Json | null }>(
      (say) => `select ${say.bytes(json(audience, say))} as json from ${table}
       where ${table}.${column} = :ref${isTheirs(audience, table, `${table}.system_id`)}`,
    )
  return forEither((audience) => ({ hid: where(audience, 'hid'), uuid: where(audience, 'uuid') }))
}

/** The owner's statement finds nothing for anybody else, that of others nothing that is disabled. */
function isTheirs(audience: Audience, table: RenderedTable, system: string): string {
  return audience === 'owner' ? ` and ${system} = :viewer` : ` and ${isEnabled(table)}`
}

function forEither<T>(make: (audience: Audience) => T): Record<Audience, T> {
  return { owner: make('owner'), others: make('others') }
}
