import { existsSync, readFileSync } from 'node:fs'

/** The server as a process of its own: the executable if it was built, else the source. */

export const program = existsSync('dist/multitude')
  ? ['dist/multitude']
  : [process.execPath, 'src/main.ts']

/** Of a service on this machine, whose settings the executable reads, nothing is touched. */
export const alone = { MULTITUDE_HOST: '127.0.0.1', BACKUP_DIR: '' }

/** Everything is on as for callers from outside, but no limit is ever met. */
export const everythingOn = {
  RATE_LIMIT: 'generic_get=999999,message=999999,generic_update=999999',
  TRUST_PROXY: '1',
  LOG_FORMAT: 'json',
  ...alone,
}

/** Chosen beforehand: reading it off the log would take time, and a restart would change it. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

/** Resident megabytes, now or at its most; only Linux tells. */
export function memoryOf(pid: number, when: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return Number.NaN
  const [, kibibytes] = new RegExp(`${when}:\\s+(\\d+)`).exec(readFileSync(file, 'utf8')) ?? []
  return (Number(kibibytes) * 1024) / 1e6
}
