import { describe, expect, test } from 'bun:test'
import { createConnection } from 'node:net'
import { document } from '../openapiDocument'
import { createBot } from '../operatorActions'
import { countRows, versionOf } from '../rawSql'
import { createFixture } from '../scenarios'
import { createTestApp } from '../testApp'

/** A last segment of dots is folded away by whoever reads the address, client or server. */
const here = createTestApp({ PORT: '0', RATE_LIMIT: 'off' })
const { hostname, port } = new URL(here.app.listen())
const world = await createFixture(here)
const bot = `Bot ${await createBot(here.deps, 'folded')}`
const GUILD = '333'
for (const path of ['systems/<own>', 'members/<wren>'])
  await fetchAsBot('PATCH', world.fill(`/bot/${path}/guilds/${GUILD}`), '{}')

const spellings = ['..', '%2e%2e', '%2E%2e', '.%2e', '%2E.', '.', '%2e', '..?a=b', '%2e%2e#a']
const names: Record<string, string> = {
  systemRef: '<own>',
  memberRef: '<wren>',
  groupRef: '<keepers>',
  switchRef: '<first>',
  guild_id: GUILD,
  account_id: '<account>',
  account: '<account>',
  id: '<message>',
  message: '<message>',
}

const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .map((method) => method.toUpperCase())
    .filter((method) => method !== 'GET')
    .flatMap((method) => {
      const atRoot = path.startsWith('/v2/') ? [{ method, path: path.slice('/v2'.length) }] : []
      return [{ method, path }, ...atRoot]
    }),
)

/** Each path with one of its names spelled as dots, all others naming what is there. */
function dotted(path: string, which: 'any' | 'last'): string[] {
  const filled = path.split('/')
  const at = filled.flatMap((part, index) => (part.startsWith('{') ? [index] : []))
  const chosen = which === 'any' ? at : at.filter((index) => index === filled.length - 1)
  const targets = chosen.flatMap((index) =>
    spellings.map((dots) => filled.with(index, dots).map(nameOf).join('/')),
  )
  // Without its system, an account is still named: it has an address of its own.
  return targets.filter((target) => !/^\/bot\/systems\/(\.|%2e){2}\/accounts\//i.test(target))
}

function nameOf(part: string): string {
  const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
  if (name === undefined) return part
  const found = names[name]
  if (found === undefined) throw new Error(`nothing is known to be called ${name}`)
  return world.fill(found)
}

describe('an address that ends in dots instead of a name', () => {
  const deleting = routes.filter(({ method, path }) => method === 'DELETE' && path.includes('{'))

  test('is tried on every route that deletes', () => {
    expect(deleting.map(({ path }) => path)).toContain(
      '/bot/systems/{systemRef}/accounts/{account_id}',
    )
    expect(deleting.length).toBeGreaterThan(8)
  })

  test.each(deleting)('$method $path deletes nothing', async ({ method, path }) => {
    for (const target of dotted(path, 'any')) {
      const before = await versionOf(here.deps.db)
      const answer = await speak(method, target)
      expect(answer, target).toMatch(/^HTTP\/1\.1 (404|405) /)
      expect(await versionOf(here.deps.db), target).toBe(before)
    }
  })

  const writing = routes.filter(({ method, path }) => method !== 'DELETE' && path.endsWith('}'))

  // A PATCH may arrive at what stands before, as with any slash: it says itself what it changes.
  test.each(writing)('$method $path makes and removes nothing', async ({ method, path }) => {
    for (const target of dotted(path, 'last')) {
      const before = await countRows(here.deps.db, tables)
      const answer = await speak(method, target, '{"description":"folded"}')
      expect(answer, target).toMatch(/^HTTP\/1\.1 (200|400|404|405) /)
      expect(await countRows(here.deps.db, tables), target).toEqual(before)
    }
  })
})

describe('a slash at the end of what is to be deleted', () => {
  test.each([
    '/bot/systems/<own>/',
    '/bot/systems/<own>/switches/',
    '/bot/systems/<own>/accounts/<account>/',
    '/bot/messages/<message>/',
    '/v2/members/<wren>/',
    '/members/<wren>/',
    '/v2/groups/<keepers>/',
    '/v2/systems/@me/switches/<first>/',
    '/v1/m/<wren>/',
  ])('%s is an unknown address', async (path) => {
    const before = await versionOf(here.deps.db)
    const answer = await speak('DELETE', world.fill(path))
    expect(answer).toStartWith('HTTP/1.1 404 ')
    expect(answer).toEndWith('{"message":"404: Not Found","code":0}')
    expect(await versionOf(here.deps.db)).toBe(before)
  })
})

const tables = ['systems', 'accounts', 'tokens', 'members', 'groups', 'switches', 'messages']

function fetchAsBot(method: string, path: string, body: string): Promise<Response> {
  return fetch(`http://${hostname}:${port}${path}`, {
    method,
    headers: { authorization: bot },
    body,
  })
}

/** Says exactly this address to the server, which no client of ours may fold before. */
function speak(method: string, target: string, body = ''): Promise<string> {
  const authorization = target.startsWith('/bot/') ? bot : world.owner.token
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    `Authorization: ${authorization}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    let heard = ''
    const socket = createConnection(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`),
    )
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (bytes) => {
      heard += bytes.toString()
    })
    socket.on('end', () => resolve(heard))
    socket.on('error', reject)
  })
}
