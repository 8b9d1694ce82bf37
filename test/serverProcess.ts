import { afterAll } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program as an operator starts it: a process of its own, in a folder of its own. */
export const program = [process.execPath, '--no-env-file', join(import.meta.dir, '../src/main.ts')]

/** What is said where a database is made that was not there. */
export const NEW_DATABASE = /^multitude: a new database was made: \S+\n/

export interface Ended {
  code: number
  out: string
  err: string
}

interface Circumstances {
  cwd: string
  env?: Record<string, string>
  /** What comes on standard input. */
  stdin?: Uint8Array
}

export interface Server {
  readonly address: string
  readonly pid: number
  /** What it has said on standard error so far. */
  said(): string
  kill(signal: NodeJS.Signals): void
  /** Waits until it ended. */
  end(): Promise<Ended>
}

/** Whatever takes longer hangs. */
const LONGEST_MS = 40_000

/** A folder that goes when the tests of the file are done. */
export function emptyFolder(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), `multitude-program-${name}`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

const root = join(import.meta.dir, '..')
/** Readable by every user, because some tests run the program as another one. */
const bundles = join(tmpdir(), `multitude-bundles-${process.getuid?.() ?? 0}`)
const LONG_AGO_MS = 24 * 60 * 60 * 1000

/** Made once for what the source is now, by whichever process of the tests comes first. */
async function bundle(): Promise<string> {
  const folder = join(bundles, fingerprint())
  const made = join(folder, 'main.js')
  if (existsSync(made)) return made
  mkdirSync(bundles, { recursive: true })
  for (const name of readdirSync(bundles)) {
    const old = statSync(join(bundles, name), { throwIfNoEntry: false })
    if (old && old.mtimeMs < Date.now() - LONG_AGO_MS)
      rmSync(join(bundles, name), { recursive: true, force: true })
  }
  const outdir = mkdtempSync(join(bundles, 'making-'))
  chmodSync(outdir, 0o755)
  await Bun.build({
    entrypoints: [program.at(-1) ?? ''],
    target: 'bun',
    minify: true,
    bytecode: true,
    outdir,
  })
  try {
    renameSync(outdir, folder)
  } catch (cause) {
    // Somebody else was quicker.
    if (!existsSync(made)) throw cause
    rmSync(outdir, { recursive: true })
  }
  return made
}

/** Changes with every file that the program is made of. */
function fingerprint(): string {
  const files = [...new Bun.Glob('{src,migrations}/**').scanSync(root), 'bun.lock', 'package.json']
  const states = files.sort().map((file) => {
    const { mtimeMs, size } = statSync(join(root, file))
    return `${file} ${mtimeMs} ${size}`
  })
  return Bun.hash([Bun.version, ...states].join('\n')).toString(36)
}

/**
 * The command line, from one file as the executable holds it: that starts in less than half the
 * time. Asked for once at the top of a file of tests.
 */
export async function commandLine() {
  const words = [...program.slice(0, -1), await bundle()]

  const run = (args: string[], circumstances: Circumstances) =>
    runCommand([...words, ...args], circumstances)

  /** Runs with --json and gives the one value it printed. */
  const runJson = async <T>(args: string[], circumstances: Circumstances): Promise<T> => {
    const { code, out, err } = await run([...args, '--json'], circumstances)
    if (code !== 0 || err.replace(NEW_DATABASE, '') !== '')
      throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
    return JSON.parse(out)
  }

  return {
    words,
    run,
    runJson,
    startServer: (args: string[], circumstances: Circumstances) =>
      startServer(words, args, circumstances),
  }
}

export async function runCommand(
  words: string[],
  { cwd, env = {}, stdin }: Circumstances,
): Promise<Ended> {
  const child = Bun.spawn(words, {
    cwd,
    env,
    stdin: stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

/** Starts the server on a free port and waits until it listens. It never outlives the tests. */
export async function startServer(
  command: readonly string[],
  args: string[],
  { cwd, env = {} }: Circumstances,
): Promise<Server> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const words = [...command, 'serve', ...port, '--log-format', 'json', ...args]
  const child = Bun.spawn(words, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  afterAll(() => child.kill('SIGKILL'))
  const out = child.stdout.text()
  let said = ''
  const listening = Promise.withResolvers<string>()
  const heard = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      said += decoder.decode(chunk, { stream: true })
      const [, address] = /"address":"([^"]+)"/.exec(said) ?? []
      if (address) listening.resolve(address)
    }
    listening.reject(new Error(`it did not start: ${said}`))
  })()
  const timer = setTimeout(
    () => listening.reject(new Error(`it did not start in time: ${said}`)),
    LONGEST_MS,
  )
  const address = await listening.promise.finally(() => clearTimeout(timer))
  return {
    address,
    pid: child.pid,
    said: () => said,
    kill: (signal) => child.kill(signal),
    async end() {
      const code = await child.exited
      await heard
      return { code, out: await out, err: said }
    },
  }
}
