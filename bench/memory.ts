import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { executableOptions } from '../.ci/release/executable'
import { copyData, folder, full, removeData, small } from './data'
import { endpointsOf } from './endpoints'
import { measureEndpoint, percentileOf, print, startLoad, startProduct } from './measure'
import { memoryOf, program } from './serverProcess'

/**
 * Measures what each module costs when it is loaded, in the order of `MODULES`, and the memory of
 * the server: idle, and after each kind of request.
 */
const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})

/** Each is loaded with what those before it have not loaded. */
const MODULES = [
  'bun:sqlite',
  'drizzle-orm/sqlite-core',
  'src/db/tables/index.ts',
  'src/db/visible.ts',
  'src/db/open.ts',
  'elysia',
  'src/service/reads/objects.ts',
  'src/service/transfer/import/import.ts',
  'src/http/v2/index.ts',
  'src/http/ext/index.ts',
  'src/http/bot/index.ts',
  'src/http/web/index.ts',
  'src/http/handler.ts',
  'src/events/events.ts',
  'src/app/app.ts',
  'src/cli/run.ts',
  // A server loads the modules below only when they are needed.
  'src/discord/discordBot.ts',
  'src/formats/read.ts',
  'src/serializers/openapiComponents.ts',
  '@elysiajs/swagger',
  'src/cli/completion/man.ts',
  'src/doctor/inspect.ts',
]
const IDLE_MB = 48
const LOADED_MB = 90
const SETTLE_MS = 2000

/** Cost of a module: megabytes and milliseconds of CPU time. */
interface Cost {
  readonly name: string
  readonly private: number
  readonly file: number
  readonly cpu: number
}

await printModules()
console.log()
await printServer()

/** Measures the modules in an executable that loads one after the other. */
async function printModules(): Promise<void> {
  const work = mkdtempSync(join(folder, 'modules-'))
  try {
    const path = join(work, 'modules')
    await Bun.build({
      ...executableOptions,
      files: { [resolve('src/main.ts')]: sourceOfProbe() },
      compile: { outfile: path },
    })
    const runs: Cost[][] = []
    for (let run = 0; run < Number(flags.runs); run++) {
      const child = Bun.spawn([path], { env: {}, stdout: 'pipe', stderr: 'inherit' })
      runs.push(JSON.parse(await new Response(child.stdout).text()))
    }
    const medianOf = (at: number, key: 'private' | 'file' | 'cpu') =>
      percentileOf(
        runs.map((run) => run[at]?.[key] ?? Number.NaN),
        0.5,
      )
    print([
      ['loaded module', 'private MB', 'file MB', 'CPU ms'],
      ...['runtime alone', ...MODULES].map((name, at) => [
        name,
        medianOf(at, 'private').toFixed(2),
        medianOf(at, 'file').toFixed(2),
        medianOf(at, 'cpu').toFixed(1),
      ]),
    ])
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Source of a program that imports the modules and prints the cost of each as JSON. */
function sourceOfProbe(): string {
  const steps = MODULES.map((name) => {
    const path = name.startsWith('src/') ? resolve(name) : name
    return `await step(${JSON.stringify(name)}, () => import(${JSON.stringify(path)}))`
  })
  return `
    import { readFileSync } from 'node:fs'
    const megabytes = (status, field) => Number(new RegExp(field + ':\\\\s+(\\\\d+)').exec(status)[1]) * 1024 / 1e6
    const now = () => {
      const status = readFileSync('/proc/self/status', 'utf8')
      const [cpu] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
      return { private: megabytes(status, 'RssAnon'), file: megabytes(status, 'RssFile'), cpu: cpu / 1e6 }
    }
    now()
    let last = { ...now(), cpu: 0 }
    const costs = [{ name: 'runtime', ...last }]
    last = now()
    const step = async (name, load) => {
      await load()
      // Compiled code is installed in the background.
      await Bun.sleep(100)
      const after = now()
      costs.push({ name, private: after.private - last.private, file: after.file - last.file, cpu: after.cpu - last.cpu })
      last = after
    }
    ${steps.join('\n')}
    console.log(JSON.stringify(costs))
  `
}

/** Prints the memory of the idle server by kind of mapping, and after each kind of request. */
async function printServer(): Promise<void> {
  const size = flags.small ? small : full
  const file = await copyData(size, 'memory.db')
  const server = await startProduct(join(folder, 'memory.log'), { DATABASE_URL: `file:${file}` })
  const load = startLoad()
  try {
    const level = { connections: 16, seconds: Number(flags.seconds), members: size.bigMembers }
    const endpoints = endpointsOf(size).filter(({ name }) => name.includes(flags.only))
    const [first] = endpoints
    if (first) await measureEndpoint(load, { ...level, connections: 1, seconds: 0 }, first, server)
    await Bun.sleep(SETTLE_MS)
    const idle = memoryOf(server.pid)
    print([
      [`${program[0]}, idle`, 'MB', 'goal'],
      ...mappingsOf(server.pid).map(([name, megabytes]) => [`  ${name}`, megabytes.toFixed(1), '']),
      ['all', idle.toFixed(1), goal(idle, IDLE_MB)],
    ])
    console.log()
    const rows = [[`after ${flags.seconds} s of`, 'MB', 'most']]
    for (const endpoint of endpoints) {
      await measureEndpoint(load, level, endpoint, server)
      const memory = [memoryOf(server.pid), memoryOf(server.pid, 'VmHWM')]
      rows.push([endpoint.name, ...memory.map((megabytes) => megabytes.toFixed(0))])
    }
    print(rows)
    const most = memoryOf(server.pid, 'VmHWM')
    console.log(`most under load: ${most.toFixed(0)} MB, goal ${goal(most, LOADED_MB)}`)
  } finally {
    for (const { process } of [server, load]) {
      process.kill('SIGTERM')
      await process.exited
    }
    removeData(file)
  }
}

function goal(value: number, most: number): string {
  return `${most} ${value <= most ? '✓' : '✗'}`
}

/** Returns the resident megabytes of a process by kind of mapping. */
function mappingsOf(pid: number): [name: string, megabytes: number][] {
  const totals = new Map<string, number>()
  for (const mapping of readFileSync(`/proc/${pid}/smaps`, 'utf8').split(
    /^(?=[0-9a-f]+-[0-9a-f]+ )/m,
  )) {
    const [head = ''] = mapping.split('\n')
    const [, permissions = '', , , , path = ''] = head.split(/\s+/)
    const kibibytes = Number(/^Rss:\s+(\d+)/m.exec(mapping)?.[1] ?? 0)
    const name = kindOf(permissions, path)
    totals.set(name, (totals.get(name) ?? 0) + (kibibytes * 1024) / 1e6)
  }
  return [...totals].toSorted(([, a], [, b]) => b - a)
}

function kindOf(permissions: string, path: string): string {
  if (path === '' || path.startsWith('['))
    return permissions.includes('x') ? 'code generated at run time' : 'heaps and stacks'
  if (path.endsWith(resolve(program[0] ?? '').slice(1))) {
    if (permissions.includes('x')) return 'executable: machine code'
    return permissions.includes('w') ? 'executable: bytecode and data' : 'executable: constants'
  }
  return path.includes('.so') ? 'system libraries' : 'database and other files'
}
