import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { processTests } from './tools/processTests'
import { workerCount } from './tools/workerCount'

/**
 * Runs tests ten times in random order on cores that other processes keep busy, and reports every
 * test that did not pass every time: `bun test/steady.ts [files…]`, all of `npm test` by default,
 * all of `npm run test:processes` with --processes.
 */
const { values: options, positionals: files } = parseArgs({
  args: process.argv.slice(2),
  options: {
    rounds: { type: 'string', default: '10' },
    processes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const rounds = Number(options.rounds)
const BUSY_LOOPS = 4
/** The loops end by themselves if this process is killed. */
const BUSY_LOOP = `while (process.ppid === ${process.pid}) for (let i = 0; i < 1e8; i++);`
/** Tests and loops share these cores, at most as many as the smallest machine has. */
const cores = availableParallelism() > 1 ? '0,1' : '0'
const pinned = Bun.which('taskset') ? ['taskset', '--cpu-list', cores] : []

interface Run {
  readonly seed: number
  readonly output: string
}

/** Runs that a test did not pass, with their results. */
const unsteady = new Map<string, { result: string; run: Run }[]>()
const folder = mkdtempSync(join(tmpdir(), 'multitude-steady-'))
const loops = Array.from({ length: BUSY_LOOPS }, () =>
  Bun.spawn([...pinned, process.execPath, '-e', BUSY_LOOP], {
    stdio: ['ignore', 'ignore', 'ignore'],
  }),
)
try {
  for (let round = 1; round <= rounds; round++) await runOnce(round)
} finally {
  for (const loop of loops) loop.kill()
  rmSync(folder, { recursive: true })
}

for (const [title, failures] of unsteady) {
  const results = failures.map(({ result, run }) => `${result} (seed ${run.seed})`)
  process.stdout.write(`\n${title}: did not pass ${failures.length} of ${rounds} times: `)
  process.stdout.write(`${results.join(', ')}\n${excerpt(title, failures[0]?.run.output ?? '')}`)
}
process.stdout.write(
  `\n${unsteady.size === 0 ? 'Every test passed' : `${unsteady.size} tests did not pass`} every time.\n`,
)
process.exit(unsteady.size === 0 ? 0 : 1)

async function runOnce(round: number): Promise<void> {
  const seed = randomInt(2 ** 31)
  const report = join(folder, `${round}.xml`)
  const child = Bun.spawn(
    [
      ...[...pinned, process.execPath, 'test', `--parallel=${workerCount}`, '--no-isolate'],
      ...['--randomize', `--seed=${seed}`, '--reporter=junit', `--reporter-outfile=${report}`],
      ...(files.length > 0 ? files.map(asPath) : options.processes ? processTests() : []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const run: Run = { seed, output: `${out}${err}` }
  const code = await child.exited
  const { results, failed } = readReport(report)
  if (code !== 0 && failed.length === 0) failed.push({ title: 'the run', result: `exit ${code}` })
  for (const { title, result } of failed)
    unsteady.set(title, [...(unsteady.get(title) ?? []), { result, run }])
  const problems = failed.length === 0 ? 'passed' : `${failed.length} did not pass`
  process.stdout.write(`round ${round} of ${rounds}, seed ${seed}: ${results} tests, ${problems}\n`)
}

/** Bun runs a file whose name does not end in .test.ts only if its path begins with `./`. */
function asPath(file: string): string {
  return /^[./]/.test(file) ? file : `./${file}`
}

/** Reads the results of a report in JUnit's format. Skipped tests count as passed. */
function readReport(path: string): {
  results: number
  failed: { title: string; result: string }[]
} {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const cases = [...text.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
  const failed = cases.flatMap(([, attributes = '', content = '']) => {
    const [, result] = /<(failure|error)\b/.exec(content) ?? []
    if (!result) return []
    const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
    // The innermost description comes first.
    const groups = unescapeXml(of('classname')).split(' > ').reverse()
    const title = [...groups, unescapeXml(of('name'))].filter((part) => part !== '').join(' > ')
    return [{ title: `${unescapeXml(of('file'))}: ${title}`, result }]
  })
  return { results: cases.length, failed }
}

function unescapeXml(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => characters[name] ?? '')
}

/** Returns the lines of the output that explain why this test failed. */
function excerpt(title: string, output: string): string {
  const lines = output.split('\n')
  const name = title.slice(title.indexOf(': ') + 2)
  const end = lines.findIndex((line) => line.startsWith('(fail)') && line.includes(name))
  return end < 0
    ? `${lines.slice(-20).join('\n')}\n`
    : `${lines.slice(Math.max(0, end - 30), end + 1).join('\n')}\n`
}
