import { readFileSync } from 'node:fs'
import { openDeps } from '../../src/app/app'
import { parseConfig } from '../../src/runtime/config/config'
import { createSystem } from '../tools/operatorActions'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { until } from '../tools/until'
import { readStream } from './readStream'
import { openAndStop, recordMany } from './stuckClients'

const { startServer } = commandLine()

test('a server limits the memory for many clients that do not read', async () => {
  const cwd = emptyFolder()
  const env = { DATABASE_URL: newDatabaseAddress(cwd), DURABILITY: 'normal' }
  const server = await startServer([], { cwd, env })
  const { deps, storage } = openDeps(parseConfig(env))
  const { system, token } = await createSystem(deps, {}, { account: null, tokenName: 'test' })
  const as = { ...system, token }
  const url = `${server.address}/v2/systems/@me/events`
  const stuck = await Promise.all(Array.from({ length: 40 }, () => openAndStop(url, as)))
  const reading = await readStream(url, { token })
  await recordMany(deps, as, 50, 10_000)
  await until(() => reading.messages.length === 50)
  const before = memoryOf(server.pid)
  // 32 MB for each, of which its socket buffers about 4: the rest would be a gigabyte of memory.
  await recordMany(deps, as, 3200, 10_000)
  await until(() => reading.messages.length === 3250)
  expect(memoryOf(server.pid) - before).toBeLessThan(400)
  for (const socket of stuck) socket.destroy()
  await reading.leave()
  await storage.close()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

/** Returns the resident memory of a process, in MB. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
