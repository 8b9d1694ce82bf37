import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { members, systems } from '../../../src/db/tables'
import { createBot } from '../../operatorActions'
import { createTestApp } from '../../testApp'

/** Every command of the chapter for bots, in its order, as a reader would type it. */

const chapter = readFileSync(join(import.meta.dir, '../../../docs/bots.md'), 'utf8')
const here = createTestApp()

/** The commands of all blocks; a backslash at the end of a line goes on with the next. */
const commands = [...chapter.matchAll(/^ *```sh\n(.*?)^ *```/gms)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split(/\n(?= *curl )/))
  .filter((command) => command.trim().startsWith('curl '))

/** What each is answered. */
const expected: [asked: string, status: number, answer?: object][] = [
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

test('every command of the chapter works, one after the other', async () => {
  const keys = {
    $KEY: await createBot(here.deps, 'one', 'discord'),
    $OTHER_KEY: await createBot(here.deps, 'other', 'matrix'),
  }
  expect(commands).toHaveLength(expected.length)
  let code = ''
  for (const [at, [line, status, answer = {}]] of expected.entries()) {
    const { asked, body, headers } = readCommand(commands[at] ?? '')
    expect(asked.split('?')[0]).toBe(line)
    const authorization = headers.authorization?.replace(
      /\$\w+/,
      (name) => keys[name as keyof typeof keys],
    )
    const answered = await here.ask(asked, {
      headers: { ...headers, ...(authorization && { authorization }) },
      ...(body && { body: body.replace('"code": "…"', `"code": "${code}"`) }),
    })
    expect([line, answered.status, answered.json]).toMatchObject([line, status, answer])
    if (line === 'POST /bot/systems') await nameAsInChapter(keys.$KEY)
    // Read anew: Bun puts matchers into the object that they were held against.
    if (line.endsWith('/link-code')) code = JSON.parse(answered.text).code
  }
})

test('a message of another platform is found as the chapter says', async () => {
  const key = await createBot(here.deps, 'third', 'matrix')
  const headers = { authorization: `Bot ${key}` }
  const account_id = '@robin:example.org'
  const made = await here.ask('POST /bot/systems', { headers, body: { account_id } })
  expect(made.status).toBe(201)
  const asRobin = { ...headers, 'x-system': `matrix:${account_id}` }
  const member = await here.ask('POST /v2/members', { headers: asRobin, body: { name: 'Robin' } })
  const message = { id: '$event', original: '$before', sender: account_id, channel: '!room:x' }
  const body = { ...message, member: member.json.id }
  expect((await here.ask('POST /bot/messages', { headers, body })).status).toBe(201)
  const shown = /GET \/v2\/messages\/\{message\}`.*?`(\/v2\/messages\/[^`]+)`/.exec(chapter)?.[1]
  const found = await here.ask(`GET ${shown}`)
  expect(found.json).toMatchObject({ id: 'matrix:$event', sender: `matrix:${account_id}` })
})

/** The short IDs that the chapter shows, in place of those that were drawn. */
async function nameAsInChapter(key: string): Promise<void> {
  const account = '100000000000000001'
  const headers = { authorization: `Bot ${key}`, 'x-system': account }
  const wren = { name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: null }] }
  const { json } = await here.ask('POST /v2/members', { headers, body: wren })
  const own = await here.ask('GET /v2/systems/@me', { headers })
  await here.deps.transact('new', async (tx) => {
    await tx
      .update(members)
      .set({ hid: 'uphsrt' })
      .where(eq(members.hid, String(json.id)))
    await tx
      .update(systems)
      .set({ hid: 'ycsntu' })
      .where(eq(systems.hid, String(own.json.id)))
  })
}

function readCommand(command: string) {
  const [, path = ''] = /\$API([^\s"]+)/.exec(command) ?? []
  const [, body] = /-d '(.*?)'/s.exec(command) ?? []
  const [, method = body ? 'POST' : 'GET'] = /-X (\w+)/.exec(command) ?? []
  const headers = [...command.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(
    ([, name = '', value = '']) => [name.toLowerCase(), value],
  )
  return {
    asked: `${method} ${path}`,
    body,
    headers: Object.fromEntries(headers) as Record<string, string>,
  }
}
