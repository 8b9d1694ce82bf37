import { run } from './cli/run'

process.on('uncaughtException', exitWithError)
process.on('unhandledRejection', exitWithError)
run(process.argv.slice(2), process.env).then((code) => process.exit(code), exitWithError)

/** Prints an unexpected error in one line, without the stack and source excerpt that Bun would print. */
function exitWithError(cause: unknown): never {
  const [line] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  // The reader of a pipe may close it early.
  if ((cause as { code?: unknown } | null)?.code !== 'EPIPE')
    process.stderr.write(`multitude: internal error: ${line}\n`)
  process.exit(1)
}
