/**
 * Measures time and memory of a large import and export, and how long other requests wait
 * meanwhile. Run it with `bun bench/import.ts [members] [groups] [switches]`, or with `--bombs` to
 * measure the waits during imports of hostile files.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bombs } from './hostileFiles'
import { measureWaits } from './measure'
import { memoryOf, program } from './serverProcess'

const [members = 1000, groups = 250, switches = 100_000] = process.argv
  .slice(2)
  .flatMap((arg) => (arg.startsWith('--') ? [] : Number(arg)))
/** Limits for the longest wait of a reader, a writer and `/health`. */
const READ_MS = 200
const WRITE_MS = 250

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const file = join(folder, 'system.json')
const exported = join(folder, 'exported.json')

try {
  if (process.argv.includes('--bombs')) await importBombs()
  else {
    writeFileSync(file, JSON.stringify(createSystem()))
    console.log(`file: ${megabytes(statSync(file).size)}`)
    await measureCommandLine()
    await measureHttp()
  }
} finally {
  rmSync(folder, { recursive: true })
}

async function measureCommandLine() {
  const database = ['--database', `file:${join(folder, 'cli.db')}`]
  await runTimed('cli: nothing (version)', ['version'])
  const { system } = JSON.parse(
    await runTimed('cli: import', ['import', file, '--new', ...database]),
  )
  await runTimed('cli: export', ['export', system, '--out', exported, ...database])
  await runTimed('cli: import of that', ['import', exported, '--system', system, ...database])
}

/** Runs a command in a new process and prints its time and memory. */
async function runTimed(label: string, args: string[]): Promise<string> {
  const started = performance.now()
  const child = Bun.spawn([...program, ...args, '--json'], { stdout: 'pipe', stderr: 'inherit' })
  const out = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`${label} failed`)
  const peak = child.resourceUsage()?.maxRSS ?? 0
  console.log(`${label}: ${seconds(started)}, peak ${megabytes(peak)}`)
  return out
}

async function importBombs() {
  await withServer(3, async (address, [first = '', second = '', other = ''], pid) => {
    const ask = async (path: string, as: string, init: RequestInit = {}) => {
      const response = await fetch(`${address}${path}`, { ...init, headers: { authorization: as } })
      return { status: response.status, text: await response.text() }
    }
    let count = 0
    const write = () =>
      ask('/v2/systems/@me', other, { method: 'PATCH', body: `{"tag":"${count++}"}` })
    print(['', 'status', 'took', 'health', 'reader', 'writer', 'memory'])
    for (const [title, build, by] of bombs)
      for (const query of ['?dry_run=true', '']) {
        const token = by ? second : first
        const body = new Blob([build()])
        const send = () => ask(`/v2/systems/@me/import${query}`, token, { method: 'POST', body })
        const waits = { health: 0, reader: 0, writer: 0 }
        const { status, took } = await measureWaits(waits, send, {
          health: () => ask('/health', ''),
          reader: () => ask('/v2/systems/@me', other),
          writer: write,
        })
        print([
          `${title}${query && ' (dry run)'}`,
          String(status),
          `${took.toFixed(1)} s`,
          formatMs(waits.health, READ_MS),
          formatMs(waits.reader, READ_MS),
          formatMs(waits.writer, WRITE_MS),
          `${memoryOf(pid, 'VmHWM').toFixed(0)} MB`,
        ])
      }
  })
}

function print([title = '', ...cells]: string[]) {
  console.log(title.padEnd(42), cells.map((cell) => cell.padStart(9)).join(' '))
}

function formatMs(ms: number, limit: number): string {
  return `${ms.toFixed(0)} ms${ms > limit ? ' ✗' : ''}`
}

/** Runs the work on a server with this many systems. */
async function withServer(
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
    await work(await readAddress(server.stderr), tokens, server.pid)
  } finally {
    server.kill()
    await server.exited
  }
}

async function measureHttp() {
  await withServer(1, async (address, [token = ''], pid) => {
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${address}/v2/systems/@me${path}`, { ...init, headers: { authorization: token } })
    await measureReads('http: nothing (a second)', pid, ask, () => Bun.sleep(1000))
    const body = readFileSync(file)
    const send = async () => (await ask('/import', { method: 'POST', body })).text()
    await measureReads('http: import', pid, ask, send)
    await measureReads('http: the same again', pid, ask, send)
    const download = (path: string, times: number) => async () => {
      await Promise.all(Array.from({ length: times }, async () => (await ask(path)).bytes()))
    }
    const calendar = '/export/front-history?format=ics'
    await measureReads('http: export', pid, ask, download('/export', 1))
    await measureReads('http: calendar', pid, ask, download(calendar, 1))
    // One that runs, and as many as may be queued.
    await measureReads('http: five exports at once', pid, ask, download('/export', 5))
    await measureReads('http: five calendars at once', pid, ask, download(calendar, 5))
  })
}

/** Reads the system repeatedly while the work runs, and prints the longest waits. */
async function measureReads(
  label: string,
  pid: number,
  ask: (path: string) => Promise<Response>,
  work: () => Promise<unknown>,
) {
  let isDone = false
  const waits: number[] = []
  const watching = (async () => {
    while (!isDone) {
      const sentAt = performance.now()
      await (await ask('')).text()
      waits.push(performance.now() - sentAt)
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

async function readAddress(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stderr) {
    text += new TextDecoder().decode(chunk)
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the server did not start: ${text}`)
}

function createSystem(): object {
  const hid = (number: number) =>
    Array.from({ length: 6 }, (_, at) => 'abcefghjkn'[Math.floor(number / 10 ** at) % 10]).join('')
  const ids = Array.from({ length: members }, (_, at) => hid(at))
  const pick = (from: number, count: number) =>
    Array.from({ length: Math.min(count, members) }, (_, at) => ids[(from + at * 7) % members])
  return {
    version: 2,
    name: 'Bench',
    accounts: [],
    members: ids.map((id, at) => ({
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
