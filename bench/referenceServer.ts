import { Database } from 'bun:sqlite'
import { group } from '../src/model/groups/group'
import { member } from '../src/model/members/member'
import { system } from '../src/model/systems/system'
import { isoOf, jsonList, jsonOf } from './referenceJsonSql'

/**
 * Minimal server for the same responses: prepared statements that return JSON as bytes, without
 * authentication, limits, log or rules. Concurrent requests share nothing. It builds the JSON
 * inside SQLite at each read.
 */

const [path = '', durability = 'full'] = process.argv.slice(2)
const reader = new Database(path, { readonly: true })
const writer = new Database(path)
writer.run('PRAGMA busy_timeout = 5000')
writer.run(`PRAGMA synchronous = ${durability}`)

const entities = { systems: system, members: member, groups: group }

/** Returns SQL for the JSON object of a row, with an extra pair of key and SQL. */
function rowJson(
  table: keyof typeof entities,
  audience: 'owner' | 'public',
  extra?: [key: string, sql: string],
): string {
  return jsonOf(entities[table], table, audience, extra ? [extra] : [])
}

const owner = rowJson('members', 'owner')
const withSystem = rowJson('members', 'owner', [
  'system',
  '(select hid from systems where systems.id = members.system_id)',
])
const frontMembers = jsonList(
  `select ${owner} as json from switch_members join members on members.id = switch_members.member_id
   where switch_members.switch_id = switches.id order by switch_members.position`,
)
const front = `'{"id":"' || switches.uuid || '","timestamp":"' || ${isoOf('switches.timestamp')} ||
  '","members":' || ${frontMembers} || '}'`
const message = (
  audience: 'owner' | 'public',
) => `'{"timestamp":"' || ${isoOf('messages.timestamp')} ||
  '","id":"' || messages.id || '","original":"' || messages.original || '","sender":"' ||
  messages.sender || '","channel":"' || messages.channel || '","guild":"' || messages.guild ||
  '","system":' || (select ${rowJson('systems', audience)} from systems where systems.id = messages.system_id) ||
  ',"member":' || (select ${rowJson('members', audience)} from members where members.id = messages.member_id) || '}'`

type Json = { json: Uint8Array<ArrayBuffer> }
const read = <P extends (string | number)[]>(json: string, rest: string) =>
  reader.query<Json, P>(`select cast(${json} as blob) as json ${rest}`)

const getSystem = read<[string]>(rowJson('systems', 'owner'), 'from systems where hid = ?')
const getMember = read<[string]>(withSystem, 'from members where hid = ?')
const getFronters = read<[string]>(
  front,
  `from switches where system_id = (select id from systems where hid = ?)
   order by timestamp desc limit 1`,
)
const getMessage = read<[string]>(message('public'), 'from messages where id = ?')
const getMembers = read<[string]>(
  jsonList(
    `select ${owner} as json from members where system_id = (select id from systems where hid = ?) order by id`,
  ),
  '',
)
const getGroups = read<[string]>(
  jsonList(
    `select ${rowJson('groups', 'owner', [
      'members',
      `(select json_group_array(uuid) from (select members.uuid from group_members
        join members on members.id = group_members.member_id
        where group_members.group_id = groups.id order by group_members.member_id))`,
    ])} as json from groups where system_id = (select id from systems where hid = ?) order by id`,
  ),
  '',
)
const getSwitches = read<[string, number]>(
  jsonList(
    `select '{"id":"' || uuid || '","timestamp":"' || ${isoOf('timestamp')} || '","members":' || (
       select json_group_array(hid) from (select members.hid from switch_members
       join members on members.id = member_id where switch_id = switches.id order by position)) || '}' as json
     from switches where system_id = (select id from systems where hid = ?) and timestamp < ?
     order by timestamp desc limit 100`,
  ),
  '',
)
const patchMember = writer.query<Json, [string, string]>(
  `update members set color = ? where hid = ?
   returning cast(${jsonOf(member, 'members', 'owner')} as blob) as json`,
)
const addSwitch = writer.query<{ id: number }, [string, string, number]>(
  'insert into switches (uuid, system_id, timestamp) values (?, (select id from systems where hid = ?), ?) returning id',
)
const addFronter = writer.query(
  'insert into switch_members values (?, ?, (select id from members where hid = ?))',
)
const getFront = writer.query<Json, [number]>(
  `select cast(${front} as blob) as json from switches where id = ?`,
)
const findMember = reader.query<
  { hid: string; tag: string; name: string; avatar_url: string; json: string },
  [string, string]
>(
  `select systems.hid, systems.tag, coalesce(members.display_name, members.name) as name,
     members.avatar_url, ${owner} as json
   from accounts join systems on systems.id = accounts.system_id
   join proxy_tag_index on proxy_tag_index.index_id = systems.id
   join members on members.id = proxy_tag_index.member_id
   where accounts.id = ? and proxy_tag_index.prefix_key = ?`,
)
const addMessage = writer.query(
  `insert into messages select ?, ?, ?, ?, ?, system_id, id, ? from members where hid = ?`,
)
const countMessage = writer.query(
  'update members set message_count = message_count + 1, last_message_timestamp = ? where hid = ?',
)
const getRecorded = writer.query<Json, [string]>(
  `select cast(${message('owner')} as blob) as json from messages where id = ?`,
)

const json = (body: string | Uint8Array<ArrayBuffer> | undefined, status = 200) =>
  new Response(body, { status, headers: { 'content-type': 'application/json;charset=utf-8' } })

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const [, , noun, ref = '', part] = pathname.split('/')
    if (request.method === 'GET') {
      if (noun === 'members') return json(getMember.get(ref)?.json)
      if (noun === 'messages') return json(getMessage.get(ref)?.json)
      if (part === undefined) return json(getSystem.get(ref)?.json)
      if (part === 'fronters') return json(getFronters.get(ref)?.json)
      if (part === 'members') return json(getMembers.get(ref)?.json)
      if (part === 'groups') return json(getGroups.get(ref)?.json)
      const before = searchParams.get('before')
      return json(
        getSwitches.get(ref, before ? Date.parse(before) * 1000 : Number.MAX_SAFE_INTEGER)?.json,
      )
    }
    const body = (await request.json()) as Record<string, string & string[]>
    if (noun === 'members') return json(patchMember.get(body.color ?? '', ref)?.json)
    if (noun === 'systems')
      return json(logSwitch(ref, body.members ?? [], Date.parse(body.timestamp ?? '') * 1000))
    if (pathname === '/bot/proxy') return json(decide(body.account_id ?? '', body.content ?? ''))
    return json(record(body), 201)
  },
})
console.log(server.url.href)

const logSwitch = writer.transaction((hid: string, members: string[], timestamp: number) => {
  const created = addSwitch.get(crypto.randomUUID(), hid, timestamp)
  if (!created) return undefined
  for (const [position, fronter] of members.entries()) addFronter.run(created.id, position, fronter)
  return getFront.get(created.id)?.json
})

function decide(account: string, content: string): string | undefined {
  const prefix = content.slice(0, content.indexOf(':') + 1)
  const found = findMember.get(account, prefix)
  if (!found) return undefined
  const { hid, tag, name, avatar_url, json } = found
  const shown = `${name} ${tag}`
  const matched = { by: 'tags', tag: { prefix, suffix: null }, mode: null }
  const message = {
    content: content.slice(prefix.length),
    name: shown,
    plain_name: shown,
    avatar_url,
    tts: false,
  }
  return `{"action":"proxy","system":"${hid}","member":${json},"matched":${JSON.stringify(matched)},"message":${JSON.stringify(message)}}`
}

const record = writer.transaction((body: Record<string, string>) => {
  const { id = '', original = '', sender = '', channel = '', guild = '', member: hid = '' } = body
  const timestamp = Date.parse(body.timestamp ?? '') * 1000
  addMessage.run(id, original, sender, channel, guild, timestamp, hid)
  countMessage.run(timestamp, hid)
  return getRecorded.get(id)?.json
})
