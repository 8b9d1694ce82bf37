/**
 * How long a large import and export take, how much memory they need, and how long others wait
 * meanwhile. By hand: `bun bench/import.ts [members] [groups] [switches]`, or with `--bombs` how
 * long others wait for files that are made to hurt them.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bombs } from './hostileFiles'
import { memoryOf, program } from './serverProcess'

const [members = 1000, groups = 250, switches = 100_000] = process.argv
  .slice(2)
  .flatMap((word) => (word.startsWith('--') ? [] : Number(word)))
/** How long a reader, a writer and `/health` may wait at most. */
const READ_MS = 200
const WRITE_MS = 250

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const file = join(folder, 'system.json')
const exported = join(folder, 'exported.json')

try {
  if (process.argv.includes('--bombs')) await throwBombs()
  else {
    writeFileSync(file, JSON.stringify(makeSystem()))
    console.log(`file: ${megabytes(statSync(file).size)}`)
    await viaCommandLine()
    await viaHttp()
  }
} finally {
  rmSync(folder, { recursive: true })
}

async function viaCommandLine() {
  const database = ['--database', `file:${join(folder, 'cli.db')}`]
  await timed('cli: nothing (version)', ['version'])
  const { system } = JSON.parse(await timed('cli: import', ['import', file, '--new', ...database]))
  await timed('cli: export', ['export', system, '--out', exported, ...database])
  await timed('cli: import of that', ['import', exported, '--system', system, ...database])
}

/** One command in a process of its own. */
async function timed(label: string, args: string[]): Promise<string> {
  const started = performance.now()
  const child = Bun.spawn([...program, ...args, '--json'], { stdout: 'pipe', stderr: 'inherit' })
  const out = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`${label} failed`)
  const peak = child.resourceUsage()?.maxRSS ?? 0
  console.log(`${label}: ${seconds(started)}, peak ${megabytes(peak)}`)
  return out
}

async function throwBombs() {
  await serving(3, async (address, [first = '', second = '', other = ''], pid) => {
    const ask = async (path: string, as: string, init: RequestInit = {}) => {
      const response = await fetch(`${address}${path}`, { ...init, headers: { authorization: as } })
      return { status: response.status, text: await response.text() }
    }
    let count = 0
    const write = () =>
      ask('/v2/systems/@me', other, { method: 'PATCH', body: `{"tag":"${count++}"}` })
    print(['', 'status', 'took', 'health', 'reader', 'writer', 'memory'])
    for (const [says, make, by] of bombs)
      for (const query of ['?dry_run=true', '']) {
        const token = by ? second : first
        const body = new Blob([make()])
        const import_ = () => ask(`/v2/systems/@me/import${query}`, token, { method: 'POST', body })
        const waits = { health: 0, reader: 0, writer: 0 }
        const { status, took } = await longest(waits, import_, {
          health: () => ask('/health', ''),
          reader: () => ask('/v2/systems/@me', other),
          writer: write,
        })
        print([
          `${says}${query && ' (dry run)'}`,
          String(status),
          `${took.toFixed(1)} s`,
          told(waits.health, READ_MS),
          told(waits.reader, READ_MS),
          told(waits.writer, WRITE_MS),
          `${memoryOf(pid, 'VmHWM').toFixed(0)} MB`,
        ])
      }
  })
}

function print([says = '', ...cells]: string[]) {
  console.log(says.padEnd(42), cells.map((cell) => cell.padStart(9)).join(' '))
}

function told(ms: number, limit: number): string {
  return `${ms.toFixed(0)} ms${ms > limit ? ' ✗' : ''}`
}

/** Asks again and again until the work is done, and keeps the longest wait of each. */
async function longest<K extends string>(
  waits: Record<K, number>,
  work: () => Promise<{ status: number }>,
  askers: Record<K, () => Promise<{ status: number }>>,
) {
  let isDone = false
  const names = Object.keys(askers) as K[]
  const watching = names.map(async (name) => {
    while (!isDone) {
      const asked = performance.now()
      const { status } = await askers[name]()
      if (status !== 200) throw new Error(`${name} was answered ${status}`)
      waits[name] = Math.max(waits[name], performance.now() - asked)
      await Bun.sleep(2)
    }
  })
  const started = performance.now()
  const { status } = await work()
  const took = (performance.now() - started) / 1000
  isDone = true
  await Promise.all(watching)
  return { status, took }
}

/** A server with so many systems, whose tokens are given. */
async function serving(
  count: number,
  work: (address: string, tokens: string[], pid: number) => Promise<void>,
) {
  const database = `file:${join(folder, 'http.db')}`
  const create = ['system', 'create', '--json', '--database', database]
  const tokens: string[] = []
  for (let at = 0; at < count; at++)
    tokens.push((await Bun.$`${program} ${create}`.quiet().json()).token)
  const server = Bun.spawn([...program, 'serve', '--port', '0', '--database', database], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  try {
    await work(await addressOf(server.stderr), tokens, server.pid)
  } finally {
    server.kill()
    await server.exited
  }
}

async function viaHttp() {
  await serving(1, async (address, [token = ''], pid) => {
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${address}/v2/systems/@me${path}`, { ...init, headers: { authorization: token } })
    await watched('http: nothing (a second)', pid, ask, () => Bun.sleep(1000))
    const body = readFileSync(file)
    const send = async () => (await ask('/import', { method: 'POST', body })).text()
    await watched('http: import', pid, ask, send)
    await watched('http: the same again', pid, ask, send)
    const take = (path: string, times: number) => async () => {
      await Promise.all(Array.from({ length: times }, async () => (await ask(path)).bytes()))
    }
    const calendar = '/export/front-history?format=ics'
    await watched('http: export', pid, ask, take('/export', 1))
    await watched('http: calendar', pid, ask, take(calendar, 1))
    // One that runs, and as many as may wait.
    await watched('http: five exports at once', pid, ask, take('/export', 5))
    await watched('http: five calendars at once', pid, ask, take(calendar, 5))
  })
}

/** Asks for the system again and again while the work runs, and tells the longest wait. */
async function watched(
  label: string,
  pid: number,
  ask: (path: string) => Promise<Response>,
  work: () => Promise<unknown>,
) {
  let isDone = false
  const waits: number[] = []
  const watching = (async () => {
    while (!isDone) {
      const asked = performance.now()
      await (await ask('')).text()
      waits.push(performance.now() - asked)
      await Bun.sleep(2)
    }
  })()
  const started = performance.now()
  await work()
  const took = seconds(started)
  isDone = true
  await watching
  const longest = waits.toSorted((a, b) => b - a).slice(0, 4)
  console.log(
    `${label}: ${took}, longest waits ${longest.map((ms) => ms.toFixed(0)).join(', ')} ms` +
      ` of ${waits.length}, peak so far ${memoryOf(pid, 'VmHWM').toFixed(0)} MB`,
  )
}

async function addressOf(said: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of said) {
    text += new TextDecoder().decode(chunk)
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the server did not start: ${text}`)
}

function makeSystem(): object {
  const hid = (number: number) =>
    Array.from({ length: 6 }, (_, at) => 'abcefghjkn'[Math.floor(number / 10 ** at) % 10]).join('')
  const people = Array.from({ length: members }, (_, at) => hid(at))
  const pick = (from: number, count: number) =>
    Array.from({ length: Math.min(count, members) }, (_, at) => people[(from + at * 7) % members])
  return {
    version: 2,
    name: 'Bench',
    accounts: [],
    members: people.map((id, at) => ({
      id,
      name: `Member ${at}`,
      display_name: `Member ${at} of the Hill`,
      description: `What there is to say about number ${at}. `.repeat(12).slice(0, 1000),
      pronouns: 'they/them',
      color: (at * 997).toString(16).padStart(6, '0').slice(-6),
      proxy_tags: [
        { prefix: `${at}:`, suffix: null },
        { prefix: '(', suffix: `)${at}` },
      ],
      privacy: { visibility: at % 2 ? 'private' : 'public' },
    })),
    groups: Array.from({ length: groups }, (_, at) => ({
      id: hid(at),
      name: `Group ${at}`,
      members: pick(at * 3, 40),
    })),
    switches: Array.from({ length: switches }, (_, at) => ({
      timestamp: new Date(1.5e12 + (switches - at) * 1.8e6).toISOString(),
      members: pick(at * 13, at % 4),
    })),
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(2)} s`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
