import { openStorage } from '../../src/db/open'
import type { Db } from '../../src/db/types'
import { rows } from '../tools/rawSql'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import { type Engine, makeEngine, onServer } from './engine'
import { pgbouncer, startPgbouncer } from './pgbouncer'

const PASSWORD = 'a-password-of-the-tests'
if (!pgbouncer)
  process.stderr.write('!!! NOT TESTED, for want of pgbouncer: PostgreSQL behind a pooler !!!\n')

/** Settings that differ from PostgreSQL's defaults on every connection of a node. */
const expected = {
  application_name: 'multitude',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  idle_in_transaction_session_timeout: '5s',
  jit: 'off',
  lock_timeout: '30s',
  plan_cache_mode: 'force_generic_plan',
  random_page_cost: '1.1',
  synchronous_commit: 'off',
}

async function settingsOf(db: Db): Promise<Record<string, string>> {
  const columns = Object.keys(expected).map((name) => `current_setting('${name}') as ${name}`)
  return (await rows<Record<string, string>>(db, `select ${columns.join()}`))[0] ?? {}
}

describe.skipIf(!pgbouncer)('PostgreSQL behind pgbouncer', () => {
  const cwd = emptyFolder('pooler')
  let engine: Engine
  let cli: Awaited<ReturnType<typeof commandLine>>

  beforeAll(async () => {
    cli = commandLine()
    engine = await makeEngine({ fsync: 'off' }, PASSWORD)
    await engine.start()
    await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
  })

  afterAll(async () => {
    await engine?.stop('immediate')
    engine?.remove()
  })

  const startPooler = (settings?: Record<string, string>, database = 'multitude') =>
    startPgbouncer({ engine, database, password: PASSWORD }, settings)

  const ways: [way: string, address: () => Promise<string>][] = [
    ['directly', async () => engine.addressOf('multitude')],
    ['through a pooler in session mode', async () => (await startPooler()).address],
  ]

  test.each(ways)(
    'sends the settings before the first statement of a connection, %s',
    async (_, address) => {
      const storage = openStorage(await address(), { durability: 'normal' })
      await storage.ready
      const readSettings = () =>
        Promise.all(Array.from({ length: 40 }, () => settingsOf(storage.db)))
      const writeSettings = () =>
        Promise.all(Array.from({ length: 12 }, () => storage.transact('new', settingsOf)))
      for (const found of await readSettings()) expect(found).toEqual(expected)
      for (const found of await writeSettings()) expect(found).toEqual(expected)
      expect(await storage.snapshot(settingsOf)).toEqual({
        ...expected,
        idle_in_transaction_session_timeout: '0',
      })
      // Connections that the server closed are reopened.
      await onServer(engine.addressOf('multitude'), async (sql) => {
        const terminated: { pid: number }[] = await sql.unsafe(
          `select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = 'multitude'`,
        )
        const pids = terminated.map(({ pid }) => pid)
        const left = `select from pg_stat_activity where pid in (${pids})`
        await until(async () => (await sql.unsafe(left)).length === 0)
      })
      for (const read of [readSettings, writeSettings]) {
        let again: Record<string, string>[] = []
        await until(async () => {
          again = await read().catch(() => [])
          return again.length > 0
        })
        for (const found of again) expect(found).toEqual(expected)
      }
      await storage.close()
    },
  )

  test('serves through pgbouncer as documented, also after PostgreSQL or the pooler restarted', async () => {
    const pooler = await startPooler()
    const env = { DATABASE_URL: pooler.address, RATE_LIMIT: 'off' }
    const server = await cli.startServer([], { cwd, env })
    const { token } = await cli.runJson<{ token: string }>(['system', 'create', '--name', 'Hill'], {
      cwd,
      env,
    })
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${server.address}${path}`, {
        headers: { authorization: token },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      await response.text()
      return response.status
    }
    const askAll = async () => {
      const statuses = await Promise.all(
        Array.from({ length: 30 }, async (_, client) => {
          const ofClient: number[] = []
          for (let at = 0; at < 10; at++) {
            ofClient.push(await ask('/v2/members', { name: `Member ${client} ${at}` }))
            ofClient.push(await ask('/v2/systems/@me'), await ask('/v2/systems/@me/members'))
          }
          return ofClient
        }),
      )
      return statuses.flat().filter((status) => status !== 200)
    }
    const untilHealthy = () => until(async () => (await ask('/health')) === 200)
    expect(await askAll()).toEqual([])
    await engine.stop('immediate')
    await until(async () => (await ask('/health')) === 503)
    await engine.start()
    await untilHealthy()
    expect(await askAll()).toEqual([])
    await pooler.stop()
    await until(async () => (await ask('/health')) === 503)
    await pooler.start()
    await untilHealthy()
    expect(await askAll()).toEqual([])
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })

  const modes = ['transaction', 'statement'].flatMap((pool_mode) =>
    ['1', '2', '20'].flatMap((default_pool_size) =>
      ['0', '1'].map((server_round_robin) => ({
        pool_mode,
        default_pool_size,
        server_round_robin,
      })),
    ),
  )

  test.each(modes)(
    'detects a pooler in $pool_mode mode with $default_pool_size connections, round robin $server_round_robin',
    async (mode) => {
      const settings = { ...mode, min_pool_size: mode.default_pool_size }
      const { address } = await startPooler(settings)
      // Several at once, so that the statements of the clients interleave.
      const storages = Array.from({ length: 5 }, () => openStorage(address))
      for (const { ready, close } of storages) {
        expect(await ready.catch(String)).toContain('pool_mode = session')
        await close()
      }
    },
  )

  const serve = ['serve', '--port', '0']
  const rejected: [
    what: string,
    settings: Record<string, string>,
    commands: string[][],
    reason: RegExp,
  ][] = [
    [
      'in transaction mode',
      { pool_mode: 'transaction' },
      [serve, ['migrate'], ['system', 'list']],
      /: the server at 127\.0\.0\.1:\d+ is a pooler that changes connections between transactions \(set pool_mode = session in pgbouncer/,
    ],
    [
      'with a single connection',
      { default_pool_size: '1' },
      [serve],
      /: the server at 127\.0\.0\.1:\d+ does not answer a second connection \(a pooler needs DATABASE_POOL \+ 6\)/,
    ],
  ]

  test.each(rejected)(
    'refuses to start on a pooler %s, in one line, and changes nothing',
    async (_, settings, commands, reason) => {
      const database = `refused_${settings.pool_mode ?? 'session'}`
      await onServer(engine.addressOf('postgres'), (sql) =>
        sql.unsafe(`create database ${database}`),
      )
      const { address } = await startPooler(settings, database)
      const env = { DATABASE_URL: address }
      for (const command of commands) {
        const { code, out, err } = await cli.run(command, { cwd, env })
        expect(err).toMatch(/^multitude: The database postgres:\S+ cannot be used: [^\n]+\n$/)
        expect(err).toMatch(reason)
        expect(err).not.toContain(PASSWORD)
        expect([code, out]).toEqual([1, ''])
      }
      const tables = await onServer(engine.addressOf(database), (sql) =>
        sql.unsafe(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
      )
      expect([...tables]).toEqual([])
    },
  )
})
