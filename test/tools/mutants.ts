import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { subjects } from '../contract/mutations'
import { applyMutation, type Mutation } from '../contract/mutations/mutation'

/**
 * Applies the mutations of `test/contract/mutations` to copies of the sources, one at a time in each,
 * and reports those that their tests do not detect. `bun test/tools/mutants.ts [words…]` takes those
 * with one of the words in their subject, file or sentence; without words, all of them.
 */
const words = process.argv.slice(2).map((word) => word.toLowerCase())
const JOBS = 2
/** Time limit of one test: a mutation may prevent what the test waits for. */
const TEST_LIMIT_MS = 30_000
/** Time limit of the tests of one mutation, which may be in an endless loop. */
const LIMIT_MS = 180_000

type Outcome = 'killed' | 'SURVIVED' | 'text not found' | 'does not compile'

interface Named extends Mutation {
  readonly subject: string
}

const root = join(import.meta.dir, '../..')
const chosen = Object.entries(subjects)
  .flatMap(([subject, mutations]) => mutations.map((one): Named => ({ ...one, subject })))
  .filter(({ subject, file, why }) => {
    const text = `${subject} ${file} ${why}`.toLowerCase()
    return words.length === 0 || words.some((word) => text.includes(word))
  })

if (chosen.length === 0) {
  process.stdout.write('No mutation has one of these words.\n')
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'multitude-mutants-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const copies = Array.from({ length: JOBS }, (_, job) => copySources(join(folder, String(job))))
await requireSuccess(copies[0] ?? root, [...new Set(chosen.flatMap(({ tests }) => tests))])
const outcomes = new Map<Outcome, number>()
const waiting = [...chosen]
await Promise.all(copies.map(runWaiting))

const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`)
process.stdout.write(`\n${chosen.length} mutations: ${counts.join(', ')}.\n`)
process.exit(outcomes.size === 1 && outcomes.has('killed') ? 0 : 1)

/** Copies the files of the working tree that git does not ignore. */
function copySources(to: string): string {
  const list = Bun.spawnSync(['git', 'ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: root,
  })
  for (const file of list.stdout.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    copyFileSync(join(root, file), join(to, file))
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
  return to
}

/** Ends the program if the tests fail without a mutation, because they would prove nothing then. */
async function requireSuccess(copy: string, tests: readonly string[]): Promise<void> {
  process.stdout.write(`running ${tests.length} test files without a mutation\n`)
  const { code, output } = await runTests(copy, tests, [`--parallel=${JOBS}`, '--no-isolate'])
  if (code === 0) return
  process.stdout.write(`${failuresIn(output).join('\n')}\nThe tests fail without a mutation.\n`)
  process.exit(1)
}

async function runWaiting(copy: string): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const outcome = await tryMutation(copy, next)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const { subject, file, why } = next
    process.stdout.write(`${outcome.padEnd(16)} ${subject.padEnd(9)} ${file}: ${why}\n`)
  }
}

async function tryMutation(copy: string, mutation: Mutation): Promise<Outcome> {
  const path = join(copy, 'src', mutation.file)
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const mutated = applyMutation(source, mutation)
  if ('problem' in mutated) return 'text not found'
  writeFileSync(path, mutated.source)
  const { code, output } = await runTests(copy, mutation.tests, ['--bail'], { timeout: LIMIT_MS })
  writeFileSync(path, source)
  if (code === 0) return 'SURVIVED'
  // No code: the tests took too long, because they wait for what the mutation prevents.
  return code === null || failuresIn(output).length > 0 ? 'killed' : 'does not compile'
}

async function runTests(
  copy: string,
  tests: readonly string[],
  flags: readonly string[],
  limit: { timeout?: number } = {},
): Promise<{ code: number | null; output: string }> {
  const files = tests.map((file) => `./test/${file}`)
  const child = Bun.spawn([process.execPath, 'test', ...flags, ...files], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TEST_TIMEOUT_MS: String(TEST_LIMIT_MS) },
    ...limit,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return { code: child.exitCode, output: `${out}${err}` }
}

function failuresIn(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('(fail)'))
}
