import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from '../tools/test'
import { until } from '../tools/until'
import { asServerUser, type Engine, freePort, makeFolder, onServer, USER } from './engine'

/** Debian's pgbouncer with the configuration of docs/cluster.md. */
export interface Pgbouncer {
  /** Address of the database `multitude` through the pooler. */
  readonly address: string
  stop(): Promise<void>
  start(): Promise<void>
}

const documented = readConfiguration()

/** Path of the program, or null if it is not installed. */
export const pgbouncer = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })

/** Database of a server, and the password of its user. */
export interface Target {
  readonly engine: Engine
  readonly database: string
  readonly password: string
}

/**
 * Starts a pooler in front of a server. `changed` replaces settings of the documented
 * configuration.
 */
export async function startPgbouncer(
  { engine, database, password }: Target,
  changed: Record<string, string> = {},
): Promise<Pgbouncer> {
  const folder = makeFolder()
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"${USER}" "${password}"\n`)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    auth_file: users,
    logfile: join(folder, 'log'),
    pidfile: join(folder, 'pid'),
    unix_socket_dir: '',
    ...changed,
  }
  writeFileSync(file, configure(settings, engine.port, database))
  for (const path of [folder, file, users]) chmodSync(path, 0o755)
  const address = `postgres://${USER}:${password}@127.0.0.1:${port}/multitude`
  let child: Bun.Subprocess | undefined
  const stop = async () => {
    child?.kill('SIGKILL')
    await child?.exited
  }
  const start = async () => {
    child = Bun.spawn(asServerUser([pgbouncer ?? '', file]), {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const isReady = () =>
      onServer(address, (sql) => sql.unsafe('select 1')).then(
        () => true,
        () => false,
      )
    await until(isReady, (ready) => ready || child?.exitCode !== null)
    if (child.exitCode !== null) throw new Error(readFileSync(settings.logfile, 'utf8'))
  }
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  await start()
  return { address, start, stop }
}

function readConfiguration(): string {
  const docs = readFileSync(join(import.meta.dir, '../../docs/cluster.md'), 'utf8')
  const [, ini] = /```ini\n(\[databases\]\n[\s\S]*?)```/.exec(docs) ?? []
  if (!ini) throw new Error('docs/cluster.md has no configuration of pgbouncer')
  return ini
}

/** Replaces values of the documented configuration, and adds settings that it does not have. */
function configure(settings: Record<string, string>, port: number, database: string): string {
  const rest = { ...settings }
  const lines = documented.split('\n').map((line) => {
    const [, name = ''] = /^(\w+) = /.exec(line) ?? []
    const value = rest[name]
    delete rest[name]
    return value === undefined ? line : `${name} = ${value}`
  })
  const added = Object.entries(rest).map(([name, value]) => `${name} = ${value}`)
  const target = `multitude = host=127.0.0.1 port=${port} dbname=${database}`
  return [...lines, ...added].join('\n').replace(/^multitude = .*/m, target)
}
