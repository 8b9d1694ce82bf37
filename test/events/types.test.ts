import { eventTypes } from '../../src/model/events'
import { type BotFixture, createBotFixtures } from '../http/bot/botFixture'
import { document } from '../openapiDocument'
import { program, runCommand } from '../serverProcess'
import { afterAll, describe, expect, test } from '../test'
import { createTestApp } from '../testApp'
import {
  type Change,
  changesOfFronts,
  changesOfMembers,
  changesOfSystems,
  type ExpectedEvent,
  flock,
  incoming,
  message,
  type Step,
  wrenFronts,
  wrenInFlock,
} from './changes'
import { readStream } from './readStream'
import { hook, receivers, TOKEN, until } from './receiver'

const at = createTestApp({ HOST: '127.0.0.1', PORT: '0', DISPATCH_ALLOW: '127.0.0.1' })
const address = at.app.listen()
const makeStage = createBotFixtures(at)
const receive = receivers()

const changes = { ...changesOfSystems, ...changesOfMembers, ...changesOfFronts }

describe('webhook and stream get the same events', () => {
  test.each(Object.entries(changes))(
    'webhook and stream get the events when %s',
    async (_, change) => {
      const { stage, receivedEvents } = await listenTo(change.after)
      const { fill } = stage
      await rememberCreated(stage, (await run(stage, change.does, change.by)).json)
      const owned = await ownerViews(stage)
      const expected = fill(change.events).map((event) => withViews(event, owned))
      expect(await receivedEvents()).toEqual(expected)
    },
  )

  test('webhook and stream get the events when the CLI links and unlinks an account', async () => {
    const { stage, receivedEvents } = await listenTo()
    const account = (verb: string, ...flags: string[]) =>
      runCommand([...program, 'account', verb, stage.fill('<system>'), '4242', ...flags], {
        cwd: at.folder,
        env: { DATABASE_URL: at.config.DATABASE_URL },
      })
    expect(await account('link')).toMatchObject({ code: 0 })
    expect(await account('unlink', '--yes')).toMatchObject({ code: 0 })
    expect(await receivedEvents()).toEqual([
      ['LINK_ACCOUNT', '4242', null],
      ['UNLINK_ACCOUNT', '4242', null],
    ])
  })

  test('tests every event type', () => {
    const tested = new Set(
      Object.values(changes).flatMap(({ events }) => events.map(([type]) => type)),
    )
    // The tests of imports cover this type.
    expect(tested).toEqual(new Set(eventTypes.filter((type) => type !== 'SUCCESSFUL_IMPORT')))
  })
})

/** Requests that record no event. The last group consists of rejected requests. */
const withoutEvents: Record<string, Pick<Change, 'after'> & { does: Step[] }> = {
  'a system is set to its current values': {
    does: [
      ['PATCH /v2/systems/@me', { name: 'Lantern Hill', privacy: { name_privacy: 'public' } }],
      ['PATCH /v1/s', { name: 'Lantern Hill', tz: 'UTC' }],
      ['PATCH /v2/systems/@me/settings', { timezone: 'UTC', description_templates: [] }],
    ],
  },
  'tokens are created and revoked, and preferences change': {
    does: [
      ['POST /v2/systems/@me/tokens', { name: 'deck', scope: 'front' }],
      ['DELETE /v2/systems/@me/tokens/deck'],
      ['POST /bot/systems/<system>/login'],
      ['PATCH /web/preferences', { word: 'headmates' }],
    ],
  },
  'a member is set to its current values': {
    does: [
      ['PATCH /v2/members/<wren>', { name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: '' }] }],
      ['PATCH /v1/m/<wren>', { prefix: 'w:' }],
    ],
  },
  'a group is set to its current values and members': {
    after: [flock, wrenInFlock],
    does: [
      ['PATCH /v2/groups/<flock>', { name: 'Flock', icon: '' }],
      ['POST /v2/groups/<flock>/members/add', ['<wren>', '<wren.uuid>']],
      ['POST /v2/groups/<flock>/members/remove', ['<finch>']],
      ['POST /v2/groups/<flock>/members/overwrite', ['<wren>']],
      ['POST /v2/members/<wren>/groups/add', ['<flock>']],
      ['POST /v2/members/<wren>/groups/overwrite', ['<flock>']],
      ['POST /v2/members/<finch>/groups/remove', ['<flock>']],
    ],
  },
  'an account is linked again, changed, or unlinked without being linked': {
    does: [
      ['PUT /bot/systems/<system>/accounts/<account>'],
      ['PATCH /bot/accounts/<account>', { autoproxy_enabled: false }],
      ['DELETE /bot/systems/<system>/accounts/77'],
    ],
  },
  'settings for a guild are set to their defaults': {
    does: [
      ['PATCH /bot/systems/<system>/guilds/<guild>', { tag_enabled: true }],
      ['PATCH /v2/systems/@me/guilds/<guild>', { tag: '' }],
      ['PATCH /bot/members/<wren>/guilds/<guild>', {}],
      ['PATCH /bot/guilds/<guild>', { require_system_tag: true }],
    ],
  },
  'autoproxy is set to its current mode': {
    does: [
      ['PATCH /v2/systems/@me/autoproxy?guild_id=<guild>', { autoproxy_mode: 'off' }],
      ['POST /bot/proxy', incoming],
    ],
  },
  'a message is recorded again, checked for proxying, and deleted': {
    after: [['POST /bot/messages', message]],
    does: [
      ['POST /bot/messages', message],
      ['POST /bot/proxy', { ...incoming, content: 'w: hello' }],
      ['DELETE /bot/messages/<sent>'],
    ],
  },
  'several messages are deleted': {
    after: [['POST /bot/messages', message]],
    does: [['POST /bot/messages/delete', ['<sent>']]],
  },
  'there is no switch to delete': { does: [['DELETE /bot/systems/<system>/switches']] },
  'a token or a link code is created': {
    does: [
      ['POST /bot/systems/<system>/token', { name: 'other' }],
      ['POST /v2/systems/@me/link-code'],
    ],
  },
  'the webhook is tested and enabled': {
    does: [['POST /v2/systems/@me/webhook/test'], ['POST /v2/systems/@me/webhook/enable']],
  },
  'the request is rejected': {
    after: [wrenFronts],
    does: [
      ['PATCH /v2/systems/@me', { name: 'x', color: 'nope' }],
      ['POST /v2/members', { name: '' }],
      ['POST /v2/systems/@me/switches', { members: ['<wren>'] }],
      ['PATCH /v2/systems/@me/switches/<front>/members', ['<wren>']],
      ['POST /v2/groups/zzzzzz/members/add', ['<wren>']],
      ['PATCH /v2/systems/@me/autoproxy?guild_id=<guild>', { autoproxy_mode: 'member' }],
      ['POST /bot/messages', { ...message, member: 'zzzzzz' }],
    ],
  },
}

const stepsWithoutEvents = Object.entries(withoutEvents).flatMap(([name, { does }]) =>
  name.endsWith('rejected') ? [] : does,
)

describe('requests without events', () => {
  test.each(Object.entries(withoutEvents))(
    'records no event when %s',
    async (name, { after, does }) => {
      const { stage, receivedEvents } = await listenTo(after)
      for (const step of does) {
        const { status, text } = await run(stage, step)
        expect(status >= 400, `${step[0]}: ${text}`).toBe(name.endsWith('rejected'))
      }
      await run(stage, ['PATCH /v2/systems/@me', { name: 'the end' }])
      expect(await receivedEvents()).toEqual([['UPDATE_SYSTEM', null, { name: 'the end' }]])
    },
  )
})

/** Writes whose events are tested elsewhere or cannot be received. */
const testedElsewhere: Record<string, string> = {
  'POST /v2/systems/@me/import': 'test/http/v2/imports.test.ts',
  'PUT /v2/systems/@me/webhook': 'test/events/webhook.test.ts',
  'DELETE /v2/systems/@me/webhook': 'test/events/webhook.test.ts',
  'POST /v2/systems/@me/webhook/verify': 'test/events/webhook.test.ts',
  'POST /private/bulk_privacy/member': 'test/http/private.test.ts',
  'POST /private/bulk_privacy/group': 'test/http/private.test.ts',
  'PATCH /v2/systems/@me/members': 'test/http/v2/bulkChanges.test.ts',
  'PATCH /v2/systems/@me/groups': 'test/http/v2/bulkChanges.test.ts',
  'POST /bot/link': 'test/http/bot/links.test.ts',
  'POST /bot/accounts/{account_id}/import': 'test/http/bot/imports.test.ts',
  'PUT /ext/v1/systems/@me/switches/{uuid}': 'test/http/ext/putSwitch.test.ts',
  'DELETE /ext/v1/systems/@me/switches/{uuid}': 'test/http/ext/putSwitch.test.ts',
  'POST /ext/v1/systems/@me/front/notes': 'test/http/ext/frontNotes.test.ts',
  'PATCH /ext/v1/front-notes/{id}': 'test/http/ext/frontNotes.test.ts',
  'DELETE /ext/v1/front-notes/{id}': 'test/http/ext/frontNotes.test.ts',
  'DELETE /ext/v1/systems/@me/archive/{collection}': 'test/http/ext/archive.test.ts',
  'POST /ext/v1/systems/@me/archive/convert': 'test/http/ext/convertArchive.test.ts',
  'PATCH /ext/v1/systems/@me/settings': 'test/http/ext/front.test.ts',
  'PATCH /ext/v1/systems/@me/members': 'test/http/ext/members.test.ts',
  'POST /ext/v1/members': 'test/http/ext/members.test.ts',
  'PATCH /ext/v1/members/{memberRef}': 'test/http/ext/members.test.ts',
  'POST /ext/v1/systems/@me/fields': 'test/http/ext/fields.test.ts',
  'PUT /ext/v1/systems/@me/fields/order': 'test/http/ext/fields.test.ts',
  'PATCH /ext/v1/fields/{id}': 'test/http/ext/fields.test.ts',
  'DELETE /ext/v1/fields/{id}': 'test/http/ext/fields.test.ts',
  'PATCH /ext/v1/groups/{groupRef}': 'test/http/ext/groups.test.ts',
  'PUT /ext/v1/systems/@me/groups/tree': 'test/http/ext/groups.test.ts',
  'POST /ext/v1/systems/@me/notes': 'test/http/ext/notes.test.ts',
  'PATCH /ext/v1/notes/{id}': 'test/http/ext/notes.test.ts',
  'DELETE /ext/v1/notes/{id}': 'test/http/ext/notes.test.ts',
  'POST /ext/v1/systems/@me/rooms': 'test/http/ext/posts.test.ts',
  'PATCH /ext/v1/rooms/{id}': 'test/http/ext/posts.test.ts',
  'DELETE /ext/v1/rooms/{id}': 'test/http/ext/posts.test.ts',
  'POST /ext/v1/systems/@me/posts': 'test/http/ext/posts.test.ts',
  'POST /ext/v1/systems/@me/posts/read': 'test/http/ext/posts.test.ts',
  'PATCH /ext/v1/posts/{id}': 'test/http/ext/posts.test.ts',
  'DELETE /ext/v1/posts/{id}': 'test/http/ext/posts.test.ts',
  'POST /ext/v1/systems/@me/polls': 'test/http/ext/polls.test.ts',
  'PATCH /ext/v1/polls/{id}': 'test/http/ext/polls.test.ts',
  'DELETE /ext/v1/polls/{id}': 'test/http/ext/polls.test.ts',
  'PUT /ext/v1/polls/{id}/votes/{memberRef}': 'test/http/ext/polls.test.ts',
  'DELETE /ext/v1/polls/{id}/votes/{memberRef}': 'test/http/ext/polls.test.ts',
  'POST /ext/v1/systems/@me/reminders': 'test/http/ext/reminders.test.ts',
  'PATCH /ext/v1/reminders/{id}': 'test/http/ext/reminders.test.ts',
  'DELETE /ext/v1/reminders/{id}': 'test/http/ext/reminders.test.ts',
  'POST /ext/v1/reminders/{id}/test': 'test/http/ext/reminders.test.ts',
  'POST /ext/v1/buckets': 'test/http/ext/friends.test.ts',
  'PATCH /ext/v1/buckets/{id}': 'test/http/ext/friends.test.ts',
  'DELETE /ext/v1/buckets/{id}': 'test/http/ext/friends.test.ts',
  'PUT /ext/v1/buckets/{id}/contents': 'test/http/ext/friends.test.ts',
  'POST /ext/v1/friends': 'test/http/ext/friends.test.ts',
  'PATCH /ext/v1/friends/{id}': 'test/http/ext/friends.test.ts',
  'DELETE /ext/v1/friends/{id}': 'test/http/ext/friends.test.ts',
  'POST /ext/v1/friends/invites': 'an invitation is not shown in events',
  'POST /ext/v1/friends/invites/preview': 'a preview changes nothing',
  'DELETE /ext/v1/friends/invites/{id}': 'an invitation is not shown in events',
  'PUT /ext/v1/members/{memberRef}/picture': 'test/http/ext/pictures.test.ts',
  'DELETE /ext/v1/members/{memberRef}/picture': 'test/http/ext/pictures.test.ts',
  'PUT /ext/v1/groups/{groupRef}/picture': 'test/http/ext/pictures.test.ts',
  'DELETE /ext/v1/groups/{groupRef}/picture': 'test/http/ext/pictures.test.ts',
  'PUT /ext/v1/systems/@me/picture': 'test/http/ext/pictures.test.ts',
  'DELETE /ext/v1/systems/@me/picture': 'test/http/ext/pictures.test.ts',
  'PUT /ext/v1/push': 'test/http/ext/push.test.ts',
  'PATCH /ext/v1/push/{id}': 'test/http/ext/push.test.ts',
  'DELETE /ext/v1/push/{id}': 'test/http/ext/push.test.ts',
  'POST /ext/v1/push/{id}/test': 'test/http/ext/push.test.ts',
  'POST /web/session': 'a session is not part of a system',
  'DELETE /web/session': 'a session is not part of a system',
  'POST /web/login': 'a login link is not part of a system',
  'POST /web/login-links': 'a login link is not part of a system',
  'POST /web/setup': 'a set-up link is not part of a system',
  'POST /web/systems': 'a new system has no listeners yet',
  'POST /web/import-place': 'a place in the queue is not part of a system',
  'DELETE /web/sessions': 'a session is not part of a system',
  'PATCH /web/sessions/{id}': 'a session is not part of a system',
  'DELETE /web/sessions/{id}': 'a session is not part of a system',
  'POST /bot/systems': 'a new system has no listeners yet',
  'DELETE /bot/systems/{systemRef}': 'a deleted system has no listeners',
}

test('every write in the API document is tested for its events or for recording none', () => {
  const done = [...Object.values(changes).map(({ does }) => does), ...stepsWithoutEvents].map(
    ([line]) => line,
  )
  const isDone = (write: string) => done.some((line) => patternOf(write).test(line))
  const writes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  const untested = writes.filter((write) => !isDone(write) && !(write in testedElsewhere))
  expect(
    untested.map(
      (write) => `${write}: add its events to test/events/changes.ts, or add it to withoutEvents`,
    ),
  ).toEqual([])
  const stale = Object.keys(testedElsewhere).filter((write) => !writes.includes(write))
  expect(stale).toEqual([])
})

/** Returns a pattern that accepts any value for a parameter. */
function patternOf(line: string): RegExp {
  return new RegExp(`^${line.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)
}

const opened: { leave(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((reading) => reading.leave())))

/** Creates a system with a webhook and a stream that get all later events. */
async function listenTo(after: Step[] = []) {
  const stage = await makeStage()
  for (const step of after) {
    const { status, json, text } = await run(stage, step)
    expect(status, `${step[0]}: ${text}`).toBeLessThan(300)
    const [, , name] = step
    if (name) Object.assign(stage.names, { [name]: json.id, [`${name}.uuid`]: json.uuid })
  }
  const receiver = receive()
  const owner = { id: 0, hid: '', uuid: '', token: stage.fill('<token>') }
  await hook(at, owner, receiver.url)
  const reading = await readStream(`${address}/v2/systems/@me/events`, { token: owner.token })
  opened.push(reading)
  await until(() => reading.heartbeats > 0)

  await stage.takeEvents()

  /** Returns the events that both received, which must be equal and complete. */
  const receivedEvents = async (): Promise<ExpectedEvent[]> => {
    const { length } = await stage.takeEvents()
    await until(() => receiver.events.length >= length && reading.messages.length >= length)
    const streamed = reading.messages.map(({ id, event, data }) => ({ id, event, data }))
    const sent = receiver.events.map(({ body: { signing_token, ...data }, headers }) => {
      expect(signing_token).toBe(TOKEN)
      expect(Object.keys(data)).toEqual(['type', 'system_id', 'id', 'data'])
      expect(data.system_id).toBe(stage.fill('<system.uuid>'))
      return { id: headers.get('x-event-id') ?? '', event: data.type, data }
    })
    expect(streamed).toEqual(sent)
    return sent.map(({ event, data }) => [event, data.id ?? null, data.data ?? null])
  }
  return { stage, receivedEvents }
}

/** Sends v1 and v2 requests as the owner, unless a bot shall act for the owner. */
async function run(stage: BotFixture, [line, body]: Step, by?: 'bot') {
  const isOwner = by === undefined && !line.includes(' /bot/')
  return stage.ask(line, body, isOwner ? { authorization: '<token>' } : {})
}

async function rememberCreated(
  { ask, names }: BotFixture,
  response: Record<string, unknown> | null,
): Promise<void> {
  const isMember = response !== null && response.uuid === undefined && 'keep_proxy' in response
  const known = isMember
    ? (await ask(`GET /v2/members/${response.id}`)).json
    : (response ?? (await ask('GET /v2/systems/@me/fronters')).json)
  names.made = String(known?.uuid ?? known?.id)
  names.time = String(known?.timestamp ?? known?.last_latch_timestamp)
}

/** Returns system and member as in an event of a message: as the owner sees them. */
async function ownerViews({ ask }: BotFixture) {
  const { json: system } = await ask('GET /v2/systems/@me')
  const { json } = await ask('GET /v2/members/<wren>')
  const { system: _, ...member } = json ?? {}
  return { system, member }
}

function withViews(
  [type, id, data]: ExpectedEvent,
  owned: { system: unknown; member: unknown },
): ExpectedEvent {
  return [type, id, type === 'CREATE_MESSAGE' ? { ...(data as object), ...owned } : data]
}
