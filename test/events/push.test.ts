import { openDeps } from '../../src/app/app'
import { topicOf } from '../../src/events/push/message'
import { getPushKey } from '../../src/events/push/serverKey'
import { DAY, MINUTE, SECOND } from '../../src/model/core/time'
import { deleteAllSwitches } from '../../src/service/front/switches'
import { deleteSystem, revokeToken } from '../tools/operatorActions'
import { execute, rows } from '../tools/rawSql'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until as untilMet } from '../tools/until'
import {
  type Browser,
  certificate,
  createBrowser,
  type PushAnswer,
  type Pushed,
  read,
  readClaims,
  startPushService,
} from './pushService'

const CONTACT = 'mailto:operator@multitude.example'

let clock = Date.parse('2026-11-01T12:00:00Z') * 1000
const timers = createTestClock()
/** Addresses that host names resolve to. */
let addresses = ['127.0.0.1']

const service = await startPushService()
const settings = { RATE_LIMIT: 'off', PUSH_CONTACT: CONTACT, DISPATCH_ALLOW: '127.0.0.1' }
const at = createTestApp({
  ...settings,
  clock: timers,
  now: () => ++clock,
  events: {
    resolve: async () => addresses,
    push: { ca: certificate.cert },
  },
})
const { ask, deps, makeSystem } = at
const { push } = at.app.events
await at.app.started

/** Waits until a condition is met, and meanwhile lets the sender look at its queue. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  await untilMet(async () => {
    await timers.advance(20)
    return isMet()
  })
}

interface Target {
  id: string
  last_ok: string | null
}

/** Registers a browser, with a token of the system or the headers of another caller. */
async function register(
  as: TestSystem | null,
  browser: Browser,
  more: object = {},
  headers: Record<string, string> = {},
) {
  const { endpoint, keys } = browser
  const body = { endpoint, keys, label: 'Phone', wants: ['own_front'], shows_names: true, ...more }
  const { status, json, text } = await ask<Target & { code?: number }>('PUT /ext/v1/push', {
    as,
    headers,
    body,
  })
  expect(status, text).toBeOneOf([200, 201])
  return json
}

async function createMember(as: TestSystem, name: string, more: object = {}): Promise<string> {
  const body = { name, ...more }
  const { json } = await ask<{ uuid: string }>('POST /v2/members', { as, body })
  return json.uuid
}

async function logSwitch(as: TestSystem, members: string[], more: object = {}): Promise<string> {
  const { json, text } = await ask<{ id: string }>('POST /v2/systems/@me/switches', {
    as,
    body: { members, ...more },
  })
  expect(json.id, text).toBeString()
  return json.id
}

/** Creates a system with a member who is about to front, and a browser that wants to know. */
async function createReceiver(more: object = {}) {
  const as = await makeSystem('Lantern Hill')
  const wren = await createMember(as, 'Wren')
  const browser = createBrowser(service.origin)
  const target = await register(as, browser, more)
  return { as, wren, browser, target }
}

interface QueueRow {
  kind: string
  subject: string
  due: number
  attempts: number
  revision: number
}

async function queueOf({ id }: TestSystem): Promise<QueueRow[]> {
  return rows<QueueRow>(
    deps.db,
    `select kind, subject, due, attempts, revision from push_queue
     where target_id in (select id from push_targets where system_id = :id) order by id`,
    { id },
  )
}

async function targetsOf(as: TestSystem): Promise<Target[]> {
  return (await ask<{ targets: Target[] }>('GET /ext/v1/push', { as })).json.targets
}

/** Sets the answer of the push service for one browser; all others get 201. */
const answers = new Map<string, (pushed: Pushed) => PushAnswer | Promise<PushAnswer>>()
service.answer = (pushed) => answers.get(pushed.path)?.(pushed) ?? 201

function answerTo({ endpoint }: Browser, answer: () => PushAnswer | Promise<PushAnswer>): void {
  answers.set(new URL(endpoint).pathname, answer)
}

function advance(microseconds: number): void {
  clock += microseconds
  push.wake()
}

/** Creates a friend of the system whom its member is shared with, and who wants to be notified. */
async function createFriend(as: TestSystem, member: string, browser: Browser, more: object = {}) {
  const friend = await makeSystem('Harbour')
  const send = async <T>(line: string, body: unknown, caller = as) => {
    const { status, json, text } = await ask<T>(line, { as: caller, body })
    expect(status, text).toBeLessThan(300)
    return json
  }
  const { id } = await send<{ id: string }>('POST /ext/v1/buckets', { name: 'Close' })
  await send(`PUT /ext/v1/buckets/${id}/contents`, { members: [member] })
  const share = { buckets: [id] }
  const { code } = await send<{ code: string }>('POST /ext/v1/friends/invites', { share })
  const accepted = { code, name: 'The hill', notify_me: true }
  await send('POST /ext/v1/friends', accepted, friend)
  await register(friend, browser, { wants: ['friends'], ...more })
  return { friend, hide: () => send(`PUT /ext/v1/buckets/${id}/contents`, { members: [] }) }
}

/** Holds answers back until they are released. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('push messages about friends', () => {
  test.each([
    [true, 'The hill', 'Wren'],
    [false, 'Someone came to the front', ''],
  ])('are sent after the pause; with names: %p', async (shows_names, title, text) => {
    const as = await makeSystem('Lantern Hill')
    const wren = await createMember(as, 'Wren')
    const hidden = await createMember(as, 'Hidden')
    const browser = createBrowser(service.origin)
    await createFriend(as, wren, browser, { shows_names })
    await logSwitch(as, [hidden, wren])
    clock += 11 * SECOND
    await timers.advance(1_000)
    await until(() => service.to(browser).length === 1)
    const [pushed = fail()] = service.to(browser)
    expect(read(pushed, browser).shown).toMatchObject({ kind: 'friends', title, text })
  })

  test('do not name a member who is hidden between the switch and the message', async () => {
    const as = await makeSystem('Lantern Hill')
    const wren = await createMember(as, 'Wren')
    const browser = createBrowser(service.origin)
    const { friend, hide } = await createFriend(as, wren, browser)
    const gate = createGate()
    answerTo(browser, async () => {
      await gate.opened
      return 503
    })
    await logSwitch(as, [wren])
    clock += 11 * SECOND
    await timers.advance(1_000)
    await until(() => service.to(browser).length === 1)
    await hide()
    gate.open()
    await until(async () => (await queueOf(friend))[0]?.attempts === 1)
    advance(DAY)
    await until(async () => (await queueOf(friend)).length === 0)
    // The second message was not sent, because nothing is left to tell.
    expect(service.to(browser)).toHaveLength(1)
  })
})

describe('push messages', () => {
  test('are encrypted for the browser and signed for its push service', async () => {
    const { as, wren, browser } = await createReceiver()
    await logSwitch(as, [wren])
    await until(() => service.to(browser).length === 1)
    const [pushed = fail()] = service.to(browser)
    expect(pushed.method).toBe('POST')
    const topic = topicOf('own_front', as.uuid)
    expect(pushed.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': String(pushed.body.length),
      ttl: '14400',
      urgency: 'low',
      topic,
      'user-agent': expect.stringMatching(/^Multitude\//),
    })
    const { shown, size } = read(pushed, browser)
    expect(shown).toEqual({
      kind: 'own_front',
      title: 'Fronting now',
      text: 'Wren',
      url: '#/',
      tag: topic,
    })
    expect(size % 256).toBe(0)
    const { claims, key } = readClaims(pushed)
    expect(claims.aud).toBe(service.origin)
    expect(claims.sub).toBe(CONTACT)
    expect(claims.exp * 1000 - Date.now()).toBeLessThanOrEqual(DAY / 1000)
    const { json } = await ask<{ key: string }>('GET /ext/v1/push', { as })
    expect(key).toBe(json.key)
    await until(async () => (await queueOf(as)).length === 0)
    expect((await targetsOf(as))[0]?.last_ok).not.toBeNull()
  })

  test('contain no name if the receiver wants none', async () => {
    const { as, wren, browser } = await createReceiver({ shows_names: false })
    await logSwitch(as, [wren])
    await until(() => service.to(browser).length === 1)
    const { shown } = read(service.to(browser)[0] ?? fail(), browser)
    expect(shown).toMatchObject({ title: 'Someone came to the front', text: '' })
  })

  test('say that nobody is fronting, also if the receiver wants no names', async () => {
    const { as, wren, browser } = await createReceiver({ shows_names: false })
    await logSwitch(as, [wren])
    await until(() => service.to(browser).length === 1)
    await logSwitch(as, [])
    await until(() => service.to(browser).length === 2)
    const { shown } = read(service.to(browser)[1] ?? fail(), browser)
    expect(shown).toMatchObject({ title: 'Nobody is fronting.', text: '' })
  })

  test.each([
    ['with its name', true, 'Log your front', 'Who is here?'],
    ['without its name', false, 'Reminder', ''],
  ])('deliver a reminder %s', async (_, shows_names, title, text) => {
    const { as, browser } = await createReceiver({ wants: ['reminders'], shows_names })
    await register(as, createBrowser(service.origin), { wants: ['posts'] })
    const body = { name: 'Log your front', text: 'Who is here?', kind: 'after_switch' }
    const { json } = await ask<{ id: string }>('POST /ext/v1/systems/@me/reminders', {
      as,
      body: { ...body, after: 60, on: 'any' },
    })
    const tested = await ask(`POST /ext/v1/reminders/${json.id}/test`, { as })
    expect(tested.json).toEqual({ targets: 1 })
    await until(() => service.to(browser).length === 1)
    const [pushed = fail()] = service.to(browser)
    expect(pushed.headers).toMatchObject({ ttl: '3600', urgency: 'high' })
    const tag = topicOf('reminders', json.id)
    expect(read(pushed, browser).shown).toEqual({
      kind: 'reminders',
      title,
      text,
      url: '#/reminders',
      tag,
    })
  })

  test('about a reminder that was deleted meanwhile are not sent', async () => {
    const { as, browser } = await createReceiver({ wants: ['reminders', 'own_front'] })
    const body = { name: 'Rest', kind: 'after_switch', after: 60, on: 'any' }
    const { json } = await ask<{ id: string }>('POST /ext/v1/systems/@me/reminders', { as, body })
    const gate = createGate()
    answerTo(browser, async () => {
      await gate.opened
      return 201
    })
    await logSwitch(as, [])
    await until(() => service.to(browser).length === 1)
    await ask(`POST /ext/v1/reminders/${json.id}/test`, { as })
    await ask(`DELETE /ext/v1/reminders/${json.id}`, { as })
    gate.open()
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })

  test('follow every change of the front, but no switch in the past', async () => {
    const { as, wren, browser } = await createReceiver()
    const ash = await createMember(as, 'Ash')
    const seen: string[] = []
    const next = async () => {
      const count = seen.length
      await until(() => service.to(browser).length > count)
      seen.push(read(service.to(browser)[count] ?? fail(), browser).shown.text)
      await until(async () => (await queueOf(as)).length === 0)
    }
    const first = await logSwitch(as, [wren])
    await next()
    const second = await logSwitch(as, [ash])
    await next()
    await logSwitch(as, [], { timestamp: '2020-01-01T00:00:00Z' })
    await ask(`PATCH /v2/systems/@me/switches/${first}/members`, { as, body: [ash, wren] })
    expect(await queueOf(as)).toEqual([])
    await ask(`PATCH /v2/systems/@me/switches/${second}/members`, { as, body: [wren] })
    await next()
    await ask(`DELETE /v2/systems/@me/switches/${second}`, { as })
    await next()
    await ask(`PATCH /v2/systems/@me/switches/${first}`, {
      as,
      body: { timestamp: '2019-01-01T00:00:00Z' },
    })
    await next()
    const uuid = crypto.randomUUID()
    await ask(`PUT /ext/v1/systems/@me/switches/${uuid}`, { as, body: { members: [ash] } })
    await next()
    await deleteAllSwitches(deps, { system: as.id, platform: null })
    await next()
    expect(seen).toEqual([
      'Wren',
      'Ash',
      'Wren',
      'Ash and Wren',
      'Nobody is fronting.',
      'Ash',
      'Nobody is fronting.',
    ])
  })

  test('tell about posts to members who are in front', async () => {
    const { as, wren, browser } = await createReceiver({ wants: ['posts'] })
    const ash = await createMember(as, 'Ash')
    const post = (body: object) => ask('POST /ext/v1/systems/@me/posts', { as, body })
    await post({ for: wren, text: 'Too early' })
    await logSwitch(as, [wren])
    await post({ for: ash, text: 'Not in front' })
    await post({ text: 'For everyone' })
    expect(await queueOf(as)).toEqual([])
    await post({ for: wren, by: ash, title: 'Groceries', text: 'Milk, please.' })
    await until(() => service.to(browser).length === 1)
    expect(read(service.to(browser)[0] ?? fail(), browser).shown).toMatchObject({
      kind: 'posts',
      title: 'Ash wrote to Wren',
      text: 'Groceries\nMilk, please.',
      url: `#/members/${wren}/board`,
    })
  })

  test('tell that there is a post, and nothing of it, if the receiver wants no names', async () => {
    const { as, wren, browser } = await createReceiver({ wants: ['posts'], shows_names: false })
    await logSwitch(as, [wren])
    const body = { for: wren, title: 'Groceries', text: 'Milk, please.' }
    await ask('POST /ext/v1/systems/@me/posts', { as, body })
    await until(() => service.to(browser).length === 1)
    const { shown } = read(service.to(browser)[0] ?? fail(), browser)
    expect(shown).toMatchObject({ title: 'New post', text: '' })
  })

  test('about posts that were read or deleted meanwhile are not sent', async () => {
    const { as, wren, browser } = await createReceiver({ wants: ['posts'] })
    await logSwitch(as, [wren])
    answerTo(browser, () => 500)
    const body = { for: wren, text: 'Hello' }
    await ask('POST /ext/v1/systems/@me/posts', { as, body })
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    await ask('POST /ext/v1/systems/@me/posts/read', { as, body: { for: wren } })
    advance(MINUTE)
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })
})

describe('watch tokens', () => {
  async function createWatcher(more: object = {}) {
    const as = await makeSystem('Lantern Hill')
    const wren = await createMember(as, 'Wren')
    const ash = await createMember(as, 'Ash', { privacy: { visibility: 'private' } })
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as,
      body: { name: 'Sam', scope: 'watch', ...more },
    })
    const browser = createBrowser(service.origin)
    const headers = { authorization: json.token }
    await register(null, browser, { wants: ['front'] }, headers)
    const shown = async (count: number) => {
      await until(() => service.to(browser).length === count)
      return read(service.to(browser)[count - 1] ?? fail(), browser).shown
    }
    return { as, wren, ash, browser, shown }
  }

  test('receive what their stream shows', async () => {
    const { as, wren, ash, shown } = await createWatcher()
    await logSwitch(as, [wren, ash])
    expect(await shown(1)).toMatchObject({
      kind: 'front',
      title: 'Lantern Hill',
      text: 'Wren and 1 more',
      url: '#/watch',
    })
    await logSwitch(as, [ash])
    expect(await shown(2)).toMatchObject({ text: 'Someone' })
  })

  test('receive private members if the token shows them', async () => {
    const { as, wren, ash, shown } = await createWatcher({ private_members: true })
    await logSwitch(as, [wren, ash])
    expect(await shown(1)).toMatchObject({ text: 'Wren and Ash' })
  })

  test('do not receive the name of a member who was hidden between switch and sending', async () => {
    const { as, wren, browser, shown } = await createWatcher()
    answerTo(browser, () => (service.to(browser).length === 1 ? 503 : 201))
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    const body = { privacy: { visibility: 'private' } }
    await ask(`PATCH /v2/members/${wren}`, { as, body })
    advance(MINUTE)
    expect(await shown(2)).toMatchObject({ text: 'Someone' })
  })
})

describe('answers of push services', () => {
  test.each([200, 201, 202])('%d: the message is sent', async (status) => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => status)
    await logSwitch(as, [wren])
    await until(async () => service.to(browser).length === 1 && (await queueOf(as)).length === 0)
    expect((await targetsOf(as))[0]?.last_ok).not.toBeNull()
  })

  test.each([404, 410])('%d: the target is deleted', async (status) => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => status)
    await logSwitch(as, [wren])
    await until(async () => (await targetsOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })

  test('413: the message is dropped and logged', async () => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => 413)
    await logSwitch(as, [wren])
    await until(async () => service.to(browser).length === 1 && (await queueOf(as)).length === 0)
    expect(await targetsOf(as)).toHaveLength(1)
    expect(at.logged()).toContain('push message rejected')
    expect(at.logged()).not.toContain(browser.endpoint)
  })

  const failures: [what: string, answer: () => PushAnswer][] = [
    ['429', () => 429],
    ['500', () => 500],
    ['503', () => 503],
    ['400', () => 400],
    ['403', () => 403],
    ['204', () => 204],
    ['a redirect', () => ({ status: 307, headers: { location: `${service.origin}/other` } })],
  ]
  test.each(failures)(
    '%s: sent again after 1, 5 and 30 minutes, then given up',
    async (_, fail) => {
      const { as, wren, browser } = await createReceiver()
      answerTo(browser, fail)
      await logSwitch(as, [wren])
      for (const [attempts, pause] of [MINUTE, 5 * MINUTE, 30 * MINUTE].entries()) {
        await until(async () => (await queueOf(as))[0]?.attempts === attempts + 1)
        const [row] = await queueOf(as)
        const left = (row?.due ?? 0) - clock
        expect(left).toBeLessThanOrEqual(pause)
        expect(left).toBeGreaterThan(pause - SECOND)
        expect(service.to(browser)).toHaveLength(attempts + 1)
        advance(left)
      }
      await until(async () => (await queueOf(as)).length === 0)
      expect(service.to(browser)).toHaveLength(4)
      expect(service.received.some(({ path }) => path === '/other')).toBe(false)
      const [target] = await targetsOf(as)
      expect(target?.last_ok).toBeNull()
    },
  )

  test('no answer: sent again after a minute', async () => {
    const other = createTestApp({
      ...settings,
      clock: timers,
      now: () => ++clock,
      events: { timeoutMs: 300, push: { ca: certificate.cert } },
    })
    const as = await other.makeSystem()
    const browser = createBrowser(service.origin)
    answerTo(browser, () => 'hang')
    const body = {
      endpoint: browser.endpoint,
      keys: browser.keys,
      label: 'x',
      wants: ['own_front'],
    }
    await other.ask('PUT /ext/v1/push', { as, body })
    await other.ask('POST /v2/systems/@me/switches', { as, body: { members: [] } })
    const queued = () => rows<QueueRow>(other.deps.db, 'select due, attempts from push_queue')
    await until(() => service.to(browser).length === 1)
    await timers.advance(300)
    await until(async () => (await queued())[0]?.attempts === 1)
    const left = ((await queued())[0]?.due ?? 0) - clock
    expect(left).toBeLessThanOrEqual(MINUTE)
    expect(left).toBeGreaterThan(MINUTE - SECOND)
  })

  test('Retry-After sets the pause', async () => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => ({ status: 429, headers: { 'retry-after': '600' } }))
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    const left = ((await queueOf(as))[0]?.due ?? 0) - clock
    expect(left).toBeLessThanOrEqual(10 * MINUTE)
    expect(left).toBeGreaterThan(10 * MINUTE - SECOND)
  })

  test('a newer message keeps the pause of one that failed, and has its own attempts', async () => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => 500)
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    const [before] = await queueOf(as)
    await logSwitch(as, [])
    expect(await queueOf(as)).toEqual([
      { ...(before ?? fail()), attempts: 0, revision: (before?.revision ?? 0) + 1 },
    ])
  })

  test('all messages of a target wait when one fails, and are sent when one succeeds', async () => {
    const { as, wren, browser } = await createReceiver({ wants: ['own_front', 'posts'] })
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as)).length === 0)
    const gate = createGate()
    answerTo(browser, () => gate.opened.then(() => 500))
    await logSwitch(as, [])
    await until(() => service.to(browser).length === 2)
    await logSwitch(as, [wren])
    const body = { for: wren, text: 'Milk, please.' }
    await ask('POST /ext/v1/systems/@me/posts', { as, body })
    gate.open()
    await until(async () => (await queueOf(as)).every(({ due }) => due > clock))
    expect((await queueOf(as)).map(({ kind, attempts }) => [kind, attempts])).toEqual([
      ['own_front', 0],
      ['posts', 0],
    ])
    answerTo(browser, () => 201)
    advance(MINUTE)
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(4)
  })

  test('a kind that was turned off is not sent any more', async () => {
    const { as, wren, browser, target } = await createReceiver()
    answerTo(browser, () => 500)
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    await ask(`PATCH /ext/v1/push/${target.id}`, { as, body: { wants: ['posts'] } })
    advance(MINUTE)
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })

  test('a message that is replaced while it is being sent is sent again', async () => {
    const { as, wren, browser } = await createReceiver()
    const gate = createGate()
    answerTo(browser, () => gate.opened.then(() => 201))
    await logSwitch(as, [wren])
    await until(() => service.to(browser).length === 1)
    await logSwitch(as, [])
    gate.open()
    await until(() => service.to(browser).length === 2)
    const texts = service.to(browser).map((pushed) => read(pushed, browser).shown.text)
    expect(texts).toEqual(['Wren', 'Nobody is fronting.'])
    await until(async () => (await queueOf(as)).length === 0)
  })

  test('a target that fails for 7 days is deleted', async () => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => 500)
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    advance(7 * DAY - MINUTE)
    await until(async () => (await queueOf(as))[0]?.attempts === 2)
    advance(5 * MINUTE)
    await until(async () => (await queueOf(as))[0]?.attempts === 3)
    // A last attempt, because the failures before may have been of another week.
    expect(await targetsOf(as)).toHaveLength(1)
    advance(30 * MINUTE)
    await until(async () => (await targetsOf(as)).length === 0)
  })

  test('a success in between starts the 7 days anew', async () => {
    const { as, wren, browser } = await createReceiver()
    answerTo(browser, () => (service.to(browser).length === 2 ? 201 : 500))
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    advance(6 * DAY)
    await until(async () => (await queueOf(as)).length === 0)
    advance(2 * DAY)
    await logSwitch(as, [])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    expect(await targetsOf(as)).toHaveLength(1)
  })

  test('a push service that does not respond does not delay other systems', async () => {
    const slow = await Promise.all(Array.from({ length: 5 }, () => createReceiver()))
    const gate = createGate()
    for (const { browser } of slow) answerTo(browser, () => gate.opened.then(() => 201))
    for (const { as, wren } of slow) await logSwitch(as, [wren])
    const { as, wren, browser } = await createReceiver()
    await logSwitch(as, [wren])
    await until(() => service.to(browser).length === 1)
    gate.open()
  })
})

describe('addresses of push services', () => {
  test('that resolve to a private address when a message is sent get nothing', async () => {
    const as = await makeSystem('Lantern Hill')
    const wren = await createMember(as, 'Wren')
    const browser = createBrowser('https://push.example')
    addresses = ['9.9.9.9']
    await register(as, browser)
    addresses = ['10.0.0.1']
    await logSwitch(as, [wren])
    await until(async () => (await queueOf(as))[0]?.attempts === 1)
    addresses = ['127.0.0.1']
    expect(service.to(browser)).toEqual([])
  })

  test.each([
    ['http on an allowed host', 'http://127.0.0.1/push'],
    ['a private address', 'https://10.0.0.1/push'],
    ['another port of a public host', 'https://push.example:8443/x'],
    ['a user name', 'https://me@push.example/x'],
    ['no address at all', 'push.example'],
    ['2,049 characters', `https://push.example/${'a'.repeat(2_028)}`],
  ])('with %s are refused', async (_, endpoint) => {
    addresses = ['9.9.9.9']
    const as = await makeSystem()
    const { keys } = createBrowser(service.origin)
    const body = { endpoint, keys, label: 'Phone', wants: [] }
    const { status, json } = await ask('PUT /ext/v1/push', { as, body })
    addresses = ['127.0.0.1']
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 40001, errors: { endpoint: [expect.anything()] } })
  })
})

describe('ended access', () => {
  /** Fails once, so that a message waits while the access ends. */
  async function waitingMessage(headers: Record<string, string> = {}) {
    const as = await makeSystem('Lantern Hill')
    const wren = await createMember(as, 'Wren')
    const browser = createBrowser(service.origin)
    answerTo(browser, () => (service.to(browser).length === 1 ? 503 : 201))
    const send = async (
      by: { as?: TestSystem; headers?: Record<string, string> },
      wants: string,
    ) => {
      await register(by.as ?? null, browser, { wants: [wants] }, by.headers ?? headers)
      await logSwitch(as, [wren])
      await until(async () => (await queueOf(as))[0]?.attempts === 1)
    }
    const expectNothing = async () => {
      const other = await createReceiver()
      advance(MINUTE)
      await logSwitch(other.as, [other.wren])
      await until(() => service.to(other.browser).length === 1)
      expect(service.to(browser)).toHaveLength(1)
    }
    return { as, browser, send, expectNothing }
  }

  const sameOrigin = {
    host: 'localhost',
    'sec-fetch-site': 'same-origin',
    origin: 'http://localhost',
  }

  async function logIn(as: TestSystem): Promise<Record<string, string>> {
    const body = { token: as.token }
    const { headers } = await ask('POST /web/session', { body, headers: sameOrigin })
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
    return { ...sameOrigin, cookie }
  }

  test('nothing is sent to a browser that logged out', async () => {
    const { as, send, expectNothing } = await waitingMessage()
    const headers = await logIn(as)
    await send({ headers }, 'own_front')
    await ask('DELETE /web/session', { headers })
    expect(await targetsOf(as)).toEqual([])
    await expectNothing()
  })

  test('nothing is sent after the session has expired', async () => {
    const { as, browser, send } = await waitingMessage()
    await send({ headers: await logIn(as) }, 'own_front')
    advance(DAY)
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })

  test.each(['watch', 'full'])('nothing is sent after the %s token was revoked', async (scope) => {
    const { as, send, expectNothing } = await waitingMessage()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as,
      body: { name: 'Sam', scope },
    })
    const headers = { authorization: json.token }
    await send({ headers }, scope === 'watch' ? 'front' : 'own_front')
    await revokeToken(deps, as.id, 'Sam')
    await expectNothing()
  })

  test('nothing is sent after the system was deleted', async () => {
    const { as, send, expectNothing } = await waitingMessage()
    await send({ as }, 'own_front')
    await deleteSystem(deps, as.id)
    await expectNothing()
  })

  test('nothing is sent while the system is disabled', async () => {
    const { as, browser, send } = await waitingMessage()
    await send({ as }, 'own_front')
    await deps.transact('new', (tx) =>
      execute(tx, 'update systems set disabled_at = 1 where id = :id', { id: as.id }),
    )
    advance(MINUTE)
    await until(async () => (await queueOf(as)).length === 0)
    expect(service.to(browser)).toHaveLength(1)
  })

  test('nothing is sent to the former owner of an address', async () => {
    const { as, browser, send } = await waitingMessage()
    await send({ as }, 'own_front')
    const other = await makeSystem('Other')
    await register(other, browser)
    expect(await queueOf(as)).toEqual([])
    expect(await targetsOf(as)).toEqual([])
    await logSwitch(other, [await createMember(other, 'Robin')])
    await until(() => service.to(browser).length === 2)
    expect(read(service.to(browser)[1] ?? fail(), browser).shown.text).toBe('Robin')
  })
})

describe('the key of the server', () => {
  const elsewhere = openDeps(at.config)
  afterAll(elsewhere.storage.close)

  test('is generated once, also by two processes at the same time', async () => {
    await deps.transact('new', (tx) => execute(tx, 'delete from server_keys'))
    const { changes } = elsewhere.storage
    const processes = [deps, elsewhere.deps].map((one) => ({ ...one, changes, warn: () => {} }))
    const keys = await Promise.all(
      Array.from({ length: 8 }, (_, n) => getPushKey(processes[n % 2] ?? fail())),
    )
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(1)
    expect(await rows(deps.db, 'select name from server_keys')).toEqual([{ name: 'push' }])
  })
})

function fail(): never {
  throw new Error('missing')
}
