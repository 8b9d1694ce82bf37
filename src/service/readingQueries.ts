import { type SQL, sql } from 'drizzle-orm'
import { type Eyes, isoOf, jsonBehind, jsonFor, jsonList, jsonOf } from '../db/json'
import { prepared } from '../db/open'
import { groups, members, messages, systems } from '../db/tables'
import { group } from '../model/group'
import { member } from '../model/member'
import { system } from '../model/system'

/** The statements behind `reading.ts`: each answers with ready JSON. */

export type BySystemRef = ReturnType<typeof bySystemRef>
export type ByRef = ReturnType<typeof byRef>

const SYSTEM = 'systems.id'
const VIEWER = ':viewer'

/** The JSON of members, by what selects them. */
const memberList = (eyes: Eyes, from: string) =>
  jsonList(`select ${jsonOf(member, 'members', eyes)} as json from ${from}`)

const onlyVisible = (eyes: Eyes, table: string) =>
  eyes === 'owner' ? '' : `and ${table}.visibility = 'public'`

export const systemJson = bySystemRef(
  jsonFor(VIEWER, SYSTEM, (eyes) => jsonOf(system, 'systems', eyes)),
)

export const membersJson = bySystemRef(
  jsonBehind('members', 'systems', VIEWER, SYSTEM, (eyes) =>
    memberList(
      eyes,
      `members where members.system_id = systems.id ${onlyVisible(eyes, 'members')} order by members.id`,
    ),
  ),
)

export const groupsJson = bySystemRef(groupList(() => []))

/** Strangers see no members of a group with a hidden list, and no hidden member anywhere. */
export const groupsWithMembersJson = bySystemRef(
  groupList((eyes) => {
    const isShown = eyes === 'owner' ? '' : `and groups.list_privacy = 'public'`
    const uuids = `select json_group_array(members.uuid order by members.id) from group_members
      join members on members.id = group_members.member_id
      where group_members.group_id = groups.id ${isShown} ${onlyVisible(eyes, 'members')}`
    return [['members', `(${uuids})`]]
  }),
)

function groupList(extra: (eyes: Eyes) => [string, string][]): string {
  return jsonBehind('groups', 'systems', VIEWER, SYSTEM, (eyes) =>
    jsonList(
      `select ${jsonOf(group, 'groups', eyes, extra(eyes))} as json from groups
       where groups.system_id = systems.id ${onlyVisible(eyes, 'groups')} order by groups.id`,
    ),
  )
}

export const switchesJson = bySystemRef(
  jsonBehind('history', 'systems', VIEWER, SYSTEM, () =>
    jsonList(
      `select '{"id":"' || switches.uuid || '","timestamp":"' || ${isoOf('switches.timestamp')} ||
         '","members":' || (
           select json_group_array(members.hid order by switch_members.position)
           from switch_members join members on members.id = switch_members.member_id
           where switch_members.switch_id = switches.id
         ) || '}' as json
       from switches where switches.system_id = systems.id and switches.timestamp < :before
       order by switches.timestamp desc limit :limit`,
    ),
  ),
)

/** The one switch that a condition selects, with its members as objects. */
function frontJson(eyes: Eyes, condition: string): string {
  const list = memberList(
    eyes,
    `switch_members join members on members.id = switch_members.member_id
     where switch_members.switch_id = switches.id order by switch_members.position`,
  )
  return `(select '{"id":"' || switches.uuid || '","timestamp":"' || ${isoOf('switches.timestamp')} ||
    '","members":' || ${list} || '}' from switches
    where switches.system_id = systems.id ${condition})`
}

export const frontersJson = bySystemRef(
  jsonBehind('fronters', 'systems', VIEWER, SYSTEM, (eyes) =>
    frontJson(eyes, 'order by switches.timestamp desc limit 1'),
  ),
)

export const switchJson = bySystemRef(
  jsonBehind('switch', 'systems', VIEWER, SYSTEM, (eyes) =>
    frontJson(eyes, 'and switches.uuid = :uuid'),
  ),
)

const ownerHid = (table: string): [string, string][] => [
  ['system', `(select systems.hid from systems where systems.id = ${table}.system_id)`],
]

export const memberJson = byRef(
  members,
  jsonFor(VIEWER, 'members.system_id', (eyes) =>
    jsonOf(member, 'members', eyes, ownerHid('members')),
  ),
)

export const groupJson = byRef(
  groups,
  jsonFor(VIEWER, 'groups.system_id', (eyes) => jsonOf(group, 'groups', eyes, ownerHid('groups'))),
)

export const groupMembersJson = byRef(
  groups,
  jsonBehind('groupMembers', 'groups', VIEWER, 'groups.system_id', (eyes) =>
    memberList(
      eyes,
      `group_members join members on members.id = group_members.member_id
       where group_members.group_id = groups.id ${onlyVisible(eyes, 'members')} order by members.id`,
    ),
  ),
)

export const memberGroupsJson = byRef(
  members,
  `(select ${jsonBehind('groups', 'systems', VIEWER, SYSTEM, (eyes) =>
    jsonList(
      `select ${jsonOf(group, 'groups', eyes)} as json
       from group_members join groups on groups.id = group_members.group_id
       where group_members.member_id = members.id ${onlyVisible(eyes, 'groups')} order by groups.id`,
    ),
  )} from systems where systems.id = members.system_id)`,
)

/** Both are null once the member is gone. */
const messageExpression = `'{"timestamp":"' || ${isoOf('messages.timestamp')} ||
  '","id":"' || messages.id || '","original":"' || messages.original ||
  '","sender":"' || messages.sender || '","channel":"' || messages.channel ||
  '","guild":' || coalesce('"' || messages.guild || '"', 'null') || ',"system":' ||
  coalesce((select ${jsonFor(VIEWER, SYSTEM, (eyes) => jsonOf(system, 'systems', eyes))}
    from systems where systems.id = messages.system_id and messages.member_id is not null), 'null') ||
  ',"member":' || coalesce((
    select ${jsonFor(VIEWER, 'members.system_id', (eyes) => jsonOf(member, 'members', eyes))}
    from members where members.id = messages.member_id), 'null') || '}'`

export const messageById = prepared((db) =>
  db
    .select({ json: named<string>(messageExpression) })
    .from(messages)
    .where(named('messages.id = :id'))
    .prepare(),
)

export const messageByOriginal = prepared((db) =>
  db
    .select({ json: named<string>(messageExpression) })
    .from(messages)
    .where(named('messages.original = :id and messages.timestamp > :since'))
    .orderBy(named('messages.timestamp desc'))
    .limit(1)
    .prepare(),
)

/** One statement for each way to name a system. */
function bySystemRef(json: string) {
  const where = (condition: string) =>
    prepared((db) =>
      db
        .select({
          id: systems.id,
          front_privacy: systems.front_privacy,
          json: named<string | null>(json),
        })
        .from(systems)
        .where(named(condition))
        .prepare(),
    )
  return {
    id: where('systems.id = :ref'),
    hid: where('systems.hid = :ref'),
    uuid: where('systems.uuid = :ref'),
    account: where('systems.id = (select system_id from accounts where accounts.id = :ref)'),
  }
}

/** One statement for each way to name a member or a group. */
function byRef(table: typeof members | typeof groups, json: string) {
  const where = (column: 'hid' | 'uuid') =>
    prepared((db) =>
      db
        .select({ json: named<string | null>(json) })
        .from(table)
        .where(named(`${column} = :ref`))
        .prepare(),
    )
  return { hid: where('hid'), uuid: where('uuid') }
}

/** SQL in which `:name` stands for a value given at each call. */
function named<T>(text: string): SQL<T> {
  const parts = text.split(/:(\w+)/)
  return sql.join(
    parts.map((part, at) => (at % 2 === 1 ? sql.placeholder(part) : sql.raw(part))),
  ) as SQL<T>
}
