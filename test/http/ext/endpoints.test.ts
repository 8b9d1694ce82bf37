import { type Answers, lineOf, parseAnswer } from '../../contract/endpoints/endpoint'
import { afterSwitch, ext, pushTarget } from '../../contract/endpoints/ext'
import { ME } from '../../tools/me'
import { createBot } from '../../tools/operatorActions'
import { GIF_TEXT } from '../../tools/pictures'
import { createFixture, type Fixture, type Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { archiveRows } from './archiveRows'

const testApp = createTestApp({
  RATE_LIMIT: 'off',
  PUSH_CONTACT: 'mailto:operator@multitude.example',
  DISPATCH_ALLOW: '127.0.0.1',
  PUBLIC_URL: 'https://plural.example',
})

const rows = Object.entries(ext).flatMap(([endpoint, row]) =>
  row.asks.map((ask) => ({ ...ask, endpoint, line: lineOf(endpoint, row, ask) })),
)

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
    await fixture.do(`PUT /ext/v1/${owner}/picture`, GIF_TEXT)
  await archiveRows(testApp, fixture.owner, 'notes', [{ _id: 'n1', title: 'Secret' }])
  return fixture
}

const callers: [caller: string, column: keyof Answers, headersOf: Headers][] = [
  ['the owner', 'owner', async ({ owner }) => ({ authorization: owner.token })],
  [
    'a bot that acts as the owner',
    'bot',
    async ({ owner }) => ({
      authorization: `Bot ${await createBot(testApp.deps, crypto.randomUUID())}`,
      'x-system': owner.hid,
    }),
  ],
  ['an anonymous caller', 'anonymous', async () => ({})],
  ['another system', 'other', async ({ other }) => ({ authorization: other.token })],
]

type Headers = (fixture: Fixture) => Promise<Record<string, string>>

/** Sends a request; of a stream it reads only the status. */
async function send(line: string, headers: Record<string, string>, body: unknown) {
  const [method = '', path = ''] = line.split(' ')
  const request = new Request(`http://localhost${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const response = await testApp.app.handle(request, () => '127.0.0.1')
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  const { code = 0 } = text.startsWith('{') ? (JSON.parse(text) as { code?: number }) : {}
  return { status: response.status, code: response.status >= 400 ? code : 0, text }
}

describe.each(callers)('requests of %s to the extension API', (caller, column, headersOf) => {
  const isOwner = column === 'owner' || column === 'bot'
  let shared: Promise<Fixture> | undefined
  // Another system may delete its own picture.
  const changesObjects = isOwner ? /^DELETE |\/(order|convert)$/ : /^DELETE .*@me\/picture$/
  /** Returns new objects for requests that delete or convert them, or name all of them. */
  const objectsFor = (line: string) => {
    if (changesObjects.test(line)) return createObjects()
    shared ??= createObjects()
    return shared
  }

  test.each(rows)(`${caller}: $endpoint`, async ({ line, body, answers }) => {
    const fixture = await objectsFor(line)
    const headers = await headersOf(fixture)
    const { status, code, text } = await send(fixture.fill(line), headers, fixture.fill(body))
    expect({ status, code }, text).toEqual(parseAnswer(answers[column] ?? answers.owner))
    if (!isOwner) expect(text).not.toContain('Secret')
  })
})
