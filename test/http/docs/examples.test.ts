import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { groups, members } from '../../../src/db/tables'
import { EXAMPLE_CODE } from '../../../src/serializers/bot'
import { EXAMPLE_GROUP, EXAMPLE_MEMBER } from '../../../src/serializers/schema'
import { EXAMPLE_LOGIN, EXAMPLE_SESSION, EXAMPLE_TOKEN } from '../../../src/serializers/web'
import { hashSecret } from '../../../src/service/access/secrets'
import { document } from '../../openapiDocument'
import { createBot } from '../../operatorActions'
import { insert } from '../../rawSql'
import { createFixture } from '../../scenarios'
import { createTestApp } from '../../testApp'

/** Every body that the API page shows is sent as it stands to a server that has what it names. */

interface Operation {
  parameters?: { name: string; in: string; schema?: { example?: string } }[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
}

const paths = document.paths as Record<string, Record<string, Operation>>

const shown = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { requestBody }]) => requestBody)
    .map(([method, operation]) => ({
      line: `${method.toUpperCase()} ${path}`,
      body: operation.requestBody?.content['application/json'].example,
      parameters: operation.parameters ?? [],
    })),
)

const HOUR = 3_600_000_000
const GUILD = '200000000000000001'
const ACCOUNT = '100000000000000001'

/** Own things, where a path asks for them and shows none. */
const own: Record<string, string> = {
  memberRef: EXAMPLE_MEMBER,
  groupRef: EXAMPLE_GROUP,
  switchRef: '<first.uuid>',
  systemRef: '<own>',
  guild_id: GUILD,
  account_id: ACCOUNT,
  id: EXAMPLE_MEMBER,
}

/** What some bodies need before them. A body of an operation that is new here may need a line. */
const before: Record<string, (ask: Ask) => ReturnType<Ask>> = {
  'PATCH /v2/systems/@me/guilds/{guild_id}': (ask) =>
    ask(`PATCH /bot/systems/<own>/guilds/${GUILD}`, {}),
  'PATCH /v2/members/{memberRef}/guilds/{guild_id}': (ask) =>
    ask(`PATCH /bot/members/${EXAMPLE_MEMBER}/guilds/${GUILD}`, {}),
  'POST /bot/messages': link,
  'PATCH /bot/accounts/{account_id}': link,
}

type Ask = (line: string, body?: unknown) => Promise<{ status: number; text: string }>

function link(ask: Ask) {
  return ask(`PUT /bot/systems/<own>/accounts/${ACCOUNT}`)
}

test('there are bodies to send', () => expect(shown.length).toBeGreaterThan(25))

test.each(shown)('$line takes the body that is shown', async ({ line, body, parameters }) => {
  // A name server that knows the host of every example; nothing is sent there.
  const here = createTestApp({ events: { resolve: async () => ['93.184.215.14'] } })
  const world = await createFixture(here)
  const key = await createBot(here.deps, 'discord')
  await here.deps.transact('new', async (tx) => {
    await tx.update(members).set({ hid: EXAMPLE_MEMBER }).where(eq(members.id, world.wren.id))
    const code = { system_id: world.owner.id, hash: hashSecret(EXAMPLE_CODE) }
    await insert(tx, 'link_codes', { ...code, expires: here.deps.now() + HOUR })
    const login = { system_id: world.owner.id, hash: hashSecret(EXAMPLE_LOGIN) }
    await insert(tx, 'login_codes', { ...login, expires: here.deps.now() + HOUR })
    await insert(tx, 'tokens', {
      system_id: world.owner.id,
      name: 'example',
      hash: hashSecret(EXAMPLE_TOKEN),
      created: here.deps.now(),
    })
    await insert(tx, 'sessions', {
      uuid: EXAMPLE_SESSION,
      system_id: world.owner.id,
      hash: 'of nothing',
      name: 'Firefox on Android',
      created: here.deps.now(),
      last_used: here.deps.now(),
      expires: here.deps.now() + HOUR,
      remember: 1,
    })
    await tx.update(groups).set({ hid: EXAMPLE_GROUP }).where(eq(groups.id, world.keepers.id))
  })
  const ask: Ask = (asked, given) => {
    const isForBots = asked.includes(' /bot/')
    return here.ask(world.fill(asked), {
      ...(given !== undefined && { body: given }),
      headers: { authorization: isForBots ? `Bot ${key}` : world.owner.token },
    })
  }
  const prepared = await before[line]?.(ask)
  expect(prepared?.status ?? 204).toBeOneOf([200, 204])

  const path = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const stated = parameters.find((known) => known.name === name)?.schema?.example
    const found = stated ?? own[name]
    if (found === undefined) throw new Error(`${line}: say in \`own\` what {${name}} is`)
    return found
  })
  const query = parameters.flatMap(({ in: place, name, schema }) =>
    place === 'query' && schema?.example !== undefined ? [`${name}=${schema.example}`] : [],
  )
  const { status, text } = await ask([path, ...query].join(query.length > 0 ? '?' : ''), body)
  if (status >= 300)
    throw new Error(
      `${line} refuses its own example ${JSON.stringify(body)}: ${text}\n` +
        'Mend the example of its body schema, or say in `before` what it needs.',
    )
})
