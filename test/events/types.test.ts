import { afterAll, describe, expect, test } from 'bun:test'
import { eventTypes } from '../../src/model/events'
import { type BotFixture, createBotFixtures } from '../http/bot/botFixture'
import { document } from '../openapiDocument'
import { program, runCommand } from '../serverProcess'
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

describe('its receiver and its stream are told that', () => {
  test.each(Object.entries(changes))('%s', async (_, change) => {
    const { stage, heard } = await listenTo(change.after)
    const { fill } = stage
    await noteWhatWasMade(stage, (await run(stage, change.does, change.by)).json)
    const owned = await ownerViews(stage)
    const told = fill(change.events).map((one) => withViews(one, owned))
    expect(await heard()).toEqual(told)
  })

  test('an account is linked and unlinked by the command line', async () => {
    const { stage, heard } = await listenTo()
    const account = (verb: string, ...flags: string[]) =>
      runCommand([...program, 'account', verb, stage.fill('<system>'), '4242', ...flags], {
        cwd: at.folder,
        env: { DATABASE_URL: at.config.DATABASE_URL },
      })
    expect(await account('link')).toMatchObject({ code: 0 })
    expect(await account('unlink', '--yes')).toMatchObject({ code: 0 })
    expect(await heard()).toEqual([
      ['LINK_ACCOUNT', '4242', null],
      ['UNLINK_ACCOUNT', '4242', null],
    ])
  })

  test('everything that is in the table of events was tried', () => {
    const tried = new Set(
      Object.values(changes).flatMap(({ events }) => events.map(([type]) => type)),
    )
    // An import tells of itself; its own tests show it.
    expect(tried).toEqual(new Set(eventTypes.filter((type) => type !== 'SUCCESSFUL_IMPORT')))
  })
})

/** What is no change, or none that is told. The last of them is refused altogether. */
const silences: Record<string, Pick<Change, 'after'> & { does: Step[] }> = {
  'a system says what it said before': {
    does: [
      ['PATCH /v2/systems/@me', { name: 'Lantern Hill', privacy: { name_privacy: 'public' } }],
      ['PATCH /v1/s', { name: 'Lantern Hill', tz: 'UTC' }],
      ['PATCH /v2/systems/@me/settings', { timezone: 'UTC', description_templates: [] }],
    ],
  },
  'keys are made and taken away, and the dashboard remembers': {
    does: [
      ['POST /v2/systems/@me/tokens', { name: 'deck', scope: 'front' }],
      ['DELETE /v2/systems/@me/tokens/deck'],
      ['POST /bot/systems/<system>/login'],
      ['PATCH /web/preferences', { word: 'headmates' }],
    ],
  },
  'a member says what it said before': {
    does: [
      ['PATCH /v2/members/<wren>', { name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: '' }] }],
      ['PATCH /v1/m/<wren>', { prefix: 'w:' }],
    ],
  },
  'a group is and holds what it was and held before': {
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
  'an account is linked again, changed, or was never linked': {
    does: [
      ['PUT /bot/systems/<system>/accounts/<account>'],
      ['PATCH /bot/accounts/<account>', { autoproxy_enabled: false }],
      ['DELETE /bot/systems/<system>/accounts/77'],
    ],
  },
  'settings for a guild come to say what is so anyway': {
    does: [
      ['PATCH /bot/systems/<system>/guilds/<guild>', { tag_enabled: true }],
      ['PATCH /v2/systems/@me/guilds/<guild>', { tag: '' }],
      ['PATCH /bot/members/<wren>/guilds/<guild>', {}],
      ['PATCH /bot/guilds/<guild>', { require_system_tag: true }],
    ],
  },
  'autoproxy is set to what it is': {
    does: [
      ['PATCH /v2/systems/@me/autoproxy?guild_id=<guild>', { autoproxy_mode: 'off' }],
      ['POST /bot/proxy', incoming],
    ],
  },
  'a message is recorded again, decided on, and forgotten': {
    after: [['POST /bot/messages', message]],
    does: [
      ['POST /bot/messages', message],
      ['POST /bot/proxy', { ...incoming, content: 'w: hello' }],
      ['DELETE /bot/messages/<sent>'],
    ],
  },
  'messages are forgotten together': {
    after: [['POST /bot/messages', message]],
    does: [['POST /bot/messages/delete', ['<sent>']]],
  },
  'there was no switch to delete': { does: [['DELETE /bot/systems/<system>/switches']] },
  'a token or a code is made': {
    does: [
      ['POST /bot/systems/<system>/token', { name: 'other' }],
      ['POST /v2/systems/@me/link-code'],
    ],
  },
  'the webhook is tried and enabled': {
    does: [['POST /v2/systems/@me/webhook/test'], ['POST /v2/systems/@me/webhook/enable']],
  },
  'what was asked for is refused': {
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

const silent = Object.entries(silences).flatMap(([name, { does }]) =>
  name.endsWith('refused') ? [] : does,
)

describe('nobody is told anything when', () => {
  test.each(Object.entries(silences))('%s', async (name, { after, does }) => {
    const { stage, heard } = await listenTo(after)
    for (const step of does) {
      const { status, text } = await run(stage, step)
      expect(status >= 400, `${step[0]}: ${text}`).toBe(name.endsWith('refused'))
    }
    await run(stage, ['PATCH /v2/systems/@me', { name: 'the end' }])
    expect(await heard()).toEqual([['UPDATE_SYSTEM', null, { name: 'the end' }]])
  })
})

/** Writes that are heard, or cannot be, elsewhere. */
const heardElsewhere: Record<string, string> = {
  'POST /v2/systems/@me/import': 'test/http/v2/imports.test.ts',
  'PUT /v2/systems/@me/webhook': 'test/events/webhook.test.ts',
  'DELETE /v2/systems/@me/webhook': 'test/events/webhook.test.ts',
  'POST /v2/systems/@me/webhook/verify': 'test/events/webhook.test.ts',
  'POST /private/bulk_privacy/member': 'test/http/private.test.ts',
  'POST /private/bulk_privacy/group': 'test/http/private.test.ts',
  'PATCH /v2/systems/@me/members': 'test/http/v2/bulkChanges.test.ts',
  'PATCH /v2/systems/@me/groups': 'test/http/v2/bulkChanges.test.ts',
  'POST /bot/link': 'test/http/bot/links.test.ts',
  'POST /web/session': 'coming and going is no change of a system',
  'DELETE /web/session': 'coming and going is no change of a system',
  'POST /web/login': 'looking at a link is no change of a system',
  'DELETE /web/sessions': 'coming and going is no change of a system',
  'PATCH /web/sessions/{id}': 'the name of a browser is no change of a system',
  'DELETE /web/sessions/{id}': 'coming and going is no change of a system',
  'POST /bot/systems': 'nobody listens to a system that is not there yet',
  'DELETE /bot/systems/{systemRef}': 'nobody listens to a system that is gone',
}

test('every write of the API document is among the changes or the silences', () => {
  const done = [...Object.values(changes).map(({ does }) => does), ...silent].map(([line]) => line)
  const isDone = (write: string) => done.some((line) => patternOf(write).test(line))
  const writes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  const untried = writes.filter((write) => !isDone(write) && !(write in heardElsewhere))
  expect(
    untried.map(
      (write) =>
        `${write}: say in test/events/changes.ts what is told of it, or in silences that nothing is`,
    ),
  ).toEqual([])
  const stale = Object.keys(heardElsewhere).filter((write) => !writes.includes(write))
  expect(stale).toEqual([])
})

/** Any name may stand for a parameter. */
function patternOf(line: string): RegExp {
  return new RegExp(`^${line.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)
}

const opened: { leave(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((reading) => reading.leave())))

/** A system whose receiver and reader hear all that happens from now on. */
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
  await until(() => reading.beats > 0)

  await stage.told()

  /** What both heard, which must be the same, and all that the outbox has. */
  const heard = async (): Promise<ExpectedEvent[]> => {
    const { length } = await stage.told()
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
  return { stage, heard }
}

/** Versions 1 and 2 are asked by the owner, unless a bot shall ask on its behalf. */
async function run(stage: BotFixture, [line, body]: Step, by?: 'bot') {
  const isOwner = by === undefined && !line.includes(' /bot/')
  return stage.ask(line, body, isOwner ? { authorization: '<token>' } : {})
}

async function noteWhatWasMade(
  { ask, names }: BotFixture,
  made: Record<string, unknown> | null,
): Promise<void> {
  const isMember = made !== null && made.uuid === undefined && 'keep_proxy' in made
  const known = isMember
    ? (await ask(`GET /v2/members/${made.id}`)).json
    : (made ?? (await ask('GET /v2/systems/@me/fronters')).json)
  names.made = String(known?.uuid ?? known?.id)
  names.time = String(known?.timestamp ?? known?.last_latch_timestamp)
}

/** What a message shows of its system and member: all that the owner sees. */
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
