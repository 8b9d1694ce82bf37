import { createConnection } from 'node:net'
import { document } from '../../tools/openapiDocument'
import { createBot } from '../../tools/operatorActions'
import { countRows, versionOf } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

/** URL parsers of clients and servers remove a segment of dots and, for two dots, the one before. */
const testApp = createTestApp({ PORT: '0', RATE_LIMIT: 'off' })
const { hostname, port } = new URL(testApp.app.listen())
const fixture = await createFixture(testApp)
const bot = `Bot ${await createBot(testApp.deps, 'folded')}`
const GUILD = '333'
for (const path of ['systems/<own>', 'members/<wren>'])
  await fetchAsBot('PATCH', fixture.fill(`/bot/${path}/guilds/${GUILD}`), '{}')

const dotSegments = ['..', '%2e%2e', '%2E%2e', '.%2e', '%2E.', '.', '%2e', '..?a=b', '%2e%2e#a']
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

/** Replaces one parameter of the path by dots, and all others by references that exist. */
function dotted(path: string, which: 'any' | 'last'): string[] {
  const filled = path.split('/')
  const at = filled.flatMap((part, index) => (part.startsWith('{') ? [index] : []))
  const chosen = which === 'any' ? at : at.filter((index) => index === filled.length - 1)
  const targets = chosen.flatMap((index) =>
    dotSegments.map((dots) => filled.with(index, dots).map(fillSegment).join('/')),
  )
  // /bot/accounts/… is an endpoint of its own, so this path still names an account.
  return targets.filter((target) => !/^\/bot\/systems\/(\.|%2e){2}\/accounts\//i.test(target))
}

function fillSegment(part: string): string {
  const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
  if (name === undefined) return part
  const found = names[name]
  if (found === undefined) throw new Error(`no value for the parameter ${name}`)
  return fixture.fill(found)
}

describe('path with dots instead of a parameter', () => {
  const deleting = routes.filter(({ method, path }) => method === 'DELETE' && path.includes('{'))

  test('the tests of dotted paths cover every DELETE route', () => {
    expect(deleting.map(({ path }) => path)).toContain(
      '/bot/systems/{systemRef}/accounts/{account_id}',
    )
    expect(deleting.length).toBeGreaterThan(8)
  })

  test.each(deleting)('$method $path with dots deletes nothing', async ({ method, path }) => {
    for (const target of dotted(path, 'any')) {
      const before = await versionOf(testApp.deps.db)
      const response = await sendRaw(method, target)
      expect(response, target).toMatch(/^HTTP\/1\.1 (404|405) /)
      expect(await versionOf(testApp.deps.db), target).toBe(before)
    }
  })

  const writing = routes.filter(({ method, path }) => method !== 'DELETE' && path.endsWith('}'))

  // A PATCH may reach the parent resource, which is harmless: its body names the changed fields.
  test.each(writing)(
    '$method $path with dots creates and deletes nothing',
    async ({ method, path }) => {
      for (const target of dotted(path, 'last')) {
        const before = await countRows(testApp.deps.db, tables)
        const response = await sendRaw(method, target, '{"description":"folded"}')
        expect(response, target).toMatch(/^HTTP\/1\.1 (200|400|404|405) /)
        expect(await countRows(testApp.deps.db, tables), target).toEqual(before)
      }
    },
  )
})

describe('trailing slash in a DELETE', () => {
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
  ])('DELETE %s returns 404', async (path) => {
    const before = await versionOf(testApp.deps.db)
    const response = await sendRaw('DELETE', fixture.fill(path))
    expect(response).toStartWith('HTTP/1.1 404 ')
    expect(response).toEndWith('{"message":"404: Not Found","code":0}')
    expect(await versionOf(testApp.deps.db)).toBe(before)
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

/** Sends exactly this path, because HTTP clients would normalize it. */
function sendRaw(method: string, target: string, body = ''): Promise<string> {
  const authorization = target.startsWith('/bot/') ? bot : fixture.owner.token
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    `Authorization: ${authorization}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = createConnection(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`),
    )
    socket.on('data', (bytes) => {
      received += bytes.toString()
    })
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
}
