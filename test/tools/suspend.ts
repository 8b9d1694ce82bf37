import { readFileSync } from 'node:fs'
import { openDeps } from '../../src/app/app'
import { parseConfig } from '../../src/runtime/config/config'
import type { Server } from './serverProcess'
import { until } from './until'

/**
 * Suspends a server between its transactions. Within one, it would keep the file of SQLite locked
 * for the other processes.
 */
export async function suspend(server: Server | undefined, DATABASE_URL: string): Promise<void> {
  if (!server) throw new Error('there is no server')
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL }))
  // Waits for a transaction of the server, which waits for the end of this one then.
  await deps.transact('new', async () => {
    server.kill('SIGSTOP')
    await until(() => isSuspended(server.pid))
  })
  await storage.close()
}

export function isSuspended(pid: number): boolean {
  return / T \d+ /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
