import { formatInstant } from '../../../src/model/core/time'
import { notifyFriends } from '../../../src/service/friends/friendNotifications'
import { readStream } from '../../events/readStream'
import { ME } from '../../tools/me'
import { rows } from '../../tools/rawSql'
import { rounds } from '../../tools/rounds'
import { at, type Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'
import { createRandom } from './random'

/**
 * Random changes of what is not shared with a friend. None of them may change a byte of what the
 * friend reads, an ETag, its events or its stream.
 */

const SECOND = 1_000_000
let now = at('2026-03-22T08:30:00Z')
const testApp = createTestApp({ RATE_LIMIT: 'off', HOST: '127.0.0.1', PORT: '0', now: () => now })
const address = testApp.app.listen()

/** Times that each kind of change is made, in random order. Fewer might all be refused. */
const CHANGES_PER_KIND = Math.max(4, rounds(4))
const SWITCHES = '/v2/systems/@me/switches'

const send = (as: TestSystem, line: string, body?: unknown) =>
  testApp.ask<Json & Json[]>(line, { as, body })

async function must(as: TestSystem, line: string, body?: unknown) {
  const { status, text, json } = await send(as, line, body)
  if (status >= 300) throw new Error(`${line}: ${status} ${text}`)
  return json
}

async function befriend(owner: TestSystem, guest: TestSystem, share: Json): Promise<string> {
  const { code } = await must(owner, 'POST /ext/v1/friends/invites', { share })
  return String((await must(guest, 'POST /ext/v1/friends', { code, notify_me: true })).id)
}

/** Creates a system with a shared and a hidden row of each kind, and a friend. */
async function createSharing() {
  const owner = await testApp.makeSystem('Lantern Hill')
  const guest = await testApp.makeSystem('Harbour')
  const create = async (line: string, body: Json) => String((await must(owner, line, body)).id)
  const createMember = async (name: string) =>
    String((await must(owner, 'POST /v2/members', { name })).uuid)
  const createGroup = async (name: string) =>
    String((await must(owner, 'POST /v2/groups', { name })).uuid)
  const createField = (name: string) =>
    create('POST /ext/v1/systems/@me/fields', { name, type: 'text' })
  const wren = await createMember('Wren')
  // Proxy tags are hidden from friends as from everyone.
  await must(owner, `PATCH /v2/members/${wren}`, { privacy: { proxy_privacy: 'private' } })
  const keepers = await createGroup('Keepers')
  const role = await createField('Role')
  const close = await create('POST /ext/v1/buckets', { name: 'Close' })
  const other = await create('POST /ext/v1/buckets', { name: 'Other' })
  const hidden = [await createMember('Hidden'), await createMember('Another')]
  const dreamers = await createGroup('Dreamers')
  const secret = await createField('Secret')
  const contents = { members: [wren], groups: [keepers], fields: [role] }
  await must(owner, `PUT /ext/v1/buckets/${close}/contents`, contents)
  await must(owner, `PATCH /ext/v1/members/${wren}`, { fields: { [role]: 'Keeper' } })
  await must(owner, `POST /v2/groups/${keepers}/members/add`, [wren])
  await must(owner, `POST ${SWITCHES}`, { members: [wren] })
  const status = { kind: 'status', member: wren, text: 'at work' }
  await must(owner, 'POST /ext/v1/systems/@me/front/notes', status)
  const share = { see_front: true, see_members: true, buckets: [close] }
  const friendship = await befriend(owner, guest, share)
  /** Switches that Wren stays in front with, after the first one. */
  const logged: string[] = []
  for (const member of [...hidden, ...hidden]) {
    now += SECOND
    logged.push(String((await must(owner, `POST ${SWITCHES}`, { members: [wren, member] })).id))
  }
  const shared = { wren, keepers, role, close }
  return { owner, guest, friendship, ...shared, other, hidden, dreamers, secret, logged }
}

type Sharing = Awaited<ReturnType<typeof createSharing>>
type Change = readonly [line: string, body?: unknown]

const systemLevels = ['description_privacy', 'member_list_privacy', 'front_privacy', 'name_privacy']
const memberLevels = ['visibility', 'name_privacy', 'avatar_privacy', 'birthday_privacy']
const groupLevels = ['visibility', 'name_privacy', 'list_privacy']

/** Returns functions that choose a change of something that the friend does not see. */
function changesOf(of: Sharing, random: ReturnType<typeof createRandom>) {
  const { wren, keepers, role, close, other, hidden, dreamers, secret, friendship, logged } = of
  const pick = <T>(items: readonly T[]) => items[random.below(items.length)] as T
  const isTrue = () => random.below(2) === 0
  const word = (): string => `secret-${random.below(1_000_000)}`
  const someHidden = () => hidden.filter(isTrue)
  const levels = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, isTrue() ? 'public' : 'private']))
  return [
    (): Change => ['POST /v2/members', { name: word(), description: word() }],
    (): Change => [`PATCH /v2/members/${pick(hidden)}`, { name: word(), color: 'abcdef' }],
    (): Change => [
      `PATCH /v2/members/${wren}`,
      { privacy: levels(memberLevels), proxy_tags: [{ prefix: word(), suffix: null }] },
    ],
    (): Change => {
      const archived = isTrue()
      const archived_reason = archived ? word() : null
      return [
        `PATCH /ext/v1/members/${wren}`,
        { archived, archived_reason, fields: { [secret]: word() } },
      ]
    },
    (): Change => [
      `PATCH /ext/v1/members/${pick(hidden)}`,
      { archived: isTrue(), about: word(), fields: { [secret]: word(), [role]: word() } },
    ],
    (): Change => [`POST ${SWITCHES}`, { members: random.shuffle([wren, ...someHidden()]) }],
    (): Change => [
      `POST ${SWITCHES}`,
      { members: someHidden(), timestamp: `2020-01-01T00:00:00.${100 + random.below(900)}Z` },
    ],
    (): Change => [`DELETE ${SWITCHES}/${logged.pop()}`],
    (): Change => [`PATCH ${SWITCHES}/${pick(logged)}`, { timestamp: formatInstant(now) }],
    (): Change => [
      `PATCH ${SWITCHES}/${pick(logged)}/members`,
      random.shuffle([wren, ...someHidden()]),
    ],
    (): Change => ['POST /v2/groups', { name: word() }],
    (): Change => [`PATCH /v2/groups/${dreamers}`, { name: word(), privacy: levels(groupLevels) }],
    (): Change => [`PATCH /v2/groups/${keepers}`, { privacy: levels(groupLevels) }],
    (): Change => [`POST /v2/groups/${keepers}/members/add`, someHidden()],
    (): Change => [`POST /v2/groups/${keepers}/members/remove`, someHidden()],
    (): Change => [`POST /v2/groups/${dreamers}/members/add`, [wren, ...someHidden()]],
    (): Change => [
      `PATCH /ext/v1/groups/${dreamers}`,
      { parent: pick([keepers, null]), emoji: '🔒', position: random.below(9) },
    ],
    (): Change => [`PATCH /ext/v1/fields/${secret}`, { name: word() }],
    (): Change => [`POST ${ME}/fields`, { name: word(), type: 'text' }],
    (): Change => [`PATCH /ext/v1/buckets/${close}`, { name: word(), position: random.below(9) }],
    (): Change => ['POST /ext/v1/buckets', { name: word() }],
    (): Change => [
      `PUT /ext/v1/buckets/${other}/contents`,
      { members: [wren, ...someHidden()], groups: [dreamers], fields: [role, secret] },
    ],
    (): Change => [`POST ${ME}/front/notes`, { kind: 'comment', text: word(), by: wren }],
    (): Change => [`POST ${ME}/notes`, { member: wren, text: word() }],
    (): Change => [`POST ${ME}/posts`, { for: wren, text: word() }],
    (): Change => [`POST ${ME}/polls`, { name: word(), options: [{ name: word() }] }],
    (): Change => [`PATCH /ext/v1/friends/${friendship}`, { name: word(), notify_me: isTrue() }],
    (): Change => ['POST /ext/v1/friends/invites', { name: word() }],
    (): Change => [
      `PATCH ${ME}/settings`,
      { front_status_privacy: isTrue() ? 'public' : 'private' },
    ],
    (): Change => ['PATCH /v2/systems/@me', { tag: word(), privacy: levels(systemLevels) }],
  ]
}

/** Reads everything about the owner that the friend gets, with ETags. */
async function readAll({ guest, friendship, wren, hidden }: Sharing) {
  const path = `/ext/v1/friends/${friendship}`
  const of = ['front', 'members', `members/${wren}`, `members/${hidden[0]}`, 'groups', 'fields']
  const read: Record<string, unknown> = {}
  for (const line of ['/ext/v1/friends', ...of.map((part) => `${path}/${part}`)]) {
    const { status, headers, text } = await send(guest, `GET ${line}`)
    read[line] = [status, headers.get('etag'), text]
  }
  return read
}

describe('random changes of what is not shared', () => {
  test.each([1, 2])('change nothing that a friend gets (seed %i)', async (seed) => {
    const random = createRandom(seed)
    const sharing = await createSharing()
    const { owner, guest } = sharing
    const third = await testApp.makeSystem('Third')
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.token })
    await until(() => messages.length === 1)
    const settle = async () => {
      for (const seconds of [1, 30]) {
        now += seconds * SECOND
        await notifyFriends(testApp.deps)
      }
    }
    await settle()
    const eventsOfGuest = async () =>
      (await rows(testApp.deps.db, `select id from events where system_id = ${guest.id}`)).length
    const [before, events] = [await readAll(sharing), await eventsOfGuest()]
    const changes = changesOf(sharing, random)
    const done = new Set<number>()
    const lines: string[] = []
    const order = Array.from({ length: CHANGES_PER_KIND }, () =>
      random.shuffle([...changes.entries()]),
    ).flat()
    for (const [count, [kind, change]] of order.entries()) {
      const [line, body] = change()
      const { status, text, json } = await send(owner, line, body)
      // Equal switches, deleted ones, and more rows than allowed are refused.
      expect(status, `${line} ${text}`).toBeOneOf([200, 201, 204, 400, 404])
      if (status < 300) done.add(kind)
      if (status === 200 && line === `POST ${SWITCHES}` && !(body as Json).timestamp)
        sharing.logged.push(String(json.id))
      if (count === order.length / 2) await befriend(owner, third, { buckets: [sharing.other] })
      lines.push(line)
      if (count % 10 === 0) await settle()
      // Not after each change, because on PostgreSQL each statement takes a while.
      if (count % 5 === 0) expect(await readAll(sharing), lines.splice(0).join()).toEqual(before)
    }
    await settle()
    expect(await readAll(sharing), lines.join()).toEqual(before)
    expect(changes.filter((_, kind) => !done.has(kind)).map(String)).toEqual([])
    expect(await eventsOfGuest()).toBe(events)
    // A visible change is the next message of the stream, so nothing was sent before.
    await must(owner, `POST ${SWITCHES}`, { members: [] })
    await until(() => messages.length > 1)
    expect(messages.map(({ data }) => (data as Json).front)).toEqual([
      (messages[0]?.data as Json | undefined)?.front,
      { fronters: [] },
    ])
    await leave()
  })
})

describe('changes of what is not shared that run at the same time', () => {
  test('change no front that a friend reads or follows meanwhile', async () => {
    const sharing = await createSharing()
    const { owner, guest, friendship, wren, hidden } = sharing
    const front = async () => (await send(guest, `GET /ext/v1/friends/${friendship}/front`)).text
    const before = await front()
    const url = `${address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.token })
    await until(() => messages.length === 1)
    const isDone = { value: false }
    const change = async () => {
      for (let round = 0; round < 30; round++) {
        now += SECOND
        const { id } = await must(owner, `POST ${SWITCHES}`, { members: [hidden[0], wren] })
        await must(owner, `PATCH ${SWITCHES}/${id}/members`, [wren, hidden[1]])
        await must(owner, `PATCH ${SWITCHES}/${id}`, { timestamp: formatInstant(now + 1000) })
        await must(owner, `DELETE ${SWITCHES}/${id}`)
      }
      isDone.value = true
    }
    const read = async () => {
      const found = new Set<string>()
      while (!isDone.value)
        for (const text of await Promise.all([front(), front(), front()])) found.add(text)
      return found
    }
    const [found] = await Promise.all([read(), change()])
    expect([...found]).toEqual([before])
    await must(owner, `POST ${SWITCHES}`, { members: [] })
    await until(() => messages.length > 1)
    expect(messages.map(({ data }) => (data as Json).front)).toEqual([
      JSON.parse(before),
      { fronters: [] },
    ])
    await leave()
  })
})
