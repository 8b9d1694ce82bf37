import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventTypes } from '../../src/model/events'
import { endpoints } from '../contract/endpoints'
import { type BotFixture, createBotFixtures } from '../http/bot/botFixture'
import { run as runCommand } from '../tools/runInProcess'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { until } from '../tools/until'
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
import { hook, receivers, TOKEN } from './receiver'

const root = join(import.meta.dir, '../..')
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
      runCommand(['account', verb, stage.fill('<system>'), '4242', ...flags], {
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

test('every write in the API document is tested for its events or for recording none', () => {
  const writes = Object.entries(endpoints).filter(([line]) => !line.startsWith('GET '))
  const problems = writes.flatMap(([line, { events = [] }]) => {
    if ('none' in events) return []
    if ('testedIn' in events)
      return existsSync(join(root, events.testedIn)) ? [] : [`${line}: no ${events.testedIn}`]
    const isAsked = ([request]: Step) => patternOf(line).test(request)
    const own = Object.values(changes).filter(({ does }) => isAsked(does))
    const types = new Set<string>(own.flatMap((change) => change.events.map(([type]) => type)))
    const isTested = own.length > 0 || stepsWithoutEvents.some(isAsked)
    if (isTested && Bun.deepEquals([...types].toSorted(), events.toSorted())) return []
    return `${line}: add its events to test/events/changes.ts, or add it to withoutEvents. These tests expect [${[...types]}], its row in test/endpoints has [${events}].`
  })
  expect(problems).toEqual([])
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
