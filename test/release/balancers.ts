import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodesOn } from '../cluster/nodes'
import { hasPrograms, makeEngine, onServer } from '../postgres/engine'
import { emptyFolder, type Server } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { findMissing, insecure, proxiesIn, readDocument } from './startProxies'

/**
 * Three nodes on PostgreSQL behind real balancers with the configurations of docs/cluster.md. Run
 * by `npm run test:release`.
 */

const { afterAll, beforeAll, test } = withTimeout(5 * 60_000)

const missing = findMissing(['nginx', 'caddy', 'openssl'], 'several nodes behind a balancer')

const caddySite = readDocument('cluster.md', /```caddy\n([\s\S]*?)```/)
const documented = ['10.0.0.11:8080', '10.0.0.12:8080', '10.0.0.13:8080']

test('the Caddyfile of examples/cluster is the documented one', () => {
  const example = readFileSync(join(import.meta.dir, '../../examples/cluster/Caddyfile'), 'utf8')
  const names = ['node-a:8080', 'node-b:8080', 'node-c:8080']
  const expected = documented
    .reduce((text, one, at) => text.replaceAll(one, names[at] ?? ''), caddySite)
    .replace('plural.example.org', '{$DOMAIN}')
  expect(example.replace(/^#.*\n/, '')).toBe(expected)
})

if (hasPrograms()) await testBalancers()
else
  process.stderr.write('!!! NOT TESTED, PostgreSQL is not installed: nodes behind a balancer !!!\n')

async function testBalancers(): Promise<void> {
  const engine = await makeEngine()
  await engine.start()
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
  const nodes = await nodesOn(engine.addressOf('multitude'), { LOG_LEVEL: 'debug' })
  // One more than a balancer uses, because the tests of each of the two balancers kill one.
  await Promise.all(Array.from({ length: 4 }, nodes.start))
  const { token } = await nodes.makeSystem('Lantern Hill')

  afterAll(async () => {
    for (const node of [...nodes.alive]) await nodes.kill(node)
    await engine.kill().catch(() => {})
    engine.remove()
  })

  /** Documented configuration with the addresses of the running nodes. */
  function withNodes(site: string): string {
    const addresses = nodes.alive.map(({ address }) => address.replace('http://', ''))
    expect(documented.every((one) => site.includes(one))).toBe(true)
    return documented.reduce((text, one, at) => text.replaceAll(one, addresses[at] ?? ''), site)
  }

  /** Counts the health checks that each of the first three nodes has answered. */
  const countChecks = () =>
    nodes.alive.slice(0, 3).map((node) => node.output().split('"path":"/health/live"').length)

  const { startCaddy, startNginx } = proxiesIn(emptyFolder('balancers'))

  const balancers: [
    name: string,
    isMissing: boolean,
    checksHealth: boolean,
    start: () => Promise<string>,
  ][] = [
    [
      'nginx',
      missing.includes('nginx') || missing.includes('openssl'),
      false,
      () => startNginx(withNodes(readDocument('cluster.md', /```nginx\n([\s\S]*?)```/))),
    ],
    ['Caddy', missing.includes('caddy'), true, () => startCaddy(withNodes(caddySite))],
  ]

  for (const [name, isMissing, checksHealth, start] of balancers)
    describe.skipIf(isMissing)(
      `three nodes behind ${name} with the documented configuration`,
      () => {
        let address = ''
        let count = 0

        const ask = (path: string, init: RequestInit = {}) =>
          fetch(`${address}${path}`, { ...init, ...insecure, headers: { authorization: token } })

        /** Status of a write. An acknowledged write must have the content that this client sent. */
        const write = async () => {
          const member = `Member ${name} ${++count}`
          const body = JSON.stringify({ name: member })
          const response = await ask('/v2/members', { method: 'POST', body })
          const text = await response.text()
          if (response.status === 200) expect(JSON.parse(text).name).toBe(member)
          return response.status
        }
        const read = async () => (await ask('/v2/systems/@me')).status
        const repeat = (send: () => Promise<number>) =>
          Promise.all(Array.from({ length: 20 }, send))

        /** Node that gets this client's requests. All request IDs of a node begin with the same text. */
        const findNode = async (): Promise<Server> => {
          const prefixOf = async (url: string) =>
            (await fetch(`${url}/health/live`, insecure)).headers.get('x-request-id')?.slice(0, 13)
          const prefix = await prefixOf(address)
          for (const node of nodes.alive) if ((await prefixOf(node.address)) === prefix) return node
          throw new Error('no node answered')
        }

        beforeAll(async () => {
          address = await start()
        })

        test(`${name} serves reads and writes of three nodes`, async () => {
          expect(new Set(await repeat(read))).toEqual(new Set([200]))
          expect(new Set(await repeat(write))).toEqual(new Set([200]))
        })

        test(`${name} ends the requests of a hung node, and sends others to another node`, async () => {
          const hung = await findNode()
          nodes.hang(hung)
          try {
            const running = [repeat(write), repeat(read)]
            await until(async () => (await write()) === 200)
            await until(async () => (await read()) === 200)
            for (const statuses of await Promise.all(running))
              expect(statuses.filter((status) => ![200, 502, 504].includes(status))).toEqual([])
            expect(new Set(await repeat(read))).toEqual(new Set([200]))
          } finally {
            nodes.resume(hung)
          }
          await until(async () => (await fetch(`${hung.address}/health`)).status === 200)
          expect(new Set(await repeat(write))).toEqual(new Set([200]))
        })

        test(`${name} forwards the responses of the nodes when the database is down`, async () => {
          let rounds = 0
          await engine.kill()
          try {
            const before = countChecks()
            await until(async () => {
              const response = await ask('/v2/systems/@me')
              expect([response.status, await response.json()]).toEqual([
                503,
                expect.objectContaining({
                  message: expect.stringContaining('the database does not answer'),
                }),
              ])
              expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
              rounds++
              const isChecked = countChecks().every(
                (count, index) => count > (before[index] ?? 0) + 1,
              )
              return rounds >= 20 && (isChecked || !checksHealth)
            })
          } finally {
            await engine.start()
          }
          await until(async () => (await write()) === 200)
        })

        test(`${name} sends requests to another node when one was killed`, async () => {
          const killed = await findNode()
          await nodes.kill(killed)
          const [writes, reads] = await Promise.all([repeat(write), repeat(read)])
          expect(new Set(reads)).toEqual(new Set([200]))
          expect(writes.filter((status) => ![200, 502].includes(status))).toEqual([])
          await until(async () => (await write()) === 200)
          expect(new Set(await repeat(write))).toEqual(new Set([200]))
        })
      },
    )
}
