import { hiddenIdentity } from '../../src/db/visible'
import {
  countAttempt,
  deleteQueued,
  findQueued,
  listDue,
  pauseTarget,
  recordFailure,
  recordSuccess,
  sendAtOnce,
} from '../../src/events/push/queue'
import { deletePushTarget, listPushTargets, patchPushTarget } from '../../src/events/push/targets'
import { createHandler } from '../../src/http/handler'
import { operator } from '../../src/model/core/privacy'
import { DAY } from '../../src/model/core/time'
import type { Group } from '../../src/model/groups/group'
import type { Member } from '../../src/model/members/member'
import { createLog } from '../../src/runtime/log'
import { createCredentialCache } from '../../src/service/access/credentials'
import type { Deps } from '../../src/service/core/deps'
import { notifyFriends } from '../../src/service/friends/friendNotifications'
import { insertGroup } from '../../src/service/groups/groups'
import { insertMember } from '../../src/service/members/members'
import { deleteUnusedPictures } from '../../src/service/pictures/pictureCleanup'
import { exportPictures, findPicture, hasPicture } from '../../src/service/pictures/pictures'
import { sumPictures } from '../../src/service/pictures/pictureTotals'
import { purgeDeleted } from '../../src/service/systems/purge'
import { insertAccount } from '../../src/store/access/accountRows'
import { insertSwitch } from '../../src/store/front/switchChanges'
import { insertMembership } from '../../src/store/groups/membershipRows'
import { findSamePictures, isStored, storePicture } from '../../src/store/pictures/pictureRows'
import { insertMessage } from '../../src/store/proxy/messageRows'
import { enqueueFrontPush, enqueuePush } from '../../src/store/push/enqueuePush'
import { ME } from '../tools/me'
import {
  createBot,
  createLinkCode,
  patchMemberGuild,
  patchSystemGuild,
} from '../tools/operatorActions'
import { GIF_TEXT, smallPictures } from '../tools/pictures'
import { execute, insert } from '../tools/rawSql'
import { createRecorder } from '../tools/statementRecorder'
import { beforeAll, describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { openPlans } from './queryPlans'

const GUILD = '466707357099884544'

const { app, config, deps, makeSystem } = createTestApp({ PUBLIC_URL: 'https://plural.example' })
const { statements, recordStatements } = createRecorder()

const recordedDeps: Deps = {
  ...deps,
  db: recordStatements(deps.db),
  transact: (of, work) => deps.transact(of, (tx) => work(recordStatements(tx))),
  credentialCache: createCredentialCache(deps.sharedRead.credentialsVersion),
  snapshot: (work) => deps.snapshot((db) => work(recordStatements(db))),
}
const handle = createHandler({
  deps: recordedDeps,
  events: app.events,
  config,
  log: createLog('error', 'json', () => {}),
  checkHealth: app.storage.checkHealth,
  toUnavailable: app.storage.toUnavailable,
  shutdown: {},
})

const { reader, planOf, scansOf } = openPlans(app.storage.location)

interface Populated {
  someone: TestSystem
  members: Member[]
  groups: Group[]
  switches: string[]
}

const small = await populate({ members: 10, groups: 10, switches: 100, fronters: 1 })
const large = await populate({ members: 1000, groups: 250, switches: 1200, fronters: 150 })
const changing = await populate({ members: 10, groups: 10, switches: 100, fronters: 1 })

type Line = (of: Populated) => string

const reads: [string, Line][] = [
  ['a system by its short ID', ({ someone }) => `/systems/${someone.hid}`],
  ['a system by its UUID', ({ someone }) => `/systems/${someone.uuid}`],
  ['a system by its account', ({ someone }) => `/systems/${accountOf(someone)}`],
  ['the settings', () => '/systems/@me/settings'],
  ['the settings in a guild', () => `/systems/@me/guilds/${GUILD}`],
  ['autoproxy', () => `/systems/@me/autoproxy?guild_id=${GUILD}`],
  ['the members', () => '/systems/@me/members'],
  ['a member by its short ID', ({ members: [one] }) => `/members/${one?.hid}`],
  ['a member by its UUID', ({ members: [one] }) => `/members/${one?.uuid}`],
  ['a member in a guild', ({ members: [one] }) => `/members/${one?.hid}/guilds/${GUILD}`],
  ['a member’s groups', ({ members: [one] }) => `/members/${one?.hid}/groups`],
  ['the groups', () => '/systems/@me/groups'],
  ['the groups with members', () => '/systems/@me/groups?with_members=true'],
  ['a group by its short ID', ({ groups: [one] }) => `/groups/${one?.hid}`],
  ['a group by its UUID', ({ groups: [one] }) => `/groups/${one?.uuid}`],
  ['a group’s members', ({ groups: [one] }) => `/groups/${one?.hid}/members`],
  ['the newest switches', () => '/systems/@me/switches'],
  ['older switches', () => '/systems/@me/switches?limit=100&before=2026-01-01T00:00:00.0011Z'],
  ['a switch', ({ switches: [one] }) => `/systems/@me/switches/${one}`],
  ['the fronters', () => '/systems/@me/fronters'],
  ['a message by its ID', ({ someone }) => `/messages/${someone.id}01`],
  ['a message by its trigger', ({ someone }) => `/messages/${someone.id}00`],
]

const anonymousReads: [string, Line][] = [
  ['the members', ({ someone }) => `/systems/${someone.hid}/members`],
  ['the groups with members', ({ someone }) => `/systems/${someone.hid}/groups?with_members=true`],
  ['the newest switches', ({ someone }) => `/systems/${someone.hid}/switches`],
  ['the fronters', ({ someone }) => `/systems/${someone.hid}/fronters`],
]

/** Writes change the first row of each kind and delete the second. */
const writes: [string, Line, unknown?][] = [
  ['a new name of the system', () => 'PATCH /systems/@me', { name: 'The Hill' }],
  ['a code that links an account', () => 'POST /systems/@me/link-code'],
  ['new settings', () => 'PATCH /systems/@me/settings', { pings_enabled: false }],
  ['new settings in a guild', () => `PATCH /systems/@me/guilds/${GUILD}`, { tag: '| here' }],
  [
    'new autoproxy',
    () => `PATCH /systems/@me/autoproxy?guild_id=${GUILD}`,
    { autoproxy_mode: 'front' },
  ],
  ['a new member', () => 'POST /members', { name: 'Elm', proxy_tags: [{ prefix: 'e:' }] }],
  [
    'new tags of a member',
    ({ members: [one] }) => `PATCH /members/${one?.hid}`,
    { proxy_tags: [{ prefix: 'w:' }] },
  ],
  [
    'a member in a guild',
    ({ members: [one] }) => `PATCH /members/${one?.hid}/guilds/${GUILD}`,
    { keep_proxy: true },
  ],
  ['a new group', () => 'POST /groups', { name: 'Guests' }],
  ['a changed group', ({ groups: [one] }) => `PATCH /groups/${one?.hid}`, { color: '335577' }],
  ['an emptied group', ({ groups: [one] }) => `POST /groups/${one?.hid}/members/overwrite`, []],
  [
    'a member without groups',
    ({ members: [one] }) => `POST /members/${one?.hid}/groups/overwrite`,
    [],
  ],
  ['a switch', () => 'POST /systems/@me/switches', { members: [changing.members[3]?.hid] }],
  [
    'a moved switch',
    ({ switches: [one] }) => `PATCH /systems/@me/switches/${one}`,
    { timestamp: '2020-01-01' },
  ],
  ['an emptied switch', ({ switches: [one] }) => `PATCH /systems/@me/switches/${one}/members`, []],
  ['a deleted switch', ({ switches: [, two] }) => `DELETE /systems/@me/switches/${two}`],
  ['a deleted group', ({ groups: [, two] }) => `DELETE /groups/${two?.hid}`],
  ['a deleted member', ({ members: [, two] }) => `DELETE /members/${two?.hid}`],
]

/** Objects of the extension API by their names below, created before the requests. */
const extIds: Record<string, string> = {}
/** Others of the same names, which the requests delete, so that their order does not matter. */
const deletedIds: Record<string, string> = {}
const extObjects: [name: string, path: string, body: unknown][] = [
  ['field', 'fields', { name: 'Role', type: 'text' }],
  ['room', 'rooms', { name: 'General' }],
  ['post', 'posts', { text: 'Hello' }],
  ['note', 'notes', { text: 'Hello' }],
  ['comment', 'front/notes', { kind: 'comment', text: 'Hello' }],
  ['poll', 'polls', { name: 'Move?', options: [{ name: 'yes' }] }],
  ['reminder', 'reminders', { name: 'Check', kind: 'after_switch', after: 60, on: 'any' }],
]

/** Creates a friendship with a system, and a bucket that contains something of each kind. */
async function addFriend(ids: Record<string, string>): Promise<void> {
  const { token } = changing.someone
  const create = async (line: string, body: unknown, as = token) =>
    (await (await respond(line, as, body)).json()) as { id: string; code: string }
  const friend = await makeSystem('Friend')
  const { code } = await create('POST /ext/v1/friends/invites', { share: { see_members: true } })
  const friendship = await create('POST /ext/v1/friends', { code }, friend.token)
  ids.friend = friendship.id
  ids.invite = (await create('POST /ext/v1/friends/invites', {})).id
  ids.bucket = (await create('POST /ext/v1/buckets', { name: 'Close' })).id
  const share = { see_members: true }
  await create(`PATCH /ext/v1/friends/${friendship.id}`, { share }, friend.token)
}

const memberAt = (at: number) => changing.members[at]?.hid ?? ''
const groupAt = (at: number) => changing.groups[at]?.hid ?? ''

/** Requests to the extension API, which succeed in any order. */
const extRequests: [string, () => string, unknown?][] = [
  ['the members', () => `GET ${ME}/members`],
  ['the archived custom fronts', () => `GET ${ME}/members?kind=custom_front&archived=true`],
  ['a member', () => `GET /ext/v1/members/${memberAt(2)}`],
  ['a long description', () => `PATCH /ext/v1/members/${memberAt(2)}`, { about: 'Long' }],
  ['the fields', () => `GET ${ME}/fields`],
  ['a renamed field', () => `PATCH /ext/v1/fields/${extIds.field}`, { name: 'Roles' }],
  ['the groups', () => `GET ${ME}/groups`],
  ['a moved group', () => `PATCH /ext/v1/groups/${groupAt(3)}`, { position: 4 }],
  ['the front', () => `GET ${ME}/front`],
  ['a switch', () => `PUT ${ME}/switches/${crypto.randomUUID()}`, { members: [] }],
  ['a cancelled switch', () => `DELETE ${ME}/switches/${crypto.randomUUID()}`],
  ['the front notes', () => `GET ${ME}/front/notes`],
  ['the front notes of a member', () => `GET ${ME}/front/notes?member=${memberAt(2)}`],
  ['older front notes', () => `GET ${ME}/front/notes?before=${extIds.comment}`],
  ['a changed comment', () => `PATCH /ext/v1/front-notes/${extIds.comment}`, { text: 'Rain.' }],
  ['a deleted comment', () => `DELETE /ext/v1/front-notes/${deletedIds.comment}`],
  ['the settings', () => `GET ${ME}/settings`],
  ['new settings', () => `PATCH ${ME}/settings`, { front_status_privacy: 'public' }],
  ['the notes', () => `GET ${ME}/notes`],
  ['the notes of a member', () => `GET ${ME}/notes?member=${memberAt(2)}`],
  ['found notes', () => `GET ${ME}/notes?search=hello`],
  ['a note', () => `GET /ext/v1/notes/${extIds.note}`],
  ['a changed note', () => `PATCH /ext/v1/notes/${extIds.note}`, { member: memberAt(2) }],
  ['a deleted note', () => `DELETE /ext/v1/notes/${deletedIds.note}`],
  ['the rooms', () => `GET ${ME}/rooms`],
  ['a renamed room', () => `PATCH /ext/v1/rooms/${extIds.room}`, { name: 'Business' }],
  ['the posts', () => `GET ${ME}/posts`],
  ['the posts of a room', () => `GET ${ME}/posts?room=${extIds.room}`],
  ['the posts of a board', () => `GET ${ME}/posts?for=${memberAt(2)}`],
  ['the posts of the system', () => `GET ${ME}/posts?for=@system`],
  ['the unread posts', () => `GET ${ME}/posts?unread=true`],
  ['the numbers of unread posts', () => `GET ${ME}/posts/unread`],
  ['posts that were read', () => `POST ${ME}/posts/read`, { for: '@system' }],
  ['named posts that were read', () => `POST ${ME}/posts/read`, { ids: [crypto.randomUUID()] }],
  ['a changed post', () => `PATCH /ext/v1/posts/${extIds.post}`, { text: 'Bye' }],
  ['a deleted post', () => `DELETE /ext/v1/posts/${deletedIds.post}`],
  ['a deleted room', () => `DELETE /ext/v1/rooms/${deletedIds.room}`],
  ['the polls', () => `GET ${ME}/polls`],
  ['a poll', () => `GET /ext/v1/polls/${extIds.poll}`],
  ['a withdrawn vote', () => `DELETE /ext/v1/polls/${extIds.poll}/votes/${memberAt(2)}`],
  ['a renamed poll', () => `PATCH /ext/v1/polls/${extIds.poll}`, { name: 'Move it?' }],
  ['a deleted poll', () => `DELETE /ext/v1/polls/${deletedIds.poll}`],
  ['the reminders', () => `GET ${ME}/reminders`],
  [
    'a switch that sets a reminder',
    () => `PUT ${ME}/switches/${crypto.randomUUID()}`,
    { members: [memberAt(2)] },
  ],
  ['another time zone', () => 'PATCH /v2/systems/@me/settings', { timezone: 'Europe/Oslo' }],
  ['a tested reminder', () => `POST /ext/v1/reminders/${extIds.reminder}/test`],
  ['a changed reminder', () => `PATCH /ext/v1/reminders/${extIds.reminder}`, { after: 120 }],
  ['a deleted reminder', () => `DELETE /ext/v1/reminders/${deletedIds.reminder}`],
  ['a deleted field', () => `DELETE /ext/v1/fields/${deletedIds.field}`],
  ['the origins', () => `GET ${ME}/origins?app=simplyplural&collection=members`],
  ['a picture of a member', () => `PUT /ext/v1/members/${memberAt(2)}/picture`, GIF_TEXT],
  ['a removed picture', () => `DELETE /ext/v1/members/${memberAt(3)}/picture`],
  ['an icon', () => `PUT /ext/v1/groups/${groupAt(3)}/picture`, GIF_TEXT],
  ['the buckets', () => 'GET /ext/v1/buckets'],
  ['a new bucket', () => 'POST /ext/v1/buckets', { name: 'Partner' }],
  ['a renamed bucket', () => `PATCH /ext/v1/buckets/${extIds.bucket}`, { name: 'Closer' }],
  [
    'the contents of a bucket',
    () => `PUT /ext/v1/buckets/${extIds.bucket}/contents`,
    { members: [], groups: [], fields: [] },
  ],
  ['a member in no bucket', () => `PATCH /ext/v1/members/${memberAt(2)}`, { buckets: [] }],
  ['the friends', () => 'GET /ext/v1/friends'],
  ['the invitations', () => 'GET /ext/v1/friends/invites'],
  ['a new invitation', () => 'POST /ext/v1/friends/invites', {}],
  ['a withdrawn invitation', () => `DELETE /ext/v1/friends/invites/${deletedIds.invite}`],
  ['a changed friend', () => `PATCH /ext/v1/friends/${extIds.friend}`, { name: 'Sam' }],
  ['another share', () => `PATCH /ext/v1/friends/${extIds.friend}`, { share: { buckets: [] } }],
  ['the front of a friend', () => `GET /ext/v1/friends/${extIds.friend}/front`],
  ['the members of a friend', () => `GET /ext/v1/friends/${extIds.friend}/members`],
  ['the groups of a friend', () => `GET /ext/v1/friends/${extIds.friend}/groups`],
  ['the fields of a friend', () => `GET /ext/v1/friends/${extIds.friend}/fields`],
  ['an ended friendship', () => `DELETE /ext/v1/friends/${deletedIds.friend}`],
  ['a deleted bucket', () => `DELETE /ext/v1/buckets/${deletedIds.bucket}`],
]

describe('plans of push messages', () => {
  test('targets and queued messages are read and written without scans', async () => {
    const { someone } = changing
    const push = { deps: { ...app.events.deps, ...recordedDeps }, push: app.events.push }
    const viewer = { system: someone.id, platform: null, token: 1 }
    const target = { uuid: crypto.randomUUID(), system_id: someone.id, token_id: 1, auth: 'a' }
    const address = { endpoint: 'https://push.example', endpoint_hash: 'h', p256dh: 'B' }
    await deps.transact('new', (tx) => insert(tx, 'push_targets', { ...target, ...address }))
    statements.length = 0
    await recordedDeps.transact('new', async (tx) => {
      await enqueuePush(tx, someone.id, 'posts', crypto.randomUUID())
      await enqueueFrontPush(tx, someone.id)
      await recordFailure(tx, 1, 1)
      await recordSuccess(tx, 1, 1)
      await countAttempt(tx, { id: 1, revision: 1 }, 1)
      await pauseTarget(tx, 1, 1)
      await sendAtOnce(tx, 1, 1)
      await deleteQueued(tx, { id: 1, revision: 1 })
    })
    await listDue(recordedDeps.db, 1, { due: -1, id: 0 }, 10)
    await findQueued(recordedDeps.db, 1)
    await listPushTargets(push, viewer)
    await listPushTargets(push, { ...viewer, access: 'watch' })
    await patchPushTarget(push, viewer, target.uuid, { label: 'Phone' })
    await deletePushTarget(push, viewer, target.uuid)
    expect(statements.join()).toContain('push_queue')
    expect(statements.flatMap(scansOf)).toEqual([])
  })
})

describe('plans of pictures', () => {
  test('the bytes are not read for a client that has them', async () => {
    const { someone } = changing
    const stored = await deps.transact({ system: someone.id }, (tx) =>
      storePicture(deps, tx, someone.id, { type: 'gif', bytes: smallPictures.gif }),
    )
    const path = new URL('url' in stored ? stored.url : '').pathname
    const etag = `"${path.replace('/pictures/', '')}"`
    const read = async (headers: Record<string, string>) => {
      statements.length = 0
      const { status } = await handle(
        new Request(`http://localhost${path}`, { headers }),
        '127.0.0.1',
      )
      return [status, statements.some((one) => one.includes('"bytes"'))]
    }
    expect(await read({})).toEqual([200, true])
    expect(await read({ 'if-none-match': etag })).toEqual([304, false])
  })

  test('pictures are read, added up, exported and cleaned up without scans', async () => {
    const { someone } = changing
    const viewer = { system: someone.id, platform: null }
    await deps.transact({ system: someone.id }, (tx) =>
      storePicture(deps, tx, someone.id, { type: 'gif', bytes: smallPictures.gif }),
    )
    statements.length = 0
    await findPicture(recordedDeps, viewer, `${'A'.repeat(24)}.png`)
    await hasPicture(recordedDeps, viewer, `${'A'.repeat(24)}.png`)
    const same = new Set([Buffer.from(smallPictures.gif).toString('base64')])
    await findSamePictures(recordedDeps.db, someone.id, same, () => Promise.resolve())
    await isStored(recordedDeps.db, someone.id, 'A'.repeat(24))
    await Array.fromAsync(exportPictures(recordedDeps, viewer))
    await sumPictures(recordedDeps, operator)
    const later = () => deps.now() + 2 * DAY
    await deleteUnusedPictures(recordedDeps)
    await deleteUnusedPictures({ ...recordedDeps, now: later })
    expect(statements.join()).toContain('delete from "pictures"')
    expect(statements.flatMap(scansOf)).toEqual([])
  })
})

describe('plans of notifications of friends', () => {
  test('friends are notified without scans', async () => {
    const [as, friend] = [small.someone, await makeSystem('Notified')]
    const create = async (line: string, body: unknown, { token }: TestSystem = as) =>
      (await (await respond(line, token, body)).json()) as { code: string }
    const { code } = await create('POST /ext/v1/friends/invites', {})
    await create('POST /ext/v1/friends', { code, notify_me: true }, friend)
    await create('POST /v2/systems/@me/switches', { members: [] })
    statements.length = 0
    await notifyFriends({ ...recordedDeps, now: () => deps.now() + DAY })
    expect(statements.join()).toContain('delete from "friend_notify_due"')
    expect(statements.flatMap(scansOf)).toEqual([])
  })
})

describe('scansOf', () => {
  test('finds scans of tables and indexes, also with an alias', () => {
    expect(scansOf('select * from members where name = ?')).toEqual(['SCAN members'])
    expect(scansOf('select count(*) from switches s')).toHaveLength(1)
    const inside = 'select * from (select * from members where name = ? limit 5) some'
    expect(scansOf(inside)).toEqual(['SCAN members'])
    expect(scansOf('select * from members where system_id = ?')).toEqual([])
  })
})

describe('plans of reads', () => {
  test.each(reads)(
    'reads %s without scans and with statements that do not depend on size',
    async (_, line) => {
      await expectAlike(line, true)
    },
  )

  test.each(anonymousReads)(
    'reads %s for an anonymous caller without scans and with statements that do not depend on size',
    async (_, line) => {
      await expectAlike(line, false)
    },
  )

  test('reads a page of the history in the order of its index', async () => {
    const statements = await statementsOf('GET /v2/systems/@me/switches', large.someone.token)
    const plan = statements.flatMap(planOf)
    expect(plan.filter((detail) => detail.includes('switches_by_time'))).toHaveLength(1)
    expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  })

  test.each(['export', 'export/front-history?format=csv'])(
    'reads a whole system without scans: %s',
    async (path) => {
      const { token } = large.someone
      const statements = await statementsOf(`GET /v2/systems/@me/${path}`, token)
      const indexReads = path === 'export' ? 4 : 3
      const reads = statements.filter((one) => /from "switches"/.test(one))
      expect(reads).toHaveLength(indexReads)
      const plan = statements.flatMap(planOf)
      expect(plan.filter((detail) => detail.includes('switches_by_time'))).toHaveLength(indexReads)
      expect(statements.flatMap(scansOf)).toEqual([])
    },
  )

  test('proxies and records a message without scans and with statements that do not depend on size', async () => {
    const key = `Bot ${await createBot(deps, 'plans')}`
    const ask = async ({ someone, members: [one] }: Populated) => {
      const origin = { account_id: accountOf(someone), guild_id: GUILD, channel_id: '2' }
      const question = { ...origin, content: 'w: hello' }
      const ids = { id: `${someone.id}03`, original: `${someone.id}02`, channel: '2', guild: GUILD }
      const record = { ...ids, sender: origin.account_id, member: one?.uuid }
      return [
        ...(await statementsOf('POST /bot/proxy', key, question)),
        ...(await statementsOf('POST /bot/messages', key, record)),
      ]
    }
    const [lookup, ...ofSmall] = await ask(small)
    expect(lookup).toContain('from "bots"')
    // The key is cached by then.
    const ofLarge = await ask(large)
    expect(ofLarge).toEqual(ofSmall)
    expect([...ofLarge, lookup ?? ''].flatMap(scansOf)).toEqual([])
  })
})

describe('plans of writes', () => {
  test('links an account by a right and a wrong code without scans', async () => {
    const key = `Bot ${await createBot(deps, 'links', 'matrix')}`
    const { code } = await createLinkCode(deps, changing.someone.id)
    const statements = [
      ...(await statementsOf('POST /bot/link', key, { account_id: '@a', code })),
      ...(await statementsOf('GET /bot/systems/matrix:@a/guilds/1', key, undefined, 404)),
      ...(await statementsOf('POST /bot/link', key, { account_id: '@a', code: 'x' }, 404)),
    ]
    expect(statements.join()).toContain('insert into "link_failures"')
    expect(statements.join()).toContain('created_on_platform')
    expect(statements.flatMap(scansOf)).toEqual([])
  })

  test.each(writes.map(([what, line, body]) => ({ what, line, body })))(
    'writes without scans: $what',
    async ({ line, body }) => {
      const [method, path] = line(changing).split(' ')
      const statements = await statementsOf(`${method} /v2${path}`, changing.someone.token, body)
      expect(statements.flatMap(scansOf)).toEqual([])
    },
  )

  describe('plans of the extension API', () => {
    beforeAll(async () => {
      const { token } = changing.someone
      for (const ids of [extIds, deletedIds]) {
        for (const [name, path, body] of extObjects) {
          const response = await respond(`POST ${ME}/${path}`, token, body)
          ids[name] = ((await response.json()) as { id: string }).id
        }
        await addFriend(ids)
      }
      await respond(`PUT /ext/v1/members/${memberAt(3)}/picture`, token, GIF_TEXT)
    })

    test.each(extRequests.map(([what, line, body]) => ({ what, line, body })))(
      'answers a request to the extension API without scans: $what',
      async ({ line, body }) => {
        const used = await statementsOf(line(), changing.someone.token, body)
        expect(used.length).toBeGreaterThan(0)
        expect(used.flatMap(scansOf)).toEqual([])
      },
    )
  })

  test('deletes hidden rows in batches by their row IDs, so that a batch reads no other rows', async () => {
    const { id } = await makeSystem()
    await deps.transact('new', async (tx) => {
      const room = { uuid: crypto.randomUUID(), system_id: id, name: 'x', position: 0 }
      await insert(tx, 'rooms', { ...room, is_deleted: 1 })
      await execute(tx, 'update systems set deleted_through_switch_id = 1 where id = :id', { id })
      const { hid, uuid } = hiddenIdentity()
      await insert(tx, 'systems', { hid, uuid })
    })
    statements.length = 0
    await purgeDeleted(recordedDeps)
    const batches = statements.filter((one) => /^(delete|update) .* limit /s.test(one))
    expect(batches.filter((one) => one.includes('"posts"')).length).toBeGreaterThan(2)
    expect(batches.length).toBeGreaterThan(20)
    const isByRowId = (one: string) => planOf(one).some((detail) => ROW_ID_SEARCH.test(detail))
    expect(batches.filter((one) => !isByRowId(one))).toEqual([])
    expect(batches.flatMap(scansOf)).toEqual([])
  })

  test('has an index for every foreign key', () => {
    const names = reader
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
    const references = names.flatMap(({ name }) =>
      reader
        .query<{ from: string }, [string]>('SELECT "from" FROM pragma_foreign_key_list(?)')
        .all(name)
        .map(({ from }) => `select 1 from "${name}" where "${from}" = ?`),
    )
    expect(references.length).toBeGreaterThan(15)
    expect(references.filter((sql) => scansOf(sql).length > 0)).toEqual([])
  })
})

/** Search of single rows. */
const ROW_ID_SEARCH = /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid=\?\)$/

async function expectAlike(line: Line, isOwner: boolean): Promise<void> {
  const ask = (of: Populated) => statementsOf(`GET /v2${line(of)}`, isOwner ? of.someone.token : '')
  const [ofSmall, ofLarge] = [await ask(small), await ask(large)]
  expect(ofSmall.length).toBeGreaterThan(0)
  expect(ofLarge).toEqual(ofSmall)
  expect(ofLarge.flatMap(scansOf)).toEqual([])
}

/** Returns the statements of a request, which must succeed unless another status is expected. */
async function statementsOf(
  line: string,
  authorization: string,
  body?: unknown,
  status = 0,
): Promise<string[]> {
  statements.length = 0
  const response = await respond(line, authorization, body)
  if (status === 0) expect(response.ok).toBe(true)
  else expect(response.status).toBe(status)
  // The caller is cached, so only some requests look it up.
  return statements.filter((statement) => !/from "tokens"/.test(statement))
}

async function respond(line: string, authorization: string, body?: unknown): Promise<Response> {
  const [method = '', path = ''] = line.split(' ')
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { authorization },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return handle(request, '127.0.0.1')
}

function accountOf({ id }: TestSystem): string {
  return String(100_000_000_000_000_000n + BigInt(id))
}

async function populate(counts: {
  members: number
  groups: number
  switches: number
  fronters: number
}): Promise<Populated> {
  const someone = await makeSystem('Lantern Hill')
  const { id } = someone
  const populated = await deps.transact('new', async (tx) => {
    const members: Member[] = []
    const groups: Group[] = []
    const switches: string[] = []
    for (let at = 0; at < counts.members; at++)
      members.push(await insertMember(tx, id, { name: `Member ${at}` }))
    for (let at = 0; at < counts.groups; at++) {
      const group = await insertGroup(tx, id, { name: `Group ${at}` })
      groups.push(group)
      for (const member of at === 0 ? members : members.slice(0, 5))
        await insertMembership(tx, group.id, member.id)
    }
    const front = members.slice(0, counts.fronters)
    for (let at = 0; at < counts.switches; at++) {
      const isLast = at === counts.switches - 1
      const time = Date.UTC(2026) * 1000 + at
      const { uuid } = await insertSwitch(deps, tx, id, time, isLast ? front : front.slice(0, 1))
      switches.push(uuid)
    }
    await insertAccount(deps, tx, id, accountOf(someone))
    const origin = { sender: '1', channel: '2', guild: null, timestamp: deps.now() }
    const ids = { id: `${id}01`, original: `${id}00`, member_id: members[0]?.id ?? null }
    await insertMessage(tx, { ...origin, ...ids, system_id: id })
    return { someone, members, groups, switches }
  })
  await patchSystemGuild(deps, id, GUILD, { tag: '|' }, 'create')
  const [first] = populated.members
  if (first) await patchMemberGuild(deps, first, GUILD, { display_name: 'W' }, 'create')
  return populated
}
