import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Endpoint } from './endpoints'
import type { LoadOptions, LoadResult } from './loadGenerator'
import { allFeatures, program } from './serverProcess'

/** Process of a measured server. */
export interface Running {
  process: Bun.Subprocess<'pipe' | 'ignore', 'pipe' | 'ignore', number>
  pid: number
  port: number
  /** Main process of its PostgreSQL, whose CPU time belongs to its requests. */
  databasePid?: number
}

/** Returns a command that runs on one core, if that is possible here. */
export function pinned(core: number, command: readonly string[]): string[] {
  const canPin = core < availableParallelism() && Bun.which('taskset') !== null
  return canPin ? ['taskset', '-c', String(core), ...command] : [...command]
}

export function startLoad(command = [process.execPath, 'bench/loadGenerator.ts']) {
  const running = Bun.spawn(command, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 2,
  })
  const reader = running.stdout.getReader()
  return {
    process: running,
    async run(options: LoadOptions): Promise<LoadResult> {
      running.stdin.write(`${JSON.stringify(options)}\n`)
      running.stdin.flush()
      const { value } = await reader.read()
      return JSON.parse(Buffer.from(value ?? []).toString())
    },
  }
}

export type Load = ReturnType<typeof startLoad>

export interface Measurement {
  perSecond: number
  p50: number
  p99: number
  p999: number
  /** Microseconds of CPU per request. */
  cpu: number
}

/** Amount of load. */
export interface LoadLevel {
  connections: number
  seconds: number
  /** Number of members of the largest system. */
  members: number
}

export async function measureEndpoint(
  load: Load,
  { connections, seconds: duration, members }: LoadLevel,
  endpoint: Endpoint,
  { pid, port, databasePid }: Omit<Running, 'process'>,
  variants?: LoadOptions['variants'],
): Promise<Measurement> {
  const cpuSince = countCpu(() => [pid, ...(databasePid ? familyOf(databasePid) : [])])
  const result = await load.run({
    port,
    connections: Math.min(connections, endpoint.connections ?? connections),
    seconds: duration,
    method: endpoint.method,
    path: endpoint.path,
    headers: { authorization: endpoint.as, 'x-forwarded-for': '203.0.113.7' },
    body: endpoint.body ?? null,
    ...(variants && { variants }),
    from: endpoint.next,
    members,
  })
  endpoint.next = result.next
  const { failures, firstFailure } = result
  if (failures > 0) throw new Error(`${endpoint.name}: ${failures} failures\n${firstFailure}`)
  const { p50, p99, p999, requests, seconds } = result
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    p999,
    cpu: (cpuSince() / requests) * 1e6,
  }
}

export function medianOf(turns: Measurement[]): Measurement {
  const median = (key: keyof Measurement) =>
    turns.map((turn) => turn[key]).toSorted((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0
  return {
    perSecond: median('perSecond'),
    p50: median('p50'),
    p99: median('p99'),
    p999: median('p999'),
    cpu: median('cpu'),
  }
}

/**
 * Starts work at a fixed rate, whether or not earlier work is done, so that slow responses are not
 * measured less often. Resolves when all of it is done.
 */
export async function atFixedRate(
  { seconds, pauseMs }: { readonly seconds: number; readonly pauseMs: number },
  work: (at: number) => Promise<void>,
): Promise<void> {
  const all: Promise<void>[] = []
  const began = performance.now()
  for (let at = 0; at * pauseMs < seconds * 1000; at++) {
    await Bun.sleep(Math.max(0, began + at * pauseMs - performance.now()))
    all.push(work(at))
  }
  await Promise.all(all)
}

/** Returns the value below which this share of the values is; infinite if there is none. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.POSITIVE_INFINITY
}

/** Returns the CPU seconds of a process; NaN on systems other than Linux. */
export function cpuOfProcess(pid: number): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Returns the CPU seconds of a process and its running children. */
export function cpuOfFamily(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + cpuOfProcess(member), 0)
}

/** Returns a process and its running children. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(/\) \w (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid
    } catch {
      return false
    }
  })
  return [pid, ...children.map(Number)]
}

/**
 * Starts to count the CPU time of processes and returns a function that returns the seconds since
 * then; NaN on systems other than Linux. It counts nanoseconds; `cpuOfProcess` counts ticks of 10 ms.
 */
export function countCpu(pids: () => number[]): () => number {
  if (!existsSync('/proc/self/schedstat')) return () => Number.NaN
  const before = cpuOfThreads(pids())
  return () => {
    let nanoseconds = 0
    // A thread that has ended since then was idle for a while before, and is left out.
    for (const [thread, time] of cpuOfThreads(pids()))
      nanoseconds += time - (before.get(thread) ?? 0)
    return nanoseconds / 1e9
  }
}

/** Returns the CPU nanoseconds of each running thread. */
function cpuOfThreads(pids: readonly number[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const pid of pids)
    for (const thread of listOrNone(`/proc/${pid}/task`))
      try {
        const [time] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
        times.set(thread, Number(time))
      } catch {
        // The thread has ended since the folder was read.
      }
  return times
}

function listOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Starts the server with all features: tokens, limits behind a proxy, CORS, a log to a file. */
export async function startProduct(
  log: string,
  env: Record<string, string>,
  command: readonly string[] = program,
): Promise<Running> {
  const running = Bun.spawn([...command, 'serve'], {
    env: { PORT: '0', ...allFeatures, ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: openSync(log, 'w'),
  })
  for (let tries = 0; tries < 1200; tries++) {
    await Bun.sleep(25)
    const [, port] = /"address":"http:\/\/127.0.0.1:(\d+)/.exec(readFileSync(log, 'utf8')) ?? []
    if (port) return { process: running, pid: running.pid, port: Number(port) }
  }
  throw new Error(`the server did not start, see ${log}`)
}

/** Prints a table; the first row is the header. */
export function print(rows: string[][]): void {
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length))) ?? []
  for (const row of rows)
    console.log(
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
}

/** A measured value and its target. */
export interface Figure {
  readonly name: string
  readonly measured: string
  readonly target: string
  /** Null if there is no target. */
  readonly isReached: boolean | null
}

/** Compares a value with its target, which it must not exceed; null if it has none. */
export function figure(
  name: string,
  value: number,
  target: number | null,
  unit: string,
  digits = 1,
): Figure {
  return {
    name,
    measured: `${value.toFixed(digits)} ${unit}`,
    target: target === null ? '' : `≤ ${target} ${unit}`,
    // As printed: a difference below the last digit is noise.
    isReached: target === null ? null : Number(value.toFixed(digits)) <= target,
  }
}

export function printFigures(title: string, figures: readonly Figure[]): void {
  print([
    [title, 'measured', 'target', ''],
    ...figures.map(({ name, measured, target, isReached }) => [
      name,
      measured,
      target,
      isReached === null ? '' : isReached ? '✓' : '✗',
    ]),
  ])
}

/** Sends requests repeatedly until the work is done, and records the longest wait of each kind. */
export async function measureWaits<K extends string>(
  waits: Record<K, number>,
  work: () => Promise<{ status: number }>,
  requests: Record<K, () => Promise<{ status: number }>>,
) {
  let isDone = false
  const names = Object.keys(requests) as K[]
  const watching = names.map(async (name) => {
    while (!isDone) {
      const sentAt = performance.now()
      const { status } = await requests[name]()
      if (status !== 200) throw new Error(`${name} got ${status}`)
      waits[name] = Math.max(waits[name], performance.now() - sentAt)
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
