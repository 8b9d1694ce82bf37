import { run as runCommandLine } from '../src/cli/run'
import { commandLine, type ProcessOptions, type ProcessResult, runJsonBy } from './serverProcess'

type Options = Omit<ProcessOptions, 'stdin'>

/** Commands share the working folder and the output of this process, so each waits for the previous. */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Runs a command of the program in this process, because starting a process takes 20 times as long;
 * only `serve`, which handles signals, gets a process. Tests of parallel processes, locks and
 * standard input use `commandLine` instead.
 */
export async function run(args: string[], options: Options): Promise<ProcessResult> {
  const [command = '-'] = args
  if (command === 'serve' || command.startsWith('-'))
    return (await commandLine()).run(args, options)
  const result = previous.then(() => runAlone(args, options))
  previous = result.catch(() => {})
  return await result
}

export const runJson = runJsonBy(run)

async function runAlone(args: string[], { cwd, env = {} }: Options): Promise<ProcessResult> {
  const before = process.cwd()
  const [out, err] = [capture(process.stdout), capture(process.stderr)]
  process.chdir(cwd)
  try {
    const code = await runCommandLine(args, env)
    return { code, out: out.text(), err: err.text() }
  } finally {
    process.chdir(before)
    out.stop()
    err.stop()
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
