import { processTests } from './tools/processTests'
import { workerCount } from './tools/workerCount'

/** Runs the tests that start processes of the built executable. Arguments are passed to `bun test`. */
const args = process.argv.slice(2)
const isChosen = args.some((arg) => arg.includes('.processes.ts'))
const { exited } = Bun.spawn(
  [
    process.execPath,
    ...['test', `--parallel=${workerCount}`, '--no-isolate', ...args],
    ...(isChosen ? [] : processTests()),
  ],
  { stdio: ['inherit', 'inherit', 'inherit'] },
)
process.exit(await exited)
