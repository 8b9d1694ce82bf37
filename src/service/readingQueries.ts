import { type Faced, objectSql, objectsSql } from '../db/faces'
import { isFinished } from '../db/finished'
import { behindGate, FACELESS, isoOf, listOf, listOfFaces } from '../db/spell'
import { statement } from '../db/statement'
import type { Eyes } from '../model/face'
import { MAX_SWITCHES } from '../model/switch'

/** The statements behind `reading.ts`: each answers with ready JSON. */

/** As the bytes that are sent: a text would be decoded only to be encoded again. */
export type Json = Uint8Array<ArrayBuffer>

function asBytes(json: string): string {
  return `cast(${json} as blob)`
}

export type BySystemRef = ReturnType<typeof bySystemRef>
export type ByRef = ReturnType<typeof byRef>

/** The JSON of members, by what selects them. */
const memberList = (eyes: Eyes, from: string, rest: string) =>
  listOfFaces(objectsSql('members', eyes, from, rest))

const orFaceless = (json: string) => `coalesce(${json}, '${FACELESS}')`

const onlyVisible = (eyes: Eyes, table: string) =>
  eyes === 'owner' ? '' : `and ${table}.visibility = 'public'`

const onlyListed = (eyes: Eyes) => (eyes === 'owner' ? '' : "and groups.list_privacy = 'public'")

export const systemJson = bySystemRef((eyes) => orFaceless(objectSql('systems', eyes)))

export const membersJson = bySystemRef((eyes) =>
  behindGate(
    'members',
    'systems',
    eyes,
    memberList(
      eyes,
      'members',
      `where members.system_id = systems.id ${onlyVisible(eyes, 'members')} order by members.id`,
    ),
  ),
)

export const groupsJson = bySystemRef(groupList(() => ''))

/** Strangers see no members of a group with a hidden list, and no hidden member anywhere. */
export const groupsWithMembersJson = bySystemRef(
  groupList((eyes) => {
    const uuids = `select json_group_array(uuid) from (
      select members.uuid from group_members join members on members.id = group_members.member_id
      where group_members.group_id = groups.id ${onlyListed(eyes)} ${onlyVisible(eyes, 'members')}
      order by group_members.member_id)`
    return `'"members":' || (${uuids}) || ','`
  }),
)

function groupList(extra: (eyes: Eyes) => string) {
  return (eyes: Eyes) =>
    behindGate(
      'groups',
      'systems',
      eyes,
      listOfFaces(
        objectsSql(
          'groups',
          eyes,
          'groups',
          `where groups.system_id = systems.id ${onlyVisible(eyes, 'groups')} order by groups.id`,
          extra(eyes),
        ),
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
  return behindGate(
    'history',
    'systems',
    eyes,
    listOf(
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
    'switch_members join members on members.id = switch_members.member_id',
    'where switch_members.switch_id = switches.id order by switch_members.position',
  )
  return `(select case when list = '${FACELESS}' then list else
      '{"id":"' || uuid || '","timestamp":"' || ${isoOf('timestamp')} || '","members":' || list || '}'
    end from (
      select switches.uuid, switches.timestamp, ${list} as list from switches
      where switches.system_id = systems.id and ${isFinished('switches')} ${condition}
    ))`
}

/** JSON's null when nobody has ever switched. */
export const frontersJson = bySystemRef((eyes) =>
  behindGate(
    'fronters',
    'systems',
    eyes,
    `coalesce(${frontJson(eyes, 'order by switches.timestamp desc limit 1')}, 'null')`,
  ),
)

export const switchJson = bySystemRef(
  (eyes) => behindGate('switch', 'systems', eyes, frontJson(eyes, 'and switches.uuid = :uuid')),
  ['uuid'],
)

const ownerHid = (table: string) =>
  `'"system":"' || (select systems.hid from systems where systems.id = ${table}.system_id) || '",'`

export const memberJson = byRef('members', (eyes) =>
  orFaceless(objectSql('members', eyes, ownerHid('members'))),
)

export const groupJson = byRef('groups', (eyes) =>
  orFaceless(objectSql('groups', eyes, ownerHid('groups'))),
)

export const groupMembersJson = byRef('groups', (eyes) =>
  behindGate(
    'groupMembers',
    'groups',
    eyes,
    memberList(
      eyes,
      'group_members join members on members.id = group_members.member_id',
      `where group_members.group_id = groups.id ${onlyVisible(eyes, 'members')} order by members.id`,
    ),
  ),
)

/** Strangers are not told from this side what a group's hidden list keeps from them. */
export const memberGroupsJson = byRef('members', (eyes) => {
  const list = listOfFaces(
    objectsSql(
      'groups',
      eyes,
      'group_members join groups on groups.id = group_members.group_id',
      `where group_members.member_id = members.id and groups.system_id = members.system_id
         ${onlyListed(eyes)} ${onlyVisible(eyes, 'groups')} order by groups.id`,
    ),
  )
  return `(select ${behindGate('groups', 'systems', eyes, list)}
    from systems where systems.id = members.system_id)`
})

/** As the owner when the viewer is the row's system, else as others. */
const seenByViewer = (table: Faced, system: string) =>
  orFaceless(
    `case when ${system} = :viewer then ${objectSql(table, 'owner')} else ${objectSql(table, 'others')} end`,
  )

/** Both are null once the member is gone. IDs of some platforms have quotation marks. */
const messageWhere = (names: string[], rest: string) =>
  statement<{ json: Json }>(
    names,
    () => `select ${asBytes(`case when system = '${FACELESS}' or member = '${FACELESS}' then '${FACELESS}' else
       '{"timestamp":"' || ${isoOf('timestamp')} || '","id":' || json_quote(id) ||
       ',"original":' || json_quote(original) || ',"sender":' || json_quote(sender) ||
       ',"channel":' || json_quote(channel) || ',"guild":' || json_quote(guild) ||
       ',"system":' || coalesce(system, 'null') || ',"member":' || coalesce(member, 'null') || '}'
     end`)} as json from (
       select messages.*, (
         select ${seenByViewer('systems', 'systems.id')} from systems
         where systems.id = messages.system_id and messages.member_id is not null
       ) as system, (
         select ${seenByViewer('members', 'members.system_id')} from members
         where members.id = messages.member_id
       ) as member
       from messages where ${rest}
     )`,
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
      () => `select ${asBytes(json(eyes))} as json from systems
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
      () => `select ${asBytes(json(eyes))} as json from ${table}
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
