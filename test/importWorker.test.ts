import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { commandLine, emptyFolder } from './program'

const { runJson, startServer } = await commandLine()
const cwd = emptyFolder()
const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })

const MiB = 1024 * 1024
const ROUNDS = 20

/** Large enough that the worker does not have all of it when it is killed. */
const largeFile = JSON.stringify({
  switches: [],
  multitude: { kept: { notes: Array<string>(16).fill('a'.repeat(MiB)) } },
})

describe('an import whose worker is killed', () => {
  test('answers 503, and the server goes on and imports the next file', async () => {
    const server = await startServer([], { cwd })
    const send = async (body: string) => {
      const sent = { method: 'POST', headers: { authorization: token }, body: new Blob([body]) }
      const response = await fetch(`${server.address}/v2/systems/@me/import?dry_run=true`, sent)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    for (let round = 0; round < ROUNDS; round++) {
      const answer = send(largeFile)
      const worker = await findWorker(server.pid)
      // Another moment in each round: before the worker reads, and while it does.
      await Bun.sleep(round)
      process.kill(worker, 'SIGKILL')
      const { status, headers, text } = await answer
      expect([round, status, text]).toEqual([
        round,
        503,
        expect.stringContaining('503: Service Unavailable'),
      ])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await send(largeFile)).status).toBe(200)
    server.kill('SIGTERM')
    const { code, err } = await server.end()
    expect([code, err]).toEqual([0, expect.not.stringContaining('"level":"error"')])
  }, 180_000)
})

/** The process ID of the server's import worker, as soon as there is one. */
async function findWorker(server: number): Promise<number> {
  for (;;) {
    const found = readdirSync('/proc').find((name) => isWorker(name, server))
    if (found !== undefined) return Number(found)
    await Bun.sleep(1)
  }
}

function isWorker(process: string, parent: number): boolean {
  if (!/^\d+$/.test(process)) return false
  try {
    const [, ppid] = / \w (\d+) /.exec(readFileSync(`/proc/${process}/stat`, 'utf8')) ?? []
    if (Number(ppid) !== parent) return false
    return readFileSync(`/proc/${process}/cmdline`, 'utf8').includes('read-import')
  } catch {
    // It ended meanwhile.
    return false
  }
}
