import { eq } from 'drizzle-orm'
import { groups, members } from '../../../src/db/tables'
import { EXAMPLE_INVITE } from '../../../src/http/ext/friends'
import { isObject } from '../../../src/model/core/validation'
import { EXAMPLE_CODE } from '../../../src/serializers/bot'
import { EXAMPLE_GROUP, EXAMPLE_MEMBER } from '../../../src/serializers/schema'
import {
  EXAMPLE_LOGIN,
  EXAMPLE_SESSION,
  EXAMPLE_SETUP,
  EXAMPLE_TOKEN,
} from '../../../src/serializers/web'
import { hashSecret } from '../../../src/store/access/secrets'
import { drizzleOn } from '../../tools/drizzle'
import { document } from '../../tools/openapiDocument'
import { createBot } from '../../tools/operatorActions'
import { execute, insert } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { afterEach, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

/** Sends every example body of the API page to a server that has the entities it refers to. */

interface Operation {
  parameters?: { name: string; in: string; schema?: { example?: string } }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const paths = document.paths as Record<string, Record<string, Operation>>

const examples = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { requestBody }]) => requestBody)
    .map(([method, operation]) => ({
      line: `${method.toUpperCase()} ${path}`,
      body: Object.values(operation.requestBody?.content ?? {})[0]?.example,
      parameters: operation.parameters ?? [],
    })),
)

const HOUR = 3_600_000_000
const GUILD = '200000000000000001'
const ACCOUNT = '100000000000000001'

/** Values of path parameters without an example. */
const parameterValues: Record<string, string> = {
  memberRef: EXAMPLE_MEMBER,
  groupRef: EXAMPLE_GROUP,
  switchRef: '<first.uuid>',
  systemRef: '<own>',
  guild_id: GUILD,
  account_id: ACCOUNT,
  id: EXAMPLE_MEMBER,
}

/** Requests that must precede some examples. A new operation may need an entry. */
const setupRequests: Record<string, (ask: Ask) => ReturnType<Ask>> = {
  'PATCH /v2/systems/@me/guilds/{guild_id}': (ask) =>
    ask(`PATCH /bot/systems/<own>/guilds/${GUILD}`, {}),
  'PATCH /v2/members/{memberRef}/guilds/{guild_id}': (ask) =>
    ask(`PATCH /bot/members/${EXAMPLE_MEMBER}/guilds/${GUILD}`, {}),
  'POST /bot/messages': link,
  'PATCH /bot/accounts/{account_id}': link,
  'PATCH /ext/v1/front-notes/{id}': (ask) =>
    ask('POST /ext/v1/systems/@me/front/notes', { kind: 'comment', text: 'Hello' }),
  'PATCH /ext/v1/fields/{id}': (ask) =>
    ask('POST /ext/v1/systems/@me/fields', { name: 'Age', type: 'text' }),
  'PUT /ext/v1/systems/@me/groups/tree': (ask) => ask('DELETE /v2/groups/<dreamers>'),
  'PATCH /ext/v1/notes/{id}': (ask) => ask('POST /ext/v1/systems/@me/notes', { text: 'Hello' }),
  'PATCH /ext/v1/rooms/{id}': (ask) => ask('POST /ext/v1/systems/@me/rooms', { name: 'General' }),
  'PATCH /ext/v1/posts/{id}': (ask) => ask('POST /ext/v1/systems/@me/posts', { text: 'Hello' }),
  'PATCH /ext/v1/push/{id}': (ask) => ask('PUT /ext/v1/push', examplePushTarget),
  'PATCH /ext/v1/buckets/{id}': (ask) => ask('POST /ext/v1/buckets', { name: 'Friends' }),
  'PUT /ext/v1/buckets/{id}/contents': (ask) => ask('POST /ext/v1/buckets', { name: 'Friends' }),
  'PATCH /ext/v1/friends/{id}': (ask) => ask('POST /ext/v1/friends', { code: EXAMPLE_INVITE }),
  'PATCH /ext/v1/polls/{id}': createPoll,
  'PUT /ext/v1/polls/{id}/votes/{memberRef}': createPoll,
  'PATCH /ext/v1/reminders/{id}': (ask) =>
    ask('POST /ext/v1/systems/@me/reminders', {
      name: 'Log your front',
      kind: 'after_switch',
      after: 60,
      on: 'any',
    }),
  'POST /web/setup': async (ask) => {
    await ask('DELETE /bot/systems/<other>')
    return ask('DELETE /bot/systems/<own>')
  },
}

const examplePushTarget = examples.find(({ line }) => line === 'PUT /ext/v1/push')?.body

type Ask = (line: string, body?: unknown) => Promise<{ status: number; text: string }>

function createPoll(ask: Ask) {
  return ask('POST /ext/v1/systems/@me/polls', { name: 'Move?', options: [{ name: 'yes' }] })
}

function link(ask: Ask) {
  return ask(`PUT /bot/systems/<own>/accounts/${ACCOUNT}`)
}

test('the API page has example bodies', () => expect(examples.length).toBeGreaterThan(25))

// Resolves the host of every example; nothing is sent there.
const testApp = createTestApp({
  WEB_REGISTRATION: 'open',
  PUBLIC_URL: 'https://multitude.example',
  events: { resolve: async () => ['93.184.215.14'] },
})
const key = await createBot(testApp.deps, 'discord')

/** Deletes everything but the bot, because examples share their IDs and codes. */
afterEach(() =>
  testApp.deps.transact('new', async (tx) => {
    for (const table of ['systems', 'messages', 'setup_codes'])
      await execute(tx, `delete from ${table}`)
  }),
)

test.each(examples)('$line accepts its example body', async ({ line, body, parameters }) => {
  const fixture = await createFixture(testApp)
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(members)
      .set({ hid: EXAMPLE_MEMBER })
      .where(eq(members.id, fixture.wren.id))
    const code = { system_id: fixture.owner.id, hash: hashSecret(EXAMPLE_CODE) }
    await insert(tx, 'link_codes', { ...code, expires: testApp.deps.now() + HOUR })
    await insert(tx, 'friend_invites', {
      uuid: crypto.randomUUID(),
      system_id: fixture.other.id,
      hash: hashSecret(EXAMPLE_INVITE),
      share: JSON.stringify({ see_front: true, see_members: false, announce: true, buckets: [] }),
      expires: testApp.deps.now() + HOUR,
    })
    const login = { system_id: fixture.owner.id, hash: hashSecret(EXAMPLE_LOGIN) }
    await insert(tx, 'login_codes', { ...login, expires: testApp.deps.now() + HOUR })
    const setup = { hash: hashSecret(EXAMPLE_SETUP), expires: testApp.deps.now() + HOUR }
    await insert(tx, 'setup_codes', setup)
    await insert(tx, 'tokens', {
      system_id: fixture.owner.id,
      name: 'example',
      hash: hashSecret(EXAMPLE_TOKEN),
      created: testApp.deps.now(),
    })
    await insert(tx, 'sessions', {
      uuid: EXAMPLE_SESSION,
      system_id: fixture.owner.id,
      hash: 'of nothing',
      name: 'Firefox on Android',
      created: testApp.deps.now(),
      last_used: testApp.deps.now(),
      expires: testApp.deps.now() + HOUR,
      remember: 1,
    })
    await drizzleOn(tx)
      .update(groups)
      .set({ hid: EXAMPLE_GROUP })
      .where(eq(groups.id, fixture.keepers.id))
  })
  const ask: Ask = (request, requestBody) => {
    const isForBots = request.includes(' /bot/')
    return testApp.ask(fixture.fill(request), {
      ...(requestBody !== undefined && { body: requestBody }),
      headers: { authorization: isForBots ? `Bot ${key}` : fixture.owner.token },
    })
  }
  const setup = await setupRequests[line]?.(ask)
  expect(setup?.status ?? 204).toBeOneOf([200, 201, 204])
  const created: { id?: string; options?: { id: string }[] } =
    setup?.status === 201 ? JSON.parse(setup.text) : {}
  // The server generates the IDs of options, so the example names one that does not exist.
  const [option] = created.options ?? []
  const sent = option && isObject(body) && 'option' in body ? { ...body, option: option.id } : body

  const path = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((known) => known.name === name)?.schema?.example
    const value = (name === 'id' ? created.id : undefined) ?? example ?? parameterValues[name]
    if (value === undefined) throw new Error(`${line}: add {${name}} to \`parameterValues\``)
    return value
  })
  const query = parameters.flatMap(({ in: location, name, schema }) =>
    location === 'query' && schema?.example !== undefined ? [`${name}=${schema.example}`] : [],
  )
  const { status, text } = await ask([path, ...query].join(query.length > 0 ? '?' : ''), sent)
  if (status >= 300)
    throw new Error(
      `${line} refuses its own example ${JSON.stringify(body)}: ${text}\n` +
        'Fix the example of its body schema, or add what it needs to `setupRequests`.',
    )
})
