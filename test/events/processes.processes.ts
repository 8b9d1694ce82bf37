import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../../src/app/app'
import { timeOfBackup } from '../../src/cli/commands/scheduledBackups'
import { parseConfig } from '../../src/runtime/config/config'
import { createSystem } from '../tools/operatorActions'
import { commandLine, emptyFolder, type Server } from '../tools/serverProcess'
import { suspend } from '../tools/suspend'
import { describe, expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { until } from '../tools/until'
import { type Receiver, receivers, TOKEN } from './receiver'

const { startServer } = commandLine()

const receive = receivers()

describe('two servers on one database', () => {
  test('two servers send each event once and in order, whichever wrote it', async () => {
    const { start, token, receiver } = await stage()
    const first = await start()
    await hook(first, token, receiver)
    // This server finds the webhook when it starts.
    const second = await start()
    for (let n = 0; n < 100; n++) await rename(n % 2 === 0 ? first : second, token, `name ${n}`)
    await rename(second, token, 'last')
    await until(() => named(receiver).includes('last'))
    // Servers that stop finish what they send.
    for (const server of [first, second]) server.kill('SIGTERM')
    await Promise.all([first.end(), second.end()])
    const all = [...Array.from({ length: 100 }, (_, n) => `name ${n}`), 'last']
    expect(named(receiver)).toEqual(all)
  })

  test('the sending server handles a webhook that was verified and enabled on the other', async () => {
    const { second, token, receiver } = await pair()
    await hook(second, token, receiver)
    await rename(second, token, 'one')
    await until(() => receiver.events.length === 1)

    receiver.event = () => 410
    await rename(second, token, 'two')
    await until(async () => (await stateOf(second, token)).state === 'disabled')
    receiver.event = () => 200
    await call(second, token, 'POST /v2/systems/@me/webhook/enable')
    await until(() => receiver.events.length === 3)
    expect(named(receiver)).toEqual(['one', 'two', 'two'])

    receiver.event = () => 500
    await rename(second, token, 'three')
    await until(async () => (await stateOf(second, token)).failing_since !== null)
    receiver.event = () => 200
    await call(second, token, 'POST /v2/systems/@me/webhook/enable')
    const deliveries = async () =>
      (await stateOf(second, token)).deliveries as [{ status: number }, ...unknown[]]
    await until(async () => (await deliveries())[0].status === 200)
    // Without `enable` this attempt would come after a pause, and its number would be two.
    expect((await deliveries()).slice(0, 2)).toMatchObject([
      { status: 200, attempt: 1 },
      { status: 500 },
    ])
  })

  test('the other server sends events after the sending one is killed', async () => {
    const { first, second, token, receiver } = await pair({ LEASE_SECONDS: '1' })
    await hook(first, token, receiver)
    await rename(first, token, 'one')
    await until(() => receiver.events.length === 1)
    first.kill('SIGKILL')
    await first.end()
    await rename(second, token, 'two')
    await until(() => named(receiver).includes('two'))
    await rename(second, token, 'three')
    await until(() => named(receiver).includes('three'))
  })

  test('a suspended server sends nothing twice when it resumes', async () => {
    const { first, second, token, receiver, address } = await pair({ LEASE_SECONDS: '1' })
    await hook(first, token, receiver)
    await suspend(first, address)
    await rename(second, token, 'one')
    await until(() => receiver.events.length === 1)
    first.kill('SIGCONT')
    for (const name of ['two', 'three', 'four']) await rename(first, token, name)
    await until(() => named(receiver).includes('four'))
    second.kill('SIGTERM')
    await second.end()
    // Only the server that was suspended can send this event, and it sends all before it.
    await rename(first, token, 'five')
    await until(() => named(receiver).includes('five'))
    first.kill('SIGTERM')
    await first.end()
    expect(named(receiver)).toEqual(['one', 'two', 'three', 'four', 'five'])
  })

  test('the other server sends events at once after the sending one is stopped', async () => {
    const { first, second, token, receiver } = await pair({ LEASE_SECONDS: '60' })
    await hook(first, token, receiver)
    first.kill('SIGTERM')
    expect((await first.end()).code).toBe(0)
    await rename(second, token, 'one')
    // Long before the lease would have expired.
    await until(() => receiver.events.length === 1)
  })

  test('two servers make one backup, and the other makes the next one', async () => {
    const backups = emptyFolder('backups-')
    const { start } = await stage({ BACKUP_DIR: backups, BACKUP_EVERY: '1m' })
    const servers = await Promise.all([start(), start()])
    const hasBackup = (server: Server) => server.output().includes('backup created')
    await until(() => servers.some(hasBackup))
    const [first, second] = hasBackup(servers[0]) ? servers : servers.toReversed()
    first?.kill('SIGTERM')
    await first?.end()
    // The next backup is due as soon as this one is old.
    const [name = ''] = readdirSync(backups)
    const agedAt = Math.floor(Date.now() / 1000) * 1000
    renameSync(join(backups, name), join(backups, 'multitude-20260101T000000Z.db'))
    await until(() => second !== undefined && hasBackup(second))
    second?.kill('SIGTERM')
    await second?.end()
    const [, next = '', ...others] = readdirSync(backups).toSorted()
    expect(others).toEqual([])
    // A backup that the other server made besides the first one would be named after an earlier time.
    expect(timeOfBackup(next)).toBeGreaterThanOrEqual(agedAt)
    for (const server of servers) {
      expect(server.output().split('backup created')).toHaveLength(2)
      expect(server.output()).not.toContain('backup failed')
    }
  })
})

/** Starts two servers on one database; the first one sends. */
async function pair(settings: Record<string, string> = {}) {
  const { start, ...rest } = await stage(settings)
  return { first: await start(), second: await start(), ...rest }
}

/** Creates a database with a system, a function that starts servers, and a receiver. */
async function stage(settings: Record<string, string> = {}) {
  const cwd = emptyFolder()
  const address = newDatabaseAddress(cwd)
  const env = {
    DATABASE_URL: address,
    DISPATCH_ALLOW: '127.0.0.1',
    DURABILITY: 'normal',
    ...settings,
  }
  const { deps, storage } = openDeps(parseConfig(env))
  const { token } = await createSystem(deps, { name: '' }, { account: null, tokenName: 'test' })
  await storage.close()
  const start = () => startServer([], { cwd, env })
  return { start, token, address, receiver: receive() }
}

async function hook(server: Server, token: string, { url }: Receiver): Promise<void> {
  await call(server, token, 'PUT /v2/systems/@me/webhook', { url, token: TOKEN })
  await call(server, token, 'POST /v2/systems/@me/webhook/verify')
}

async function rename(server: Server, token: string, name: string): Promise<void> {
  await call(server, token, 'PATCH /v2/systems/@me', { name })
}

function stateOf(server: Server, token: string): Promise<Record<string, unknown>> {
  return call(server, token, 'GET /v2/systems/@me/webhook')
}

async function call(server: Server, token: string, line: string, body?: unknown) {
  const [method = '', path] = line.split(' ')
  const response = await fetch(`${server.address}${path}`, {
    method,
    headers: { authorization: token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

function named({ events }: Receiver): unknown[] {
  return events.map(({ body }) => body.data?.name)
}
