import { run } from './cli/run'

process.on('uncaughtException', giveUp)
process.on('unhandledRejection', giveUp)
run(process.argv.slice(2), process.env).then((code) => process.exit(code), giveUp)

/** What nobody has thought of is told in one line: no stack, and not a page of the source. */
function giveUp(cause: unknown): never {
  const [line] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  // Whoever reads the answer may have seen enough of it.
  if ((cause as { code?: unknown } | null)?.code !== 'EPIPE')
    process.stderr.write(`multitude: This should not have happened: ${line}\n`)
  process.exit(1)
}
