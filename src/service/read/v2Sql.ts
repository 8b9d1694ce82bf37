import {
  extendedObjectSql,
  ifListPublicSql,
  jsonListSql,
  renderedListSql,
  renderedObjectSql,
} from '../../db/jsonSql'
import { columnFor, type RenderedTable } from '../../db/renderedJson'
import { statement } from '../../db/statement'
import type { TextDialect } from '../../db/textDialect'
import { isEnabled, isLiveSwitch, isVisible } from '../../db/visibility'
import type { Serialized } from '../../model/privacy'
import type { Audience } from '../../model/renderedJson'
import { SWITCHES_PER_PAGE } from '../../model/switch'

// Statements of `service/read/v2.ts`. Each returns the JSON of a response.

/** JSON as bytes, because a string would be decoded only to be encoded again. */
export type Json = Uint8Array<ArrayBuffer> & Serialized

export type BySystemRef<More extends string> = ReturnType<typeof bySystemRef<More>>
export type ByRef = ReturnType<typeof byRef>

/** Builds the SQL expression of JSON for an audience, in the dialect of an engine. */
type BuildJson = (audience: Audience, dialect: TextDialect) => string

const onlyVisible = (audience: Audience, table: string) =>
  audience === 'owner' ? '' : `and ${table}.visibility = 'public'`

const onlyListed = (audience: Audience) =>
  audience === 'owner' ? '' : "and groups.list_privacy = 'public'"

export const systemJson = bySystemRef((audience) =>
  renderedObjectSql('systems', columnFor(audience)),
)

export const membersJson = bySystemRef((audience, dialect) =>
  ifListPublicSql(
    'members',
    'systems',
    audience,
    renderedListSql(dialect, 'members', audience, {
      rest: `where members.system_id = systems.id ${onlyVisible(audience, 'members')} order by members.id`,
    }),
  ),
)

export const groupsJson = bySystemRef(groupList(() => undefined))

/** Other callers get no members of a group with a private list, and no private members. */
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

function groupList(extra: (...of: Parameters<BuildJson>) => string | undefined): BuildJson {
  return (audience, dialect) =>
    ifListPublicSql(
      'groups',
      'systems',
      audience,
      renderedListSql(dialect, 'groups', audience, {
        rest: `where groups.system_id = systems.id ${onlyVisible(audience, 'groups')} order by groups.id`,
        extra: extra(audience, dialect),
      }),
    )
}

/** A constant limit saves a sixth of the time, so the default page size has its own statement. */
export const pageOfSwitchesJson = bySystemRef<'before'>((audience, dialect) =>
  switchList(dialect, audience, SWITCHES_PER_PAGE),
)
export const someSwitchesJson = bySystemRef<'before' | 'limit'>((audience, dialect) =>
  switchList(dialect, audience, ':limit'),
)

function switchList(dialect: TextDialect, audience: Audience, limit: number | ':limit'): string {
  const hids = dialect.jsonTexts(
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
      dialect,
      `select '{"id":"' || switches.uuid || '","timestamp":"' || ${dialect.isoTimestamp('switches.timestamp')} ||
         '","members":' || ${hids} || '}' as json
       from switches where switches.system_id = systems.id and switches.timestamp < :before
         and ${isLiveSwitch('switches', 'systems.deleted_through_switch_id')}
       order by switches.timestamp desc limit ${limit}`,
    ),
  )
}

/** Builds the SQL of one switch, selected by a condition, with its members as objects. */
function frontJson(dialect: TextDialect, audience: Audience, condition: string): string {
  const list = renderedListSql(dialect, 'members', audience, {
    from: 'switch_members join members on members.id = switch_members.member_id',
    rest: `where switch_members.switch_id = switches.id and ${isVisible('members')}
      order by switch_members.position`,
  })
  return `(select '{"id":"' || switches.uuid || '","timestamp":"' || ${dialect.isoTimestamp('switches.timestamp')} ||
      '","members":' || ${list} || '}'
    from switches
    where switches.system_id = systems.id and ${isLiveSwitch('switches', 'systems.deleted_through_switch_id')} ${condition})`
}

/** JSON `null` if the system has no switches. */
export const frontersJson = bySystemRef((audience, dialect) =>
  ifListPublicSql(
    'fronters',
    'systems',
    audience,
    `coalesce(${frontJson(dialect, audience, 'order by switches.timestamp desc limit 1')}, 'null')`,
  ),
)

export const switchJson = bySystemRef<'uuid'>((audience, dialect) =>
  ifListPublicSql(
    'switch',
    'systems',
    audience,
    frontJson(dialect, audience, 'and switches.uuid = :uuid'),
  ),
)

const ownerHid = (table: string) =>
  `'"system":"' || (select systems.hid from systems where systems.id = ${table}.system_id) || '",'`

export const memberJson = byRef('members', (audience, dialect) =>
  extendedObjectSql(dialect, 'members', audience, ownerHid('members')),
)

export const groupJson = byRef('groups', (audience, dialect) =>
  extendedObjectSql(dialect, 'groups', audience, ownerHid('groups')),
)

export const groupMembersJson = byRef('groups', (audience, dialect) =>
  ifListPublicSql(
    'groupMembers',
    'groups',
    audience,
    renderedListSql(dialect, 'members', audience, {
      from: 'group_members join members on members.id = group_members.member_id',
      rest: `where group_members.group_id = groups.id ${onlyVisible(audience, 'members')} order by members.id`,
    }),
  ),
)

/** Other callers get no groups with a private member list, which would reveal a membership. */
export const memberGroupsJson = byRef('members', (audience, dialect) => {
  const list = renderedListSql(dialect, 'groups', audience, {
    from: 'group_members join groups on groups.id = group_members.group_id',
    rest: `where group_members.member_id = members.id and groups.system_id = members.system_id
      ${onlyListed(audience)} ${onlyVisible(audience, 'groups')} order by groups.id`,
  })
  return `(select ${ifListPublicSql('groups', 'systems', audience, list)}
    from systems where systems.id = members.system_id)`
})

/**
 * System and member are null once the member is deleted. IDs are quoted as JSON strings, because
 * those of some platforms contain quotation marks.
 */
const messageWhere = <Name extends string>(rest: string) => {
  const jsonOf = (table: 'systems' | 'members', isOwner: string) => {
    const column = `case when ${isOwner} then ${columnFor('owner')} else ${columnFor('public')} end`
    return `case when members.id is null then 'null' else ${renderedObjectSql(table, column)} end`
  }
  return statement<Name | 'viewer', { json: Json }>(
    ({ bytes, isoTimestamp, jsonString }) => `select ${bytes(`
       '{"timestamp":"' || ${isoTimestamp('messages.timestamp')} ||
       '","id":' || ${jsonString('messages.id')} || ',"original":' || ${jsonString('messages.original')} ||
       ',"sender":' || ${jsonString('messages.sender')} || ',"channel":' || ${jsonString('messages.channel')} ||
       ',"guild":' || ${jsonString('messages.guild')} ||
       ',"system":' || ${jsonOf('systems', 'systems.id = :viewer')} ||
       ',"member":' || ${jsonOf('members', 'members.system_id = :viewer')} || '}'`)} as json
     from messages
     join systems on systems.id = messages.system_id and ${isVisible('systems')} and ${isEnabled('systems')}
     left join members on members.id = messages.member_id and ${isVisible('members')}
     where ${rest}`,
  )
}

export const messageById = messageWhere<'id'>('messages.id = :id')

export const messageByOriginal = messageWhere<'original' | 'since'>(
  `messages.original = :original and messages.timestamp > :since
   order by messages.timestamp desc limit 1`,
)

/** Creates a statement for each kind of system reference and each audience. */
function bySystemRef<More extends string = never>(json: BuildJson) {
  const where = (audience: Audience, condition: string) =>
    statement<'ref' | 'viewer' | More, { json: Json | null }>(
      (dialect) => `select ${dialect.bytes(json(audience, dialect))} as json from systems
       where ${condition}${isOwnedBy(audience, 'systems', 'systems.id')}`,
    )
  return forAudiences((audience) => ({
    id: where(audience, `systems.id = :ref and ${isVisible('systems')}`),
    hid: where(audience, 'systems.hid = :ref'),
    uuid: where(audience, 'systems.uuid = :ref'),
    account: where(
      audience,
      'systems.id = (select system_id from accounts where accounts.id = :ref)',
    ),
  }))
}

/** Creates a statement for each kind of reference to a member or group and each audience. */
function byRef(table: 'members' | 'groups', json: BuildJson) {
  const where = (audience: Audience, column: 'hid' | 'uuid') =>
    statement<'ref' | 'viewer', { json: Json | null }>(
      (dialect) => `select ${dialect.bytes(json(audience, dialect))} as json from ${table}
       where ${table}.${column} = :ref${isOwnedBy(audience, table, `${table}.system_id`)}`,
    )
  return forAudiences((audience) => ({
    hid: where(audience, 'hid'),
    uuid: where(audience, 'uuid'),
  }))
}

/** Restricts the owner's statement to rows of the viewer, and the other one to enabled systems. */
function isOwnedBy(audience: Audience, table: RenderedTable, system: string): string {
  return audience === 'owner' ? ` and ${system} = :viewer` : ` and ${isEnabled(table)}`
}

function forAudiences<T>(create: (audience: Audience) => T): Record<Audience, T> {
  return { owner: create('owner'), public: create('public') }
}
