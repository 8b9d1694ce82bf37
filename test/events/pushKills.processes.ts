import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../../src/app/app'
import { parseConfig } from '../../src/runtime/config/config'
import { createSystem } from '../tools/operatorActions'
import { insert, insertAll, rows } from '../tools/rawSql'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { until } from '../tools/until'
import { certificate, createBrowser, read, startPushService } from './pushService'

const SYSTEMS = 25
const TARGETS = 20
const KILL_AFTER = 150

const { startServer } = commandLine()
const service = await startPushService()

test('sends each of 500 queued messages once or twice when the server is killed', async () => {
  const cwd = emptyFolder()
  const ca = join(cwd, 'ca.pem')
  writeFileSync(ca, certificate.cert)
  const env = {
    DATABASE_URL: newDatabaseAddress(cwd),
    DISPATCH_ALLOW: '127.0.0.1',
    PUSH_CONTACT: 'mailto:operator@multitude.example',
    DURABILITY: 'normal',
    // The lease of the killed process expires after one second.
    LEASE_SECONDS: '1',
    NODE_EXTRA_CA_CERTS: ca,
  }
  const { deps, storage } = openDeps(parseConfig(env))
  const browser = createBrowser(service.origin)
  const paths: string[] = []
  for (let n = 0; n < SYSTEMS; n++) {
    const { system } = await createSystem(deps, { name: '' }, { account: null, tokenName: 'test' })
    await deps.transact('new', async (tx) => {
      const { id: system_id } = system
      const [token] = await rows<{ id: number }>(
        tx,
        'select id from tokens where system_id = :system_id',
        { system_id },
      )
      const targets = Array.from({ length: TARGETS }, (_, at) => {
        const path = `/push/${n}-${at}`
        paths.push(path)
        return {
          uuid: crypto.randomUUID(),
          system_id,
          token_id: token?.id ?? null,
          endpoint: `${service.origin}${path}`,
          endpoint_hash: path,
          ...browser.keys,
          label: 'Phone',
          wants: '["own_front"]',
        }
      })
      await insertAll(tx, 'push_targets', targets)
      for (const { id } of await rows<{ id: number }>(
        tx,
        'select id from push_targets where system_id = :system_id',
        { system_id },
      ))
        await insert(tx, 'push_queue', { target_id: id, kind: 'own_front', subject: system.uuid })
    })
  }

  const killed = await startServer([], { cwd, env })
  await until(
    () => ({ received: service.received.length, output: killed.output() }),
    ({ received }) => received >= KILL_AFTER,
  )
  killed.kill('SIGKILL')
  await killed.end()
  const server = await startServer([], { cwd, env })
  const queued = async () => (await rows(deps.db, 'select id from push_queue')).length
  await until(
    async () => ({ left: await queued(), output: server.output() }),
    ({ left }) => left === 0,
  )

  const counts = Map.groupBy(service.received, ({ path }) => path)
  const times = paths.map((path) => counts.get(path)?.length ?? 0)
  expect(times.filter((count) => count === 0)).toEqual([])
  expect(Math.max(...times)).toBeLessThanOrEqual(2)
  for (const pushed of service.received)
    expect(read(pushed, browser).shown.text).toBe('Nobody is fronting.')

  await storage.close()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})
