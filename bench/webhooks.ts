import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app/app'
import { parseConfig } from '../src/runtime/config/config'
import { recordEvent } from '../src/store/events/recordEvent'
import { createSystem } from '../test/tools/operatorActions'
import { freePort, program } from './serverProcess'

/** Measures how many pending events one receiver gets per second, and checks their order. */

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    delays: { type: 'string', default: '0,10,100' },
  },
})
const MS = Number(flags.seconds) * 1000
/** More events than a receiver gets in this time. */
const EVENTS = 5_000 * Number(flags.seconds)
const TOKEN = 'a-signing-token-of-the-benchmark'

const folder = mkdtempSync(join(tmpdir(), 'multitude-webhooks-'))
const port = freePort()
const address = `http://127.0.0.1:${port}`
const env = { DATABASE_URL: `file:${join(folder, 'bench.db')}`, DISPATCH_ALLOW: '127.0.0.1' }
const { deps, storage } = openDeps(parseConfig(env))
const server = Bun.spawn([...program, 'serve', '--port', String(port)], {
  env,
  stdout: 'ignore',
  stderr: 'ignore',
})
try {
  while (!(await fetch(`${address}/health`).catch(() => null))?.ok) await Bun.sleep(20)
  for (const delay of flags.delays.split(',')) await measure(Number(delay))
} finally {
  server.kill('SIGTERM')
  await server.exited
  await storage.close()
  rmSync(folder, { recursive: true })
}

async function measure(delay: number): Promise<void> {
  const ids: number[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { type, signing_token } = (await request.json()) as Record<string, unknown>
      if (signing_token !== TOKEN) return new Response(null, { status: 401 })
      if (type === 'PING') return new Response()
      ids.push(Number(request.headers.get('x-event-id')))
      if (delay > 0) await Bun.sleep(delay)
      return new Response()
    },
  })
  const { system, token } = await createSystem(deps, {}, { account: null, tokenName: 'bench' })
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${address}/v2/systems/@me/webhook${path}`, {
      method,
      headers: { authorization: token },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  await call('PUT', '', { url: `http://127.0.0.1:${receiver.port}/`, token: TOKEN })
  await call('POST', '/verify')
  const change = { system_id: system.id, type: 'UPDATE_SYSTEM', subject: null } as const
  await deps.transact('new', async (tx) => {
    for (let n = 0; n < EVENTS; n++)
      await recordEvent(tx, deps.now(), { ...change, data: { name: `name ${n}` } })
  })
  while (ids.length === 0) await Bun.sleep(5)
  const [before, started] = [ids.length, performance.now()]
  await Bun.sleep(MS)
  const perSecond = ((ids.length - before) / (performance.now() - started)) * 1000
  const isInOrder = ids.every((id, at) => at === 0 || id === (ids[at - 1] ?? 0) + 1)
  await call('DELETE', '')
  await receiver.stop(true)
  console.log(
    `answers after ${delay} ms: ${perSecond.toFixed(1)} events a second, ${isInOrder ? 'in order' : 'NOT IN ORDER'}`,
  )
}
