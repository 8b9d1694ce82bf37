import { existsSync, readFileSync } from 'node:fs'

/** Command of the program: the executable if it was built, else the source. */

export const program = existsSync('dist/multitude')
  ? ['dist/multitude']
  : [process.execPath, 'src/main.ts']

/** Overrides settings of a service on this machine, which the executable would read. */
export const isolated = { MULTITUDE_HOST: '127.0.0.1', BACKUP_DIR: '' }

/** Enables all features as for remote clients, with limits that are never reached. */
export const allFeatures = {
  RATE_LIMIT: 'generic_get=999999,message=999999,generic_update=999999',
  TRUST_PROXY: '1',
  LOG_FORMAT: 'json',
  ...isolated,
}

/** Returns a free port: reading it from the log would take time, and a restart would change it. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

/** Returns the resident memory in megabytes, current or peak; NaN on systems other than Linux. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return Number.NaN
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(file, 'utf8')) ?? []
  return (Number(kibibytes) * 1024) / 1e6
}
