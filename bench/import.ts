/**
 * How long a large import and export take, how much memory they need, and how long others wait
 * meanwhile. By hand: `bun bench/import.ts [members] [groups] [switches]`
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryOf, program } from './product'

const [members = 1000, groups = 250, switches = 100_000] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const file = join(folder, 'system.json')
const exported = join(folder, 'exported.json')

try {
  writeFileSync(file, JSON.stringify(makeSystem()))
  console.log(`file: ${megabytes(statSync(file).size)}`)
  await viaCommandLine()
  await viaHttp()
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

async function viaHttp() {
  const database = `file:${join(folder, 'http.db')}`
  const create = ['system', 'create', '--json', '--database', database]
  const { token } = await Bun.$`${program} ${create}`.json()
  const server = Bun.spawn([...program, 'serve', '--port', '0', '--database', database], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  try {
    const address = await addressOf(server.stderr)
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${address}/v2/systems/@me${path}`, { ...init, headers: { authorization: token } })
    await watched('http: nothing (a second)', server.pid, ask, () => Bun.sleep(1000))
    const body = readFileSync(file)
    const send = async () => (await ask('/import', { method: 'POST', body })).text()
    await watched('http: import', server.pid, ask, send)
    await watched('http: the same again', server.pid, ask, send)
    const take = (path: string, times: number) => async () => {
      await Promise.all(Array.from({ length: times }, async () => (await ask(path)).bytes()))
    }
    const calendar = '/export/front-history?format=ics'
    await watched('http: export', server.pid, ask, take('/export', 1))
    await watched('http: calendar', server.pid, ask, take(calendar, 1))
    await watched('http: eight exports at once', server.pid, ask, take('/export', 8))
    await watched('http: eight calendars at once', server.pid, ask, take(calendar, 8))
  } finally {
    server.kill()
    await server.exited
  }
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
