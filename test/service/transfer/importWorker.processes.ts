import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { runJson } from '../../tools/runInProcess'
import { commandLine, preload } from '../../tools/serverProcess'
import { isSuspended } from '../../tools/suspend'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { startServer } = commandLine()
const cwd = folderWithDatabase()
const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })

const MiB = 1024 * 1024
const ROUNDS = 20

/** Import workers suspend themselves when they start, so that none has ended when a test finds it. */
const env = preload(join(import.meta.dir, '../../tools/suspendedWorker.ts'))

/** Larger than a pipe, so that the server waits for the worker to read. */
const largeFile = JSON.stringify({
  switches: [],
  multitude: { kept: { notes: Array<string>(16).fill('a'.repeat(MiB)) } },
})

describe('an import whose worker is killed', () => {
  test('answers 503 when the import worker is killed, and imports the next file', async () => {
    const server = await startServer([], { cwd, env })
    const send = async (body: string) => {
      const sent = { method: 'POST', headers: { authorization: token }, body: new Blob([body]) }
      const response = await fetch(`${server.address}/v2/systems/@me/import?dry_run=true`, sent)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    for (let round = 0; round < ROUNDS; round++) {
      const answer = send(largeFile)
      const worker = await findWorker(server.pid)
      // Killed before it reads, or while the server waits for it to read.
      if (round % 2 === 1) {
        await untilSuspended(worker)
        for (let request = 0; request < round; request++)
          expect((await fetch(`${server.address}/health`)).status).toBe(200)
      }
      process.kill(worker, 'SIGKILL')
      const { status, headers, text } = await answer
      expect([round, status, text]).toEqual([
        round,
        503,
        expect.stringContaining('503: Service Unavailable'),
      ])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const last = send(largeFile)
    await resume(await findWorker(server.pid))
    expect((await last).status).toBe(200)
    server.kill('SIGTERM')
    const { code, err } = await server.end()
    expect([code, err]).toEqual([0, expect.not.stringContaining('"level":"error"')])
  }, 180_000)
})

test('lets a third import wait until one of two running imports ends', async () => {
  const systems = ['A', 'B', 'C', 'D'].map((name) =>
    runJson<{ token: string }>(['system', 'create', '--name', name], { cwd }),
  )
  const tokens = (await Promise.all(systems)).map((created) => created.token)
  const metrics = ['--metrics', 'on', '--metrics-address', '127.0.0.1:0']
  const server = await startServer(metrics, { cwd, env })
  const [, metricsUrl = ''] = /"metrics":"([^"]+)"/.exec(server.output()) ?? []
  const countImports = async () => {
    const text = await (await fetch(metricsUrl)).text()
    return Number(/^multitude_imports_under_way (\d+)$/m.exec(text)?.[1])
  }
  const send = (system: number, signal: AbortSignal | null = null) =>
    fetch(`${server.address}/v2/systems/@me/import`, {
      method: 'POST',
      headers: { authorization: tokens[system] ?? '' },
      body: new Blob([largeFile]),
      signal,
    }).then(
      ({ status }) => status,
      ({ name }: Error) => name,
    )
  const workers: number[] = []
  const begin = async (system: number) => {
    const answer = send(system)
    const worker = await findWorker(server.pid, workers)
    workers.push(worker)
    return { answer, worker }
  }
  const first = await begin(0)
  const second = await begin(1)

  const leaving = new AbortController()
  const third = send(2, leaving.signal)
  await until(async () => (await countImports()) === 3)
  const fourth = send(3)
  await until(async () => (await countImports()) === 4)
  leaving.abort()
  expect(await third).toBe('AbortError')
  await until(async () => (await countImports()) === 3)

  process.kill(first.worker, 'SIGKILL')
  expect(await first.answer).toBe(503)
  await resume(await findWorker(server.pid, workers))
  expect(await fourth).toBe(200)
  await resume(second.worker)
  expect(await second.answer).toBe(200)
  expect(await countImports()).toBe(0)
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

/** Waits for an import worker that is not among the known ones and returns its process ID. */
async function findWorker(server: number, known: readonly number[] = []): Promise<number> {
  return until(
    () =>
      readdirSync('/proc')
        .filter((name) => isWorker(name, server))
        .map(Number)
        .find((worker) => !known.includes(worker)) ?? 0,
  )
}

function isWorker(process: string, parent: number): boolean {
  if (!/^\d+$/.test(process)) return false
  try {
    const [, ppid] = / \w (\d+) /.exec(readFileSync(`/proc/${process}/stat`, 'utf8')) ?? []
    if (Number(ppid) !== parent) return false
    return readFileSync(`/proc/${process}/cmdline`, 'utf8').includes('read-import')
  } catch {
    // The process ended meanwhile.
    return false
  }
}

async function untilSuspended(worker: number): Promise<void> {
  await until(() => isSuspended(worker))
}

async function resume(worker: number): Promise<void> {
  await untilSuspended(worker)
  process.kill(worker, 'SIGCONT')
}
