import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'

/**
 * Runs the tests of the dashboard in several processes: all, or those of the given files. `--sizes
 * all` runs every story on a phone and on a desk. Other arguments are passed to `bun test`.
 */
const SUFFIX = '.browser.ts'
const folder = relative(process.cwd(), import.meta.dir)

const args = process.argv.slice(2)
const at = args.indexOf('--sizes')
const [, sizes = 'designed'] = at < 0 ? [] : args.splice(at, 2)
if (!['designed', 'all'].includes(sizes)) throw new Error('--sizes must be "designed" or "all"')
const given = args.filter((arg) => arg.endsWith(SUFFIX))
const all = readdirSync(import.meta.dir).filter((name) => name.endsWith(SUFFIX))
const files = given.length > 0 ? [] : all.map((name) => `./${join(folder, name)}`)

const { exited } = Bun.spawn(
  [
    // One more than there are cores, because some stories wait for the page or the server.
    ...[process.execPath, 'test', `--parallel=${availableParallelism() + 1}`, '--no-isolate'],
    ...args,
    ...files,
  ],
  { env: { ...process.env, STORY_SIZES: sizes }, stdio: ['inherit', 'inherit', 'inherit'] },
)
process.exit(await exited)
