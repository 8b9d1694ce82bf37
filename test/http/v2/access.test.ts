import { lineOf, parseAnswer } from '../../contract/endpoints/endpoint'
import { pluralKit } from '../../contract/endpoints/pluralKit'
import { createBot, patchMemberGuild, patchSystemGuild } from '../../tools/operatorActions'
import { createFixture, type Fixture, stateOf } from '../../tools/scenarios'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()
const botKey = await createBot(testApp.deps, 'access')

const callers = ['owner', 'bot', 'other', 'anonymous'] as const

const cases = Object.entries(pluralKit).flatMap(([endpoint, row]) =>
  row.asks.flatMap((ask) =>
    callers.map((who) => ({
      line: lineOf(endpoint, row, ask),
      who,
      body: ask.body,
      answer: ask.answers[who] ?? ask.answers.owner,
    })),
  ),
)

async function createGuildFixture(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  await patchSystemGuild(testApp.deps, fixture.owner.id, '333', {}, 'create')
  await patchMemberGuild(testApp.deps, fixture.wren, '333', {}, 'create')
  return fixture
}

/** Fixture of all requests that change nothing; each test checks that. */
const shared = createGuildFixture()

test.each(cases)(
  '$line as $who returns the expected status and code',
  async ({ line, who, body, answer }) => {
    const { status, code } = parseAnswer(answer)
    const changesNothing = status >= 400 || line.startsWith('GET')
    const fixture = await (changesNothing ? shared : createGuildFixture())
    const before = await stateOf(testApp)
    const response = await (who === 'bot'
      ? askAsBot(fixture, line, body)
      : fixture.ask(line, body, who))
    const { status: actual, json, text } = response
    expect({ status: actual, code: json?.code ?? 0 }, text).toEqual({ status, code })
    if (changesNothing) expect(await stateOf(testApp)).toEqual(before)
  },
)

function askAsBot({ fill, owner }: Fixture, line: string, body: unknown) {
  const headers = { authorization: `Bot ${botKey}`, 'x-system': owner.hid }
  return testApp.ask(fill(line), { headers, ...(body !== undefined && { body: fill(body) }) })
}

const writes = [...new Set(cases.map(({ line }) => line))].filter((line) => !line.startsWith('GET'))

test.each(writes)('%s without a token is refused before its body is read', async (line) => {
  const fixture = await shared
  const [method, path] = fixture.fill(line).split(' ')
  for (const body of ['x'.repeat(2 ** 20 + 1), new Uint8Array([0xff, 0xfe, 0xfd])]) {
    const request = new Request(`http://localhost${path}`, { method: method ?? '', body })
    const response = await testApp.app.handle(request, '127.0.0.1')
    expect(response.status).toBe(401)
    expect(request.bodyUsed).toBe(false)
  }
})
