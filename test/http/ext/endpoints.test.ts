import { document } from '../../openapiDocument'
import { createBot } from '../../operatorActions'
import { createFixture, type Fixture, type Json } from '../../scenarios'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { archiveRows } from './archiveRows'

const testApp = createTestApp({
  RATE_LIMIT: 'off',
  PUSH_CONTACT: 'mailto:operator@multitude.example',
  DISPATCH_ALLOW: '127.0.0.1',
  PUBLIC_URL: 'https://plural.example',
})

/** Answers to a caller: the status, or the code of the error. */
type Answer = number

interface Endpoint {
  /** Request with IDs of the owner, as a line and a body. */
  ask: string
  body?: unknown
  /** Answers to the owner, to a bot that acts as the owner, and to other callers. */
  owner: Answer
  anonymous: Answer
  other: Answer
  /** Answer to the bot, if it differs from the owner's. */
  bot?: Answer
}

const UNAUTHORIZED = 401
const ME = '/ext/v1/systems/@me'

/** Read that other callers may send too, if privacy allows it. */
const read = (ask: string): Endpoint => ({ ask, owner: 200, anonymous: 200, other: 200 })

/** Request about the caller's own system. */
const own = (ask: string, owner: number, body?: unknown, other = owner): Endpoint => ({
  ask,
  body,
  owner,
  anonymous: UNAUTHORIZED,
  other,
})

/** Request about an object that the owner's ID names, which does not exist for other systems. */
const named = (ask: string, owner: number, missing: number, body?: unknown): Endpoint =>
  own(ask, owner, body, missing)

const text = { text: 'Changed' }
/** Text that is sent as it is, and that the server takes for a picture. */
const picture = 'GIF89a'
const name = { name: 'Changed' }
const afterSwitch = { kind: 'after_switch', after: 60, on: 'any' }

/** Registration of a browser. No push service listens at its address. */
const pushTarget = {
  endpoint: 'https://127.0.0.1:9/<new>',
  keys: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  label: 'Secret',
  wants: ['posts'],
}

/** Every operation of the extension API, by its line in the API document. */
const endpoints: Record<string, Endpoint> = {
  'GET /ext/v1/systems/{systemRef}/members': read('GET /ext/v1/systems/<own>/members'),
  'PATCH /ext/v1/systems/@me/members': own(
    `PATCH ${ME}/members`,
    200,
    [{ id: '<wren>', archived: true }],
    30008,
  ),
  'POST /ext/v1/members': own('POST /ext/v1/members', 201, { member: { name: 'Robin' } }),
  'GET /ext/v1/members/{memberRef}': read('GET /ext/v1/members/<wren>'),
  'PATCH /ext/v1/members/{memberRef}': own(
    'PATCH /ext/v1/members/<wren>',
    200,
    { archived: true },
    30006,
  ),
  'GET /ext/v1/systems/{systemRef}/front': read('GET /ext/v1/systems/<own>/front'),
  'GET /ext/v1/systems/{systemRef}/front/stream': read('GET /ext/v1/systems/<own>/front/stream'),
  'PUT /ext/v1/systems/@me/switches/{uuid}': own(
    `PUT ${ME}/switches/<new>`,
    201,
    { members: ['<wren>'] },
    30008,
  ),
  'DELETE /ext/v1/systems/@me/switches/{uuid}': own(`DELETE ${ME}/switches/<first>`, 204),
  'GET /ext/v1/systems/@me/front/notes': own(`GET ${ME}/front/notes`, 200),
  'POST /ext/v1/systems/@me/front/notes': own(`POST ${ME}/front/notes`, 201, {
    kind: 'comment',
    ...text,
  }),
  'PATCH /ext/v1/front-notes/{id}': named('PATCH /ext/v1/front-notes/<comment>', 200, 29010, text),
  'DELETE /ext/v1/front-notes/{id}': named('DELETE /ext/v1/front-notes/<comment>', 204, 29010),
  'GET /ext/v1/systems/@me/settings': own(`GET ${ME}/settings`, 200),
  'PATCH /ext/v1/systems/@me/settings': own(`PATCH ${ME}/settings`, 200, {
    front_status_privacy: 'public',
  }),
  'GET /ext/v1/systems/{systemRef}/fields': read('GET /ext/v1/systems/<own>/fields'),
  'POST /ext/v1/systems/@me/fields': own(`POST ${ME}/fields`, 201, { ...name, type: 'text' }),
  'PUT /ext/v1/systems/@me/fields/order': own(`PUT ${ME}/fields/order`, 200, ['<field>'], 400),
  'PATCH /ext/v1/fields/{id}': named('PATCH /ext/v1/fields/<field>', 200, 29001, name),
  'DELETE /ext/v1/fields/{id}': named('DELETE /ext/v1/fields/<field>', 204, 29001),
  'GET /ext/v1/systems/{systemRef}/groups': read('GET /ext/v1/systems/<own>/groups'),
  'PATCH /ext/v1/groups/{groupRef}': own(
    'PATCH /ext/v1/groups/<dreamers>',
    200,
    { parent: '<keepers>' },
    30007,
  ),
  'PUT /ext/v1/systems/@me/groups/tree': own(
    `PUT ${ME}/groups/tree`,
    200,
    [
      { id: '<keepers>', parent: null },
      { id: '<dreamers>', parent: '<keepers>' },
    ],
    400,
  ),
  'GET /ext/v1/systems/@me/notes': own(`GET ${ME}/notes`, 200),
  'POST /ext/v1/systems/@me/notes': own(`POST ${ME}/notes`, 201, text),
  'GET /ext/v1/notes/{id}': named('GET /ext/v1/notes/<note>', 200, 29002),
  'PATCH /ext/v1/notes/{id}': named('PATCH /ext/v1/notes/<note>', 200, 29002, text),
  'DELETE /ext/v1/notes/{id}': named('DELETE /ext/v1/notes/<note>', 204, 29002),
  'GET /ext/v1/systems/@me/rooms': own(`GET ${ME}/rooms`, 200),
  'POST /ext/v1/systems/@me/rooms': own(`POST ${ME}/rooms`, 201, name),
  'PATCH /ext/v1/rooms/{id}': named('PATCH /ext/v1/rooms/<room>', 200, 29004, name),
  'DELETE /ext/v1/rooms/{id}': named('DELETE /ext/v1/rooms/<room>', 204, 29004),
  'GET /ext/v1/systems/@me/posts': named(`GET ${ME}/posts?room=<room>`, 200, 29004),
  'GET /ext/v1/systems/@me/posts/unread': own(`GET ${ME}/posts/unread`, 200),
  'POST /ext/v1/systems/@me/posts': named(`POST ${ME}/posts`, 201, 29004, {
    room: '<room>',
    ...text,
  }),
  'POST /ext/v1/systems/@me/posts/read': own(
    `POST ${ME}/posts/read`,
    204,
    { for: '<wren>' },
    30008,
  ),
  'PATCH /ext/v1/posts/{id}': named('PATCH /ext/v1/posts/<post>', 200, 29003, text),
  'DELETE /ext/v1/posts/{id}': named('DELETE /ext/v1/posts/<post>', 204, 29003),
  'GET /ext/v1/systems/@me/polls': own(`GET ${ME}/polls`, 200),
  'POST /ext/v1/systems/@me/polls': own(`POST ${ME}/polls`, 201, {
    ...name,
    options: [{ name: 'yes' }],
  }),
  'GET /ext/v1/polls/{id}': named('GET /ext/v1/polls/<poll>', 200, 29005),
  'PATCH /ext/v1/polls/{id}': named('PATCH /ext/v1/polls/<poll>', 200, 29005, name),
  'DELETE /ext/v1/polls/{id}': named('DELETE /ext/v1/polls/<poll>', 204, 29005),
  'PUT /ext/v1/polls/{id}/votes/{memberRef}': named(
    'PUT /ext/v1/polls/<poll>/votes/<wren>',
    200,
    29005,
    { option: '<option>' },
  ),
  'DELETE /ext/v1/polls/{id}/votes/{memberRef}': named(
    'DELETE /ext/v1/polls/<poll>/votes/<wren>',
    200,
    29005,
  ),
  'GET /ext/v1/systems/@me/reminders': own(`GET ${ME}/reminders`, 200),
  'POST /ext/v1/systems/@me/reminders': own(`POST ${ME}/reminders`, 201, {
    ...name,
    ...afterSwitch,
  }),
  'PATCH /ext/v1/reminders/{id}': named('PATCH /ext/v1/reminders/<reminder>', 200, 29006, name),
  'DELETE /ext/v1/reminders/{id}': named('DELETE /ext/v1/reminders/<reminder>', 204, 29006),
  'POST /ext/v1/reminders/{id}/test': named('POST /ext/v1/reminders/<reminder>/test', 200, 29006),
  'GET /ext/v1/buckets': own('GET /ext/v1/buckets', 200),
  'POST /ext/v1/buckets': own('POST /ext/v1/buckets', 201, name),
  'PATCH /ext/v1/buckets/{id}': named('PATCH /ext/v1/buckets/<bucket>', 200, 29007, name),
  'DELETE /ext/v1/buckets/{id}': named('DELETE /ext/v1/buckets/<bucket>', 204, 29007),
  'PUT /ext/v1/buckets/{id}/contents': named('PUT /ext/v1/buckets/<bucket>/contents', 200, 29007, {
    members: [],
  }),
  'GET /ext/v1/friends': own('GET /ext/v1/friends', 200),
  'POST /ext/v1/friends': own('POST /ext/v1/friends', 201, { code: '<code>' }),
  'GET /ext/v1/friends/stream': own('GET /ext/v1/friends/stream', 200),
  'PATCH /ext/v1/friends/{id}': named('PATCH /ext/v1/friends/<friend>', 200, 29008, name),
  'DELETE /ext/v1/friends/{id}': named('DELETE /ext/v1/friends/<friend>', 204, 29008),
  'GET /ext/v1/friends/invites': own('GET /ext/v1/friends/invites', 200),
  'POST /ext/v1/friends/invites': own('POST /ext/v1/friends/invites', 201, {}),
  'POST /ext/v1/friends/invites/preview': own('POST /ext/v1/friends/invites/preview', 200, {
    code: '<previewed>',
  }),
  'DELETE /ext/v1/friends/invites/{id}': named(
    'DELETE /ext/v1/friends/invites/<invite>',
    204,
    29009,
  ),
  'GET /ext/v1/friends/{id}/front': named('GET /ext/v1/friends/<friend>/front', 200, 29008),
  'GET /ext/v1/friends/{id}/members': named('GET /ext/v1/friends/<friend>/members', 200, 29008),
  'GET /ext/v1/friends/{id}/members/{memberRef}': named(
    'GET /ext/v1/friends/<friend>/members/<shared>',
    200,
    29008,
  ),
  'GET /ext/v1/friends/{id}/groups': named('GET /ext/v1/friends/<friend>/groups', 200, 29008),
  'GET /ext/v1/friends/{id}/fields': named('GET /ext/v1/friends/<friend>/fields', 200, 29008),
  'GET /ext/v1/push': own('GET /ext/v1/push', 200),
  'PUT /ext/v1/push': {
    ...own('PUT /ext/v1/push', 201, { ...pushTarget, label: 'Phone' }),
    bot: 403,
  },
  'PATCH /ext/v1/push/{id}': named('PATCH /ext/v1/push/<target>', 200, 29011, { label: 'Phone' }),
  'DELETE /ext/v1/push/{id}': named('DELETE /ext/v1/push/<target>', 204, 29011),
  'POST /ext/v1/push/{id}/test': named('POST /ext/v1/push/<target>/test', 200, 29011),
  'GET /ext/v1/systems/@me/archive': own(`GET ${ME}/archive`, 200),
  'GET /ext/v1/systems/@me/archive/{collection}': named(`GET ${ME}/archive/notes`, 200, 29012),
  'DELETE /ext/v1/systems/@me/archive/{collection}': named(
    `DELETE ${ME}/archive/notes`,
    204,
    29012,
  ),
  'POST /ext/v1/systems/@me/archive/convert': own(`POST ${ME}/archive/convert`, 200),
  'GET /ext/v1/systems/@me/origins': own(
    `GET ${ME}/origins?app=simplyplural&collection=members`,
    200,
  ),
  'PUT /ext/v1/members/{memberRef}/picture': named(
    'PUT /ext/v1/members/<wren>/picture',
    200,
    30006,
    picture,
  ),
  'DELETE /ext/v1/members/{memberRef}/picture': named(
    'DELETE /ext/v1/members/<wren>/picture',
    204,
    30006,
  ),
  'PUT /ext/v1/groups/{groupRef}/picture': named(
    'PUT /ext/v1/groups/<keepers>/picture',
    200,
    30007,
    picture,
  ),
  'DELETE /ext/v1/groups/{groupRef}/picture': named(
    'DELETE /ext/v1/groups/<keepers>/picture',
    204,
    30007,
  ),
  // Before the upload, by which another system gets a picture too.
  'DELETE /ext/v1/systems/@me/picture': own(`DELETE ${ME}/picture`, 204, undefined, 404),
  'PUT /ext/v1/systems/@me/picture': own(`PUT ${ME}/picture`, 200, picture),
}

/** Creates one object of each kind, whose ID is a placeholder. */
async function createObjects(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  const create = async (placeholder: string, path: string, body: Json) => {
    const json = await fixture.do(`POST ${ME}/${path}`, body)
    fixture.remember(placeholder, json.id)
    return json
  }
  fixture.remember('new', crypto.randomUUID())
  await create('comment', 'front/notes', { kind: 'comment', text: 'Secret' })
  await create('field', 'fields', { name: 'Secret', type: 'text' })
  await create('note', 'notes', { text: 'Secret' })
  await create('room', 'rooms', { name: 'Secret' })
  await create('post', 'posts', { for: '<wren>', text: 'Secret' })
  const poll = await create('poll', 'polls', { name: 'Secret', options: [{ name: 'yes' }] })
  fixture.remember('option', (poll.options as Json[])[0]?.id)
  await create('reminder', 'reminders', { name: 'Secret', ...afterSwitch })
  const bucket = await fixture.do('POST /ext/v1/buckets', { name: 'Secret' })
  fixture.remember('bucket', bucket.id)
  const invite = await fixture.do('POST /ext/v1/friends/invites', { name: 'Secret' })
  fixture.remember('invite', invite.id)
  const third = await testApp.makeSystem('Third')
  const fourth = await testApp.makeSystem('Fourth')
  const { json } = await testApp.ask('POST /ext/v1/friends/invites', {
    as: third,
    body: { share: { see_members: true } },
  })
  const open = await testApp.ask('POST /ext/v1/friends/invites', { as: fourth, body: {} })
  fixture.remember('code', open.json.code)
  const previewed = await testApp.ask('POST /ext/v1/friends/invites', { as: fourth, body: {} })
  fixture.remember('previewed', previewed.json.code)
  const shared = await testApp.ask('POST /ext/v1/members', {
    as: third,
    body: { member: { name: 'Shared' }, buckets: (json.share as Json).buckets },
  })
  fixture.remember('shared', (shared.json.member as Json).uuid)
  const friend = await fixture.do('POST /ext/v1/friends', { code: json.code, name: 'Secret' })
  fixture.remember('friend', friend.id)
  const endpoint = `https://127.0.0.1:9/${crypto.randomUUID()}`
  const target = await fixture.do('PUT /ext/v1/push', { ...pushTarget, endpoint })
  fixture.remember('target', target.id)
  for (const owner of ['members/<wren>', 'groups/<keepers>', 'systems/@me'])
    await fixture.do(`PUT /ext/v1/${owner}/picture`, picture)
  await archiveRows(testApp, fixture.owner, 'notes', [{ _id: 'n1', title: 'Secret' }])
  return fixture
}

type Headers = (fixture: Fixture) => Promise<Record<string, string>>

const BOT = 'a bot that acts as the owner'

const callers: [caller: string, column: 'owner' | 'anonymous' | 'other', headers: Headers][] = [
  ['the owner', 'owner', async ({ owner }) => ({ authorization: owner.token })],
  [
    BOT,
    'owner',
    async ({ owner }) => ({
      authorization: `Bot ${await createBot(testApp.deps, crypto.randomUUID())}`,
      'x-system': owner.hid,
    }),
  ],
  ['an anonymous caller', 'anonymous', async () => ({})],
  ['another system', 'other', async ({ other }) => ({ authorization: other.token })],
]

/** Reads the status of a response, or the code of its error. */
async function readAnswer(line: string, headers: Record<string, string>, body: unknown) {
  const [method = '', path = ''] = line.split(' ')
  const request = new Request(`http://localhost${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const response = await testApp.app.handle(request, () => '127.0.0.1')
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const answered = isStream ? '' : await response.text()
  const { code } = answered.startsWith('{') ? (JSON.parse(answered) as Json) : { code: 0 }
  return { answer: response.status >= 400 && code ? code : response.status, text: answered }
}

describe.each(callers)('requests of %s to the extension API', (caller, column, headersOf) => {
  let shared: Promise<Fixture> | undefined
  /** Returns new objects for requests that may change them. */
  const objectsFor = (ask: string) => {
    if (column === 'owner' && !ask.startsWith('GET ')) return createObjects()
    shared ??= createObjects()
    return shared
  }

  test.each(Object.entries(endpoints))(`${caller}: %s`, async (_, { ask, body, ...expected }) => {
    const fixture = await objectsFor(ask)
    const headers = await headersOf(fixture)
    const { answer, text } = await readAnswer(fixture.fill(ask), headers, fixture.fill(body))
    const { bot = expected.owner } = expected
    const isBot = caller === BOT
    expect(answer, text).toBe(isBot ? bot : expected[column])
    if (column !== 'owner') expect(text).not.toContain('Secret')
  })
})

test('every operation of the extension API is in the table', () => {
  const documented = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/ext/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
  expect(Object.keys(endpoints).toSorted()).toEqual(documented.toSorted())
})
