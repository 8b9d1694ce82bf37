import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { members, systems } from '../../../src/db/tables'
import { drizzleOn } from '../../tools/drizzle'
import { createBot } from '../../tools/operatorActions'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

/** Runs every command of docs/bots.md in order, as a reader would type it. */

const chapter = readFileSync(join(import.meta.dir, '../../../docs/bots.md'), 'utf8')
const testApp = createTestApp()

/** Commands of all code blocks; a backslash at the end of a line continues it. */
const commands = [...chapter.matchAll(/^ *```sh\n(.*?)^ *```/gms)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split(/\n(?= *curl )/))
  .filter((command) => command.trim().startsWith('curl '))

/** Expected request and response of each command. */
const expected: [requestLine: string, status: number, expectedJson?: object][] = [
  ['GET /bot/accounts/100000000000000001', 404, { code: 20001 }],
  ['POST /bot/systems', 201, { system: { name: 'Lantern Hill' } }],
  ['POST /bot/proxy', 200, { action: 'proxy', message: { content: 'hello', name: 'Wren' } }],
  ['POST /bot/messages', 201, { member: { id: 'uphsrt' } }],
  ['PATCH /v2/systems/@me/autoproxy', 200, { autoproxy_mode: 'latch' }],
  ['POST /v2/members', 200, { name: 'Wren' }],
  ['POST /v2/systems/@me/switches', 200, { members: [{ id: 'uphsrt' }] }],
  ['POST /v2/systems/@me/link-code', 201, { code: expect.any(String) }],
  ['POST /bot/link', 200, { account_id: '@wren:example.org', system: 'ycsntu' }],
]

test('every command of docs/bots.md works in order', async () => {
  const keys = {
    $KEY: await createBot(testApp.deps, 'one', 'discord'),
    $OTHER_KEY: await createBot(testApp.deps, 'other', 'matrix'),
  }
  expect(commands).toHaveLength(expected.length)
  let code = ''
  for (const [at, [line, status, expectedJson = {}]] of expected.entries()) {
    const { requestLine, body, headers } = parseCommand(commands[at] ?? '')
    expect(requestLine.split('?')[0]).toBe(line)
    const authorization = headers.authorization?.replace(
      /\$\w+/,
      (name) => keys[name as keyof typeof keys],
    )
    const response = await testApp.ask(requestLine, {
      headers: { ...headers, ...(authorization && { authorization }) },
      ...(body && { body: body.replace('"code": "…"', `"code": "${code}"`) }),
    })
    expect([line, response.status, response.json]).toMatchObject([line, status, expectedJson])
    if (line === 'POST /bot/systems') await useDocumentedIds(keys.$KEY)
    // Parse again: Bun puts matchers into the object that was compared with them.
    if (line.endsWith('/link-code')) code = JSON.parse(response.text).code
  }
})

test('finds a message of another platform as docs/bots.md describes', async () => {
  const key = await createBot(testApp.deps, 'third', 'matrix')
  const headers = { authorization: `Bot ${key}` }
  const account_id = '@robin:example.org'
  const created = await testApp.ask('POST /bot/systems', { headers, body: { account_id } })
  expect(created.status).toBe(201)
  const asRobin = { ...headers, 'x-system': `matrix:${account_id}` }
  const member = await testApp.ask('POST /v2/members', {
    headers: asRobin,
    body: { name: 'Robin' },
  })
  const message = { id: '$event', original: '$before', sender: account_id, channel: '!room:x' }
  const body = { ...message, member: member.json.id }
  expect((await testApp.ask('POST /bot/messages', { headers, body })).status).toBe(201)
  const shown = /GET \/v2\/messages\/\{message\}`.*?`(\/v2\/messages\/[^`]+)`/.exec(chapter)?.[1]
  const found = await testApp.ask(`GET ${shown}`)
  expect(found.json).toMatchObject({ id: 'matrix:$event', sender: `matrix:${account_id}` })
})

/** Replaces the random short IDs by those that the chapter shows. */
async function useDocumentedIds(key: string): Promise<void> {
  const account = '100000000000000001'
  const headers = { authorization: `Bot ${key}`, 'x-system': account }
  const wren = { name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: null }] }
  const { json } = await testApp.ask('POST /v2/members', { headers, body: wren })
  const ownSystem = await testApp.ask('GET /v2/systems/@me', { headers })
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(members)
      .set({ hid: 'uphsrt' })
      .where(eq(members.hid, String(json.id)))
    await drizzleOn(tx)
      .update(systems)
      .set({ hid: 'ycsntu' })
      .where(eq(systems.hid, String(ownSystem.json.id)))
  })
}

function parseCommand(command: string) {
  const [, path = ''] = /\$API([^\s"]+)/.exec(command) ?? []
  const [, body] = /-d '(.*?)'/s.exec(command) ?? []
  const [, method = body ? 'POST' : 'GET'] = /-X (\w+)/.exec(command) ?? []
  const headers = [...command.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(
    ([, name = '', value = '']) => [name.toLowerCase(), value],
  )
  return {
    requestLine: `${method} ${path}`,
    body,
    headers: Object.fromEntries(headers) as Record<string, string>,
  }
}
