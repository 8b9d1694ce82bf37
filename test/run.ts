import { workerCount } from './workerCount'

/** Runs the test files in several processes. Arguments are passed to `bun test`. */
const { exited } = Bun.spawn(
  [process.execPath, 'test', `--parallel=${workerCount}`, '--no-isolate', ...process.argv.slice(2)],
  { stdio: ['inherit', 'inherit', 'inherit'] },
)
process.exit(await exited)
