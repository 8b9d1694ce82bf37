import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  runCommand,
  type Server,
  program as source,
  startServer,
} from '../../tools/serverProcess'
import { processFolder, spawnForProcess } from './testProcess'

/** The built executable, so that the tests run what is released. */
const built = join(import.meta.dir, '../../../dist/multitude')

/** Falls back to the source; `npm run test:browser` builds first. */
const program = existsSync(built) ? [built] : source

/** A running server with a system. */
export interface TestServer {
  readonly server: Pick<Server, 'address' | 'output'>
  readonly token: string
  readonly hid: string
  /** Runs a command of the operator and parses the JSON that it prints. */
  operate<T>(...args: string[]): Promise<T>
  /** Runs a command and returns its output. */
  run(...args: string[]): Promise<string>
  ask<T>(line: string, body?: unknown, token?: string): Promise<T>
}

/** A server of one test file. */
export interface OwnServer extends TestServer {
  /** Kills the server, as a power failure would. */
  stop(): Promise<void>
  restart(): Promise<void>
}

/**
 * Starts the executable in an empty folder and creates a system, unless its name is null. Only for
 * tests that change settings or stop the server; all others share one.
 */
export async function startTestServer(
  name: string | null,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<OwnServer> {
  const cwd = emptyFolder('browser-')
  let server = await startServer(program, args, { cwd, env })
  const testServer = await createSystem(name, () => server, cwd, env)
  return Object.assign(testServer, {
    async stop() {
      server.kill('SIGKILL')
      await server.end()
    },
    async restart() {
      server = await startServer(program, args, { cwd, env })
    },
  })
}

/** Returns an unused port below those that the system gives to any program that connects. */
export function freePort(): number {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {}
  }
}

type SharedServer = Pick<Server, 'address' | 'output'> & { readonly cwd: string }

let shared: Promise<SharedServer> | undefined

/** Creates a system on the server that all test files of this process share. */
export async function shareTestServer(name = 'Somebody else'): Promise<TestServer> {
  shared ??= startSharedServer()
  const server = await shared
  return await createSystem(name, () => server, server.cwd)
}

async function startSharedServer(): Promise<SharedServer> {
  const cwd = mkdtempSync(join(processFolder(), 'server-'))
  const child = spawnForProcess([...program, 'serve', '--port', '0', '--log-format', 'json'], cwd)
  const started = Promise.withResolvers<string>()
  let output = ''
  const readToEnd = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      output += decoder.decode(chunk, { stream: true })
      const [, address] = /"address":"([^"]+)"/.exec(output) ?? []
      if (address) started.resolve(address)
    }
    started.reject(new Error(`the server ended: ${output}`))
  }
  readToEnd()
  return { cwd, address: await started.promise, output: () => output }
}

async function createSystem(
  name: string | null,
  server: () => Pick<Server, 'address' | 'output'>,
  cwd: string,
  env: Record<string, string> = {},
): Promise<TestServer> {
  const run = async (...given: string[]): Promise<string> => {
    const { code, out, err } = await runCommand([...program, ...given], { cwd, env })
    if (code !== 0) throw new Error(`${given.join(' ')}: ${err}`)
    return out
  }
  const operate = async <T>(...given: string[]): Promise<T> =>
    JSON.parse(await run(...given, '--json'))
  const system =
    name === null
      ? { id: '', token: '' }
      : await operate<{ id: string; token: string }>('system', 'create', '--name', name)
  return {
    get server() {
      return server()
    },
    token: system.token,
    hid: system.id,
    operate,
    run,
    async ask<T>(line: string, body?: unknown, token = system.token) {
      const [method = 'GET', path = '/'] = line.split(' ')
      const response = await fetch(`${server().address}${path}`, {
        method,
        headers: { authorization: token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
      return (text === '' ? null : JSON.parse(text)) as T
    },
  }
}
