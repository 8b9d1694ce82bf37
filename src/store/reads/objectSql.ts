import { and, eq, gt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, query } from '../../db/query'
import { columnFor } from '../../db/renderedJson'
import { accounts, groupMembers, messages, switchMembers } from '../../db/tables'
import {
  visibleGroups as groups,
  isEnabled,
  liveSwitchesOf,
  visibleMembers as members,
  visibleSystems as systems,
} from '../../db/visible'
import type { Audience, Serialized } from '../../model/core/privacy'
import { SWITCHES_PER_PAGE } from '../../model/front/switch'
import {
  extendedMemberSql,
  extendedObjectSql,
  ifListPublicSql,
  jsonListSql,
  renderedListSql,
  renderedObjectSql,
} from './jsonSql'

// Statements of `service/reads/objects.ts`. Each returns the JSON of a response: SQL text, because that
// is twice as fast as selecting rows.

/** JSON as bytes, because a string would be decoded only to be encoded again. */
export type Json = Uint8Array<ArrayBuffer> & Serialized

export type BySystemRef<More extends string> = ReturnType<typeof bySystemRef<More>>
export type ByRef = ReturnType<typeof byRef>

/** Builds the SQL expression of JSON for an audience, in the dialect of an engine. */
export type BuildJson<Name extends string = never> = (
  audience: Audience,
  dialect: Dialect,
  values: Placeholders<Name>,
) => SQL

export const onlyVisible = (audience: Audience, { visibility }: { visibility: SQLWrapper }) =>
  audience === 'owner' ? sql`` : sql`and ${visibility} = 'public'`

const onlyListed = (audience: Audience) =>
  audience === 'owner' ? sql`` : sql`and ${groups.list_privacy} = 'public'`

const switches = liveSwitchesOf(systems.id, systems.deleted_through_switch_id)

const switchMembersOfSwitch = sql`${switchMembers}
  join ${members} on ${members.id} = ${switchMembers.member_id}`

const groupMembersWithMembers = sql`${groupMembers}
  join ${members} on ${members.id} = ${groupMembers.member_id}`

export const systemJson = bySystemRef((audience) =>
  renderedObjectSql('systems', columnFor('systems', audience)),
)

export const extendedMemberJson = byRef('members', (audience, dialect) =>
  extendedMemberSql(dialect, audience),
)

export const groupsJson = bySystemRef(groupList(() => undefined))

/** Other callers get no members of a group with a private list, and no private members. */
export const groupsWithMembersJson = bySystemRef(
  groupList((audience, { jsonTexts }) => {
    const uuids = jsonTexts(
      members.uuid,
      sql`${groupMembersWithMembers} where ${groupMembers.group_id} = ${groups.id}
        ${onlyListed(audience)} ${onlyVisible(audience, members)}`,
      groupMembers.member_id,
    )
    return sql`'"members":' || ${uuids} || ','`
  }),
)

function groupList(extra: (...args: Parameters<BuildJson>) => SQL | undefined): BuildJson {
  return (audience, dialect, values) =>
    ifListPublicSql(
      'groups',
      systems,
      audience,
      renderedListSql(dialect, 'groups', audience, {
        rest: sql`where ${groups.system_id} = ${systems.id} ${onlyVisible(audience, groups)} order by ${groups.id}`,
        extra: extra(audience, dialect, values),
      }),
    )
}

/** A constant limit saves a sixth of the time, so the default page size has its own statement. */
export const pageOfSwitchesJson = bySystemRef<'before'>((audience, dialect, { before }) =>
  switchList(dialect, audience, before, sql`${SWITCHES_PER_PAGE}`),
)
export const someSwitchesJson = bySystemRef<'before' | 'limit'>(
  (audience, dialect, { before, limit }) => switchList(dialect, audience, before, limit),
)

function switchList(dialect: Dialect, audience: Audience, before: SQL, limit: SQL): SQL {
  const hids = dialect.jsonTexts(
    members.hid,
    sql`${switchMembersOfSwitch} where ${switchMembers.switch_id} = ${switches.id}`,
    switchMembers.position,
  )
  return ifListPublicSql(
    'history',
    systems,
    audience,
    jsonListSql(
      dialect,
      sql`select ${switchObject(dialect, hids)} as json
       from ${switches} where ${switches.system_id} = ${systems.id} and ${switches.timestamp} < ${before}
       order by ${switches.timestamp} desc limit ${limit}`,
    ),
  )
}

/** Builds the SQL of one switch, selected by a condition, with its members as objects. */
function frontJson(dialect: Dialect, audience: Audience, condition: SQL): SQL {
  const list = renderedListSql(dialect, 'members', audience, {
    from: switchMembersOfSwitch,
    rest: sql`where ${switchMembers.switch_id} = ${switches.id} order by ${switchMembers.position}`,
  })
  return sql`(select ${switchObject(dialect, list)}
    from ${switches} where ${switches.system_id} = ${systems.id} ${condition})`
}

function switchObject({ isoTimestamp }: Dialect, list: SQL): SQL {
  return sql`'{"id":"' || ${switches.uuid} || '","timestamp":"' || ${isoTimestamp(switches.timestamp)} ||
    '","members":' || ${list} || '}'`
}

/** JSON `null` if the system has no switches. */
export const frontersJson = bySystemRef((audience, dialect) =>
  ifListPublicSql(
    'fronters',
    systems,
    audience,
    sql`coalesce(${frontJson(dialect, audience, sql`order by ${switches.timestamp} desc limit 1`)}, 'null')`,
  ),
)

export const switchJson = bySystemRef<'uuid'>((audience, dialect, { uuid }) =>
  ifListPublicSql(
    'switch',
    systems,
    audience,
    frontJson(dialect, audience, sql`and ${switches.uuid} = ${uuid}`),
  ),
)

const ownerHid = ({ system_id }: { system_id: SQLWrapper }) =>
  sql`'"system":"' || (select ${systems.hid} from ${systems} where ${systems.id} = ${system_id}) || '",'`

export const memberJson = byRef('members', (audience, dialect) =>
  extendedObjectSql(dialect, 'members', audience, ownerHid(members)),
)

export const groupJson = byRef('groups', (audience, dialect) =>
  extendedObjectSql(dialect, 'groups', audience, ownerHid(groups)),
)

export const groupMembersJson = byRef('groups', (audience, dialect) =>
  ifListPublicSql(
    'groupMembers',
    groups,
    audience,
    renderedListSql(dialect, 'members', audience, {
      from: groupMembersWithMembers,
      rest: sql`where ${groupMembers.group_id} = ${groups.id} ${onlyVisible(audience, members)} order by ${members.id}`,
    }),
  ),
)

/** Other callers get no groups with a private member list, which would reveal a membership. */
export const memberGroupsJson = byRef('members', (audience, dialect) => {
  const list = renderedListSql(dialect, 'groups', audience, {
    from: sql`${groupMembers} join ${groups} on ${groups.id} = ${groupMembers.group_id}`,
    rest: sql`where ${groupMembers.member_id} = ${members.id} and ${groups.system_id} = ${members.system_id}
      ${onlyListed(audience)} ${onlyVisible(audience, groups)} order by ${groups.id}`,
  })
  return sql`(select ${ifListPublicSql('groups', systems, audience, list)}
    from ${systems} where ${systems.id} = ${members.system_id})`
})

/**
 * System and member are null once the member is deleted. IDs are quoted as JSON strings, because
 * those of some platforms contain quotation marks.
 */
function messageWhere<Name extends string>(rest: (values: Placeholders<Name>) => SQL | undefined) {
  return query((_, values: Placeholders<Name | 'viewer'>, dialect) => {
    const { bytes, isoTimestamp, jsonString } = dialect
    const jsonOf = (table: 'systems' | 'members', systemId: SQLWrapper) => {
      const json = sql`case when ${systemId} = ${values.viewer}
        then ${columnFor(table, 'owner')} else ${columnFor(table, 'public')} end`
      return sql`case when ${members.id} is null then 'null' else ${renderedObjectSql(table, json)} end`
    }
    const object = sql`
      '{"timestamp":"' || ${isoTimestamp(messages.timestamp)} ||
      '","id":' || ${jsonString(messages.id)} || ',"original":' || ${jsonString(messages.original)} ||
      ',"sender":' || ${jsonString(messages.sender)} || ',"channel":' || ${jsonString(messages.channel)} ||
      ',"guild":' || ${jsonString(messages.guild)} ||
      ',"system":' || ${jsonOf('systems', systems.id)} ||
      ',"member":' || ${jsonOf('members', members.system_id)} || '}'`
    return sql<{ json: Json }>`select ${bytes(object)} as json from ${messages}
      join ${systems} on ${systems.id} = ${messages.system_id} and ${isEnabled('systems')}
      left join ${members} on ${members.id} = ${messages.member_id}
      where ${rest(values)}`
  })
}

export const messageById = messageWhere<'id'>(({ id }) => eq(messages.id, id))

export const messageByOriginal = messageWhere<'original' | 'since'>(
  ({ original, since }) =>
    sql`${and(eq(messages.original, original), gt(messages.timestamp, since))}
      order by ${messages.timestamp} desc limit 1`,
)

/** Creates a statement for each kind of system reference and each audience. */
export function bySystemRef<More extends string = never>(json: BuildJson<More>) {
  const where = (audience: Audience, condition: (ref: SQL) => SQL) =>
    query(
      (_, values: Placeholders<'ref' | 'viewer' | More>, dialect) =>
        sql<{ json: Json | null }>`select ${dialect.bytes(json(audience, dialect, values))} as json
          from ${systems} where ${condition(values.ref)}
          and ${isOwnedBy(audience, 'systems', systems.id, values.viewer)}`,
    )
  return forAudiences((audience) => ({
    id: where(audience, (ref) => eq(systems.id, ref)),
    hid: where(audience, (ref) => eq(systems.hid, ref)),
    uuid: where(audience, (ref) => eq(systems.uuid, ref)),
    account: where(
      audience,
      (ref) =>
        sql`${systems.id} = (select ${accounts.system_id} from ${accounts} where ${accounts.id} = ${ref})`,
    ),
  }))
}

/** Creates a statement for each kind of reference to a member or group and each audience. */
function byRef(table: 'members' | 'groups', json: BuildJson) {
  const rows = { members, groups }[table]
  const where = (audience: Audience, column: 'hid' | 'uuid') =>
    query(
      (_, values: Placeholders<'ref' | 'viewer'>, dialect) =>
        sql<{ json: Json | null }>`select ${dialect.bytes(json(audience, dialect, values))} as json
          from ${rows} where ${rows[column]} = ${values.ref}
          and ${isOwnedBy(audience, table, rows.system_id, values.viewer)}`,
    )
  return forAudiences((audience) => ({
    hid: where(audience, 'hid'),
    uuid: where(audience, 'uuid'),
  }))
}

/** Restricts the owner's statement to rows of the viewer, and the other one to enabled systems. */
function isOwnedBy(
  audience: Audience,
  table: 'systems' | 'members' | 'groups',
  systemId: SQLWrapper,
  viewer: SQL,
): SQL {
  return audience === 'owner' ? sql`${systemId} = ${viewer}` : isEnabled(table)
}

function forAudiences<T>(create: (audience: Audience) => T): Record<Audience, T> {
  return { owner: create('owner'), public: create('public') }
}
