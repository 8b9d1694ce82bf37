import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'
import { type Engine, freePort, makeCertificate, makeEngine, onServer, USER } from './engine'

const { TEST_POSTGRES = '' } = process.env
const certificate = TEST_POSTGRES === '' ? null : makeCertificate()
if (TEST_POSTGRES !== '' && !certificate)
  process.stderr.write('There is no openssl: sslmode is NOT tested.\n')

const PASSWORD = 'p:w/d@ %?#HUSH'
const ENCODED_PASSWORD = encodeURIComponent(PASSWORD)

describe('connection errors', () => {
  const cwd = emptyFolder('trouble')
  let engine: Engine
  let withoutTls: Engine
  let silent: Bun.TCPSocketListener<undefined>
  let closed = 0
  let cli: Awaited<ReturnType<typeof commandLine>>

  beforeAll(async () => {
    cli = commandLine()
    const settings = { fsync: 'off', ...certificate?.settings }
    engine = await makeEngine(settings, PASSWORD)
    withoutTls = await makeEngine({ fsync: 'off' })
    await Promise.all([engine.start(), withoutTls.start()])
    for (const name of ['ours', 'others', 'newer'])
      await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe(`create database ${name}`))
    await onServer(engine.addressOf('others'), (sql) => sql.unsafe('create table t (x int)'))
    const env = { DATABASE_URL: engine.addressOf('newer') }
    await cli.run(['migrate'], { cwd, env })
    await onServer(env.DATABASE_URL, (sql) =>
      sql.unsafe("insert into migrations values ('9999_later', '')"),
    )
    silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    closed = await freePort()
  })

  afterAll(async () => {
    silent?.stop(true)
    if (certificate) rmSync(dirname(certificate.path), { recursive: true })
    for (const server of [engine, withoutTls]) {
      await server?.stop('immediate')
      server?.remove()
    }
  })

  const at = (
    database: string,
    secret = ENCODED_PASSWORD,
    host = '127.0.0.1',
    port = engine.port,
  ) => `postgres://${USER}:${secret}@${host}:${port}/${database}`

  /** Cause of the failure, an address that has it, and the message. */
  const failures: [cause: string, address: () => string, reason: RegExp][] = [
    [
      'a wrong password',
      () => at('ours', 'HUSH2'),
      /127\.0\.0\.1:\d+ rejects the login of multitude \(wrong password\?\)/,
    ],
    [
      'a missing password',
      () => at('ours').replace(`:${ENCODED_PASSWORD}`, ''),
      /rejects the login of multitude/,
    ],
    [
      'an unknown user',
      () => at('ours').replace(USER, 'stranger'),
      /rejects the login of stranger \(wrong password\?\)/,
    ],
    [
      'an unknown host',
      () => at('ours', ENCODED_PASSWORD, 'no-such-host.invalid'),
      /the host no-such-host\.invalid is unknown/,
    ],
    ['a missing database', () => at('missing'), /there is no database missing on the server at/],
    [
      'a wrong password on one of two hosts and no server on the other',
      () => at('ours', 'HUSH2').replace('@', `@127.0.0.1:${closed},`),
      /127\.0\.0\.1:\d+ rejects the login of multitude \(wrong password\?\)/,
    ],
    [
      'a missing database on one of two hosts and an unknown host',
      () => at('missing').replace('@', '@no-such-host.invalid,'),
      /there is no database missing on the server at/,
    ],
    [
      'a database of another program',
      () => at('others'),
      /is a database of another program, not Multitude’s/,
    ],
    ['a database of a newer release', () => at('newer'), /was made by a newer Multitude/],
    [
      'a closed port',
      () => at('ours', ENCODED_PASSWORD, '127.0.0.1', closed),
      /nothing answers at/,
    ],
    [
      'a port that does not answer',
      () => at('ours', ENCODED_PASSWORD, '127.0.0.1', silent.port),
      /nothing answers at/,
    ],
    [
      'a server without TLS when sslmode requires it',
      () =>
        `postgres://${USER}:${ENCODED_PASSWORD}@127.0.0.1:${withoutTls.port}/postgres?sslmode=require`,
      /does not offer TLS/,
    ],
  ]

  test.each(failures)('reports %s in one line without the password', async (_, address, reason) => {
    const env = { DATABASE_URL: address() }
    const commands = [
      ['system', 'list'],
      ['serve', '--port', '0'],
      ['doctor', '--json'],
      ['migrate'],
    ]
    const results = await Promise.all(
      [...commands, ['backup', 'never.db'], ['config']].map((command) =>
        cli.run(command, { cwd, env }),
      ),
    )
    for (const { out, err } of results) {
      expect(out + err).not.toContain('HUSH')
      expect(out + err).not.toContain(PASSWORD)
    }
    for (const { code, out, err } of results.slice(0, -1)) {
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(err).toMatch(reason)
    }
    expect(results.at(-1)?.code).toBe(0)
  })

  test('connects with the password in the address or in PGPASSWORD', async () => {
    const withoutPassword = at('ours').replace(`:${ENCODED_PASSWORD}`, '')
    for (const env of [
      { DATABASE_URL: at('ours') },
      { DATABASE_URL: withoutPassword, PGPASSWORD: PASSWORD },
    ] as Record<string, string>[]) {
      const { code, out, err } = await cli.run(['migrate', '--json'], { cwd, env })
      expect([code, err]).toEqual([0, ''])
      expect(out).not.toContain('HUSH')
    }
    const env = { DATABASE_URL: withoutPassword, PGPASSWORD: PASSWORD }
    const { out } = await cli.run(['config', '--json'], { cwd, env })
    expect(out).not.toContain('HUSH')
    expect(out).toContain(`"${withoutPassword}"`)
  })

  test('logs the address of the database without the password', async () => {
    const server = await cli.startServer(['--log-level', 'debug'], {
      cwd,
      env: { DATABASE_URL: at('ours') },
    })
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    server.kill('SIGTERM')
    const { code, err, out } = await server.end()
    expect(code).toBe(0)
    expect(err).toContain(`postgres://${USER}@127.0.0.1:${engine.port}/ours`)
    expect(err + out).not.toContain('HUSH')
  })

  const NO_CA =
    /is not trusted: self signed certificate; PGSSLROOTCERT names a file with the certificate of its CA\.$/m

  /** How strictly the certificate is verified, and the error, if any. */
  const trust: [mode: string, host: string, rootCert: () => string, reason: RegExp | null][] = [
    ['disable', 'localhost', () => '', null],
    ['require', '127.0.0.1', () => '', null],
    ['verify-ca', 'localhost', () => '', NO_CA],
    ['verify-full', 'localhost', () => '', NO_CA],
    ['verify-ca', '127.0.0.1', () => certificate?.path ?? '', null],
    ['verify-full', 'localhost', () => certificate?.path ?? '', null],
    ['verify-full', '127.0.0.1', () => certificate?.path ?? '', /does not match/],
    ['verify-full', 'localhost', () => '/nowhere.crt', /of PGSSLROOTCERT cannot be read/],
    ['verify-full', 'localhost', () => import.meta.path, /of PGSSLROOTCERT has no certificates/],
  ]

  test.skipIf(!certificate).each(trust)(
    'verifies the certificate for sslmode=%s and host %s',
    async (mode, host, rootCert, reason) => {
      const env = {
        DATABASE_URL: `${at('ours', ENCODED_PASSWORD, host)}?sslmode=${mode}`,
        PGSSLROOTCERT: rootCert(),
      }
      const { code, out, err } = await cli.run(['system', 'list'], { cwd, env })
      expect(out + err).not.toContain('HUSH')
      if (!reason) return expect([code, err]).toEqual([0, ''])
      expect(code).toBe(1)
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(err).toMatch(reason)
    },
  )

  test.skipIf(!certificate)(
    'suggests sslmode=require when a server with hostssl gets a connection without TLS',
    async () => {
      const rules = join(engine.folder, 'data/pg_hba.conf')
      const before = readFileSync(rules, 'utf8')
      writeFileSync(rules, before.replaceAll(/^host /gm, 'hostssl '))
      const reload = (sql: Bun.SQL) => sql.unsafe('select pg_reload_conf()')
      try {
        await onServer(`${engine.addressOf('postgres')}?sslmode=require`, reload)
        const ask = (sslmode: string) =>
          cli.run(['system', 'list'], {
            cwd,
            env: { DATABASE_URL: `${at('ours')}?sslmode=${sslmode}` },
          })
        const refused =
          /the server at 127\.0\.0\.1:\d+ accepts multitude only with TLS: use sslmode=require\.\n$/
        // The server reloads its rules asynchronously.
        let last = await ask('disable')
        for (let turn = 0; last.code === 0 && turn < 50; turn++) last = await ask('disable')
        expect([last.code, last.err]).toEqual([1, expect.stringMatching(refused)])
        expect((await ask('require')).code).toBe(0)
        expect((await ask('prefer')).code).toBe(0)
      } finally {
        writeFileSync(rules, before)
        await onServer(`${engine.addressOf('postgres')}?sslmode=require`, reload)
      }
    },
  )
})
