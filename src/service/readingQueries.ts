import { isFinished } from '../db/finished'
import { type Eyes, isoOf, jsonBehind, jsonFor, jsonList, jsonOf } from '../db/json'
import { statement } from '../db/statement'
import { group } from '../model/group'
import { member } from '../model/member'
import { MAX_SWITCHES } from '../model/switch'
import { system } from '../model/system'

/** The statements behind `reading.ts`: each answers with ready JSON. */

/** As the bytes that are sent: a text would be decoded only to be encoded again. */
export type Json = Uint8Array<ArrayBuffer>

function asBytes(json: string): string {
  return `cast(${json} as blob)`
}

export type BySystemRef = ReturnType<typeof bySystemRef>
export type ByRef = ReturnType<typeof byRef>

/** The JSON of members, by what selects them. */
const memberList = (eyes: Eyes, from: string) =>
  jsonList(`select ${jsonOf(member, 'members', eyes)} as json from ${from}`)

const onlyVisible = (eyes: Eyes, table: string) =>
  eyes === 'owner' ? '' : `and ${table}.visibility = 'public'`

const onlyListed = (eyes: Eyes) => (eyes === 'owner' ? '' : "and groups.list_privacy = 'public'")

export const systemJson = bySystemRef((eyes) => jsonOf(system, 'systems', eyes))

export const membersJson = bySystemRef((eyes) =>
  jsonBehind(
    'members',
    'systems',
    eyes,
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
    const uuids = `select json_group_array(uuid) from (
      select members.uuid from group_members join members on members.id = group_members.member_id
      where group_members.group_id = groups.id ${onlyListed(eyes)} ${onlyVisible(eyes, 'members')}
      order by group_members.member_id)`
    return [['members', `(${uuids})`]]
  }),
)

function groupList(extra: (eyes: Eyes) => [string, string][]) {
  return (eyes: Eyes) =>
    jsonBehind(
      'groups',
      'systems',
      eyes,
      jsonList(
        `select ${jsonOf(group, 'groups', eyes, extra(eyes))} as json from groups
         where groups.system_id = systems.id ${onlyVisible(eyes, 'groups')} order by groups.id`,
      ),
    )
}

/** A limit that SQLite knows beforehand saves it a sixth of the work, so the usual one is fixed. */
export const pageOfSwitchesJson = bySystemRef((eyes) => switchList(eyes, MAX_SWITCHES), ['before'])
export const someSwitchesJson = bySystemRef(
  (eyes) => switchList(eyes, ':limit'),
  ['before', 'limit'],
)

function switchList(eyes: Eyes, limit: number | ':limit'): string {
  return jsonBehind(
    'history',
    'systems',
    eyes,
    jsonList(
      `select '{"id":"' || switches.uuid || '","timestamp":"' || ${isoOf('switches.timestamp')} ||
         '","members":' || (
           select json_group_array(hid) from (
             select members.hid from switch_members
             join members on members.id = switch_members.member_id
             where switch_members.switch_id = switches.id order by switch_members.position
           )
         ) || '}' as json
       from switches where switches.system_id = systems.id and switches.timestamp < :before
         and ${isFinished('switches')}
       order by switches.timestamp desc limit ${limit}`,
    ),
  )
}

/** The one switch that a condition selects, with its members as objects. */
function frontJson(eyes: Eyes, condition: string): string {
  const list = memberList(
    eyes,
    `switch_members join members on members.id = switch_members.member_id
     where switch_members.switch_id = switches.id order by switch_members.position`,
  )
  return `(select '{"id":"' || switches.uuid || '","timestamp":"' || ${isoOf('switches.timestamp')} ||
    '","members":' || ${list} || '}' from switches
    where switches.system_id = systems.id and ${isFinished('switches')} ${condition})`
}

/** JSON's null when nobody has ever switched. */
export const frontersJson = bySystemRef((eyes) =>
  jsonBehind(
    'fronters',
    'systems',
    eyes,
    `coalesce(${frontJson(eyes, 'order by switches.timestamp desc limit 1')}, 'null')`,
  ),
)

export const switchJson = bySystemRef(
  (eyes) => jsonBehind('switch', 'systems', eyes, frontJson(eyes, 'and switches.uuid = :uuid')),
  ['uuid'],
)

const ownerHid = (table: string): [string, string][] => [
  ['system', `(select systems.hid from systems where systems.id = ${table}.system_id)`],
]

export const memberJson = byRef('members', (eyes) =>
  jsonOf(member, 'members', eyes, ownerHid('members')),
)

export const groupJson = byRef('groups', (eyes) =>
  jsonOf(group, 'groups', eyes, ownerHid('groups')),
)

export const groupMembersJson = byRef('groups', (eyes) =>
  jsonBehind(
    'groupMembers',
    'groups',
    eyes,
    memberList(
      eyes,
      `group_members join members on members.id = group_members.member_id
       where group_members.group_id = groups.id ${onlyVisible(eyes, 'members')} order by members.id`,
    ),
  ),
)

/** Strangers are not told from this side what a group's hidden list keeps from them. */
export const memberGroupsJson = byRef('members', (eyes) => {
  const list = jsonList(
    `select ${jsonOf(group, 'groups', eyes)} as json
     from group_members join groups on groups.id = group_members.group_id
     where group_members.member_id = members.id and groups.system_id = members.system_id
       ${onlyListed(eyes)} ${onlyVisible(eyes, 'groups')} order by groups.id`,
  )
  return `(select ${jsonBehind('groups', 'systems', eyes, list)}
    from systems where systems.id = members.system_id)`
})

/** Both are null once the member is gone. IDs of some platforms have quotation marks. */
const messageExpression = `'{"timestamp":"' || ${isoOf('messages.timestamp')} ||
  '","id":' || json_quote(messages.id) || ',"original":' || json_quote(messages.original) ||
  ',"sender":' || json_quote(messages.sender) || ',"channel":' || json_quote(messages.channel) ||
  ',"guild":' || json_quote(messages.guild) || ',"system":' ||
  coalesce((select ${jsonFor(':viewer', 'systems.id', (eyes) => jsonOf(system, 'systems', eyes))}
    from systems where systems.id = messages.system_id and messages.member_id is not null), 'null') ||
  ',"member":' || coalesce((
    select ${jsonFor(':viewer', 'members.system_id', (eyes) => jsonOf(member, 'members', eyes))}
    from members where members.id = messages.member_id), 'null') || '}'`

const messageWhere = (names: string[], rest: string) =>
  statement<{ json: Json }>(
    names,
    `select ${asBytes(messageExpression)} as json from messages where ${rest}`,
  )

export const messageById = messageWhere(['id', 'viewer'], 'messages.id = :id')

export const messageByOriginal = messageWhere(
  ['original', 'viewer', 'since'],
  `messages.original = :original and messages.timestamp > :since
   order by messages.timestamp desc limit 1`,
)

/** One statement for each way to name a system and for either eyes. */
function bySystemRef(json: (eyes: Eyes) => string, more: string[] = []) {
  const where = (eyes: Eyes, condition: string) =>
    statement<{ json: Json | null }>(
      ['ref', ...more, ...viewerFor(eyes)],
      `select ${asBytes(json(eyes))} as json from systems
       where ${condition}${isTheirs(eyes, 'systems.id')}`,
    )
  return forEither((eyes) => ({
    id: where(eyes, 'systems.id = :ref'),
    hid: where(eyes, 'systems.hid = :ref'),
    uuid: where(eyes, 'systems.uuid = :ref'),
    account: where(eyes, 'systems.id = (select system_id from accounts where accounts.id = :ref)'),
  }))
}

/** One statement for each way to name a member or a group and for either eyes. */
function byRef(table: 'members' | 'groups', json: (eyes: Eyes) => string) {
  const where = (eyes: Eyes, column: 'hid' | 'uuid') =>
    statement<{ json: Json | null }>(
      ['ref', ...viewerFor(eyes)],
      `select ${asBytes(json(eyes))} as json from ${table}
       where ${table}.${column} = :ref${isTheirs(eyes, `${table}.system_id`)}`,
    )
  return forEither((eyes) => ({ hid: where(eyes, 'hid'), uuid: where(eyes, 'uuid') }))
}

function viewerFor(eyes: Eyes): string[] {
  return eyes === 'owner' ? ['viewer'] : []
}

/** The owner's statement finds nothing for anybody else. */
function isTheirs(eyes: Eyes, system: string): string {
  return eyes === 'owner' ? ` and ${system} = :viewer` : ''
}

function forEither<T>(make: (eyes: Eyes) => T): Record<Eyes, T> {
  return { owner: make('owner'), others: make('others') }
}
