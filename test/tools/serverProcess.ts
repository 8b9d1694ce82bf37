import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from './test'

/** Command that starts the program from its source. */
export const program = [
  process.execPath,
  '--no-env-file',
  join(import.meta.dir, '../../src/main.ts'),
]

/** Line that the program prints when it creates a database. */
export const NEW_DATABASE = /^multitude: created database \S+\n/

export interface ProcessResult {
  code: number
  out: string
  err: string
}

export interface ProcessOptions {
  cwd: string
  env?: Record<string, string>
  /** Standard input. */
  stdin?: Uint8Array
}

export interface Server {
  readonly address: string
  readonly pid: number
  /** Standard error so far. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Waits until the process has exited. */
  end(): Promise<ProcessResult>
}

/** After this time a process counts as hanging. */
const TIMEOUT_MS = 120_000

/** Creates a folder that is deleted after the tests of the file. */
export function emptyFolder(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), `multitude-program-${name}`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The built executable, which starts in a quarter of the time that the source takes. */
const executable = join(import.meta.dir, '../../dist/multitude')

/** Returns functions that run the built executable. */
export function commandLine() {
  if (!existsSync(executable)) throw new Error('There is no executable: run npm run build first.')
  const words = [executable]

  const run = (args: string[], options: ProcessOptions) => runCommand([...words, ...args], options)

  return {
    words,
    run,
    runJson: runJsonBy(run),
    startServer: (args: string[], options: ProcessOptions) => startServer(words, args, options),
    /** Starts the Discord bot without a server. */
    startDiscordBot: (options: ProcessOptions) =>
      startProcess(
        [...words, 'discord', '--log-format', 'json'],
        options,
        /(Discord bot (?:started|on standby))/,
      ),
  }
}

/** Returns the environment in which the executable runs this file before the program. */
export function preload(file: string): Record<string, string> {
  return { BUN_OPTIONS: `--preload ${file}` }
}

/** Returns a function that runs a command with --json and returns the value that it printed. */
export function runJsonBy(
  run: (args: string[], options: ProcessOptions) => Promise<ProcessResult>,
): <T>(args: string[], options: ProcessOptions) => Promise<T> {
  return async (args, options) => {
    const { code, out, err } = await run([...args, '--json'], options)
    if (code !== 0 || err.replace(NEW_DATABASE, '') !== '')
      throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
    return JSON.parse(out)
  }
}

export async function runCommand(
  words: string[],
  { cwd, env = {}, stdin }: ProcessOptions,
): Promise<ProcessResult> {
  const child = Bun.spawn(words, {
    cwd,
    env,
    stdin: stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

/** Starts a server on a free port and waits until it listens. It is killed after the tests. */
export async function startServer(
  command: readonly string[],
  args: string[],
  options: ProcessOptions,
): Promise<Server> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const words = [...command, 'serve', ...port, '--log-format', 'json', ...args]
  return startProcess(words, options, /"address":"([^"]+)"[^\n]*\n/)
}

/** Starts a process and waits until its log matches; the first group is its address. */
async function startProcess(
  words: string[],
  { cwd, env = {} }: ProcessOptions,
  ready: RegExp,
): Promise<Server> {
  const child = Bun.spawn(words, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  afterAll(() => child.kill('SIGKILL'))
  const out = child.stdout.text()
  let stderr = ''
  const listening = Promise.withResolvers<string>()
  const readToEnd = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      stderr += decoder.decode(chunk, { stream: true })
      const [, address] = ready.exec(stderr) ?? []
      if (address) listening.resolve(address)
    }
    listening.reject(new Error(`the process did not start: ${stderr}${await out}`))
  })()
  const timer = setTimeout(
    () => listening.reject(new Error(`the server did not start in time: ${stderr}`)),
    TIMEOUT_MS,
  )
  const address = await listening.promise.finally(() => clearTimeout(timer))
  return {
    address,
    pid: child.pid,
    output: () => stderr,
    kill: (signal) => child.kill(signal),
    async end() {
      const code = await child.exited
      await readToEnd
      return { code, out: await out, err: stderr }
    },
  }
}
