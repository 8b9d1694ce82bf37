import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodesOn } from '../cluster/nodes'
import { until } from '../events/receiver'
import { hasPrograms, makeEngine, onServer } from '../postgres/engine'
import { emptyFolder, type Server } from '../serverProcess'
import { findLacking, ofOwn, proxiesIn, readDocument } from './proxyKit'

/**
 * Three nodes on PostgreSQL behind real balancers, set up as docs/cluster.md says. Run by
 * `npm run test:release`.
 */

setDefaultTimeout(3 * 60_000)

const lacking = findLacking(['nginx', 'caddy', 'openssl'], 'several nodes behind a balancer')

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
else process.stderr.write('!!! NOT TESTED, for want of PostgreSQL: nodes behind a balancer !!!\n')

async function testBalancers(): Promise<void> {
  const engine = await makeEngine()
  await engine.start()
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
  const nodes = await nodesOn(engine.addressOf('multitude'))
  // One more than a balancer has: each of the two balancers loses one.
  await Promise.all(Array.from({ length: 4 }, nodes.start))
  const { token } = await nodes.makeSystem('Lantern Hill')

  afterAll(async () => {
    for (const node of [...nodes.alive]) await nodes.kill(node)
    await engine.kill().catch(() => {})
    engine.remove()
  })

  /** The documented configuration with the addresses of the nodes that are there. */
  function withNodes(site: string): string {
    const addresses = nodes.alive.map(({ address }) => address.replace('http://', ''))
    expect(documented.every((one) => site.includes(one))).toBe(true)
    return documented.reduce((text, one, at) => text.replaceAll(one, addresses[at] ?? ''), site)
  }

  const { startCaddy, startNginx } = proxiesIn(emptyFolder('balancers'))

  const balancers: [name: string, isLacking: boolean, start: () => Promise<string>][] = [
    [
      'nginx',
      lacking.includes('nginx') || lacking.includes('openssl'),
      () => startNginx(withNodes(readDocument('cluster.md', /```nginx\n([\s\S]*?)```/))),
    ],
    ['Caddy', lacking.includes('caddy'), () => startCaddy(withNodes(caddySite))],
  ]

  for (const [name, isLacking, start] of balancers)
    describe.skipIf(isLacking)(`three nodes behind ${name}, as the page says`, () => {
      let address = ''
      let asked = 0

      const ask = (path: string, init: RequestInit = {}) =>
        fetch(`${address}${path}`, { ...init, ...ofOwn, headers: { authorization: token } })

      /** Status of a write. One that is acknowledged has the content that this client sent. */
      const write = async () => {
        const member = `Member ${name} ${++asked}`
        const body = JSON.stringify({ name: member })
        const response = await ask('/v2/members', { method: 'POST', body })
        const text = await response.text()
        if (response.status === 200) expect(JSON.parse(text).name).toBe(member)
        return response.status
      }
      const read = async () => (await ask('/v2/systems/@me')).status
      const several = (one: () => Promise<number>) => Promise.all(Array.from({ length: 20 }, one))

      /** The node that this client's requests are sent to. IDs of requests begin alike on a node. */
      const findNode = async (): Promise<Server> => {
        const startOf = async (url: string) =>
          (await fetch(`${url}/health/live`, ofOwn)).headers.get('x-request-id')?.slice(0, 13)
        const ours = await startOf(address)
        for (const node of nodes.alive) if ((await startOf(node.address)) === ours) return node
        throw new Error('the balancer answered by itself')
      }

      beforeAll(async () => {
        address = await start()
      })

      test('serves reads and writes', async () => {
        expect(new Set(await several(read))).toEqual(new Set([200]))
        expect(new Set(await several(write))).toEqual(new Set([200]))
      })

      test('ends the requests that a hung node has, and sends others to another node', async () => {
        const hung = await findNode()
        nodes.hang(hung)
        try {
          const underWay = [several(write), several(read)]
          await until(async () => (await write()) === 200)
          await until(async () => (await read()) === 200)
          for (const statuses of await Promise.all(underWay))
            expect(statuses.filter((status) => ![200, 502, 504].includes(status))).toEqual([])
          expect(new Set(await several(read))).toEqual(new Set([200]))
        } finally {
          nodes.resume(hung)
        }
        await until(async () => (await fetch(`${hung.address}/health`)).status === 200)
        expect(new Set(await several(write))).toEqual(new Set([200]))
      })

      test('passes on the answers of the nodes when the database is gone', async () => {
        await engine.kill()
        try {
          for (let round = 0; round < 20; round++) {
            const response = await ask('/v2/systems/@me')
            expect([response.status, await response.json()]).toEqual([
              503,
              expect.objectContaining({
                message: expect.stringContaining('the database does not answer'),
              }),
            ])
            expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
            // Longer than a balancer takes to find out that a node is not ready.
            await Bun.sleep(200)
          }
        } finally {
          await engine.start()
        }
        await until(async () => (await write()) === 200)
      })

      test('sends requests to another node when one was killed', async () => {
        const killed = await findNode()
        await nodes.kill(killed)
        const [writes, reads] = await Promise.all([several(write), several(read)])
        expect(new Set(reads)).toEqual(new Set([200]))
        expect(writes.filter((status) => ![200, 502].includes(status))).toEqual([])
        await until(async () => (await write()) === 200)
        expect(new Set(await several(write))).toEqual(new Set([200]))
      })
    })
}
