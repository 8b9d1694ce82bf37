import { run as runCommandLine } from '../../src/cli/run'
import { type ProcessOptions, type ProcessResult, runJsonBy } from './serverProcess'

interface Options extends Omit<ProcessOptions, 'stdin'> {
  /** File of settings in place of /etc/multitude.env. */
  serviceFile?: string
}

/** Commands share the working folder and the output of this process, so each waits for the previous. */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Runs a command of the program in this process, because starting a process takes 20 times as long;
 * also `serve` where it fails before it listens. Tests of a running server, parallel processes,
 * locks and standard input use `commandLine` instead.
 */
export async function run(args: string[], options: Options): Promise<ProcessResult> {
  const result = previous.then(() => runAlone(args, options))
  previous = result.catch(() => {})
  return await result
}

export const runJson = runJsonBy(run)

async function runAlone(
  args: string[],
  { cwd, env = {}, serviceFile }: Options,
): Promise<ProcessResult> {
  const before = process.cwd()
  const [out, err] = [capture(process.stdout), capture(process.stderr)]
  const restoreListeners = keepListeners()
  process.chdir(cwd)
  try {
    const code = await runCommandLine(args, env, serviceFile)
    return { code, out: out.text(), err: err.text() }
  } finally {
    process.chdir(before)
    out.stop()
    err.stop()
    restoreListeners()
  }
}

const processEvents = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const

/** Returns a function that undoes the changes of `serve` to the listeners of the process. */
function keepListeners(): () => void {
  const before = processEvents.map((event) => ({ event, listeners: process.rawListeners(event) }))
  return () => {
    for (const { event, listeners } of before) {
      process.removeAllListeners(event)
      for (const listener of listeners) Reflect.apply(process.on, process, [event, listener])
    }
  }
}

/** Collects what is written to a stream instead of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; stop(): void } {
  const { write } = stream
  let text = ''
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }
  return {
    text: () => text,
    stop() {
      stream.write = write
    },
  }
}
