import type { SQL } from 'bun'
import { StorageError } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connectWithoutSettings } from './connections'
import { unusable } from './errors'

/** Repeated, because other clients of a pooler may keep it from changing connections once. */
const ROUNDS = 3
/** To connect twice and for all rounds. */
const LIMIT_MS = 8_000

/**
 * Throws if a pooler changes server connections between transactions. Prepared statements, settings
 * and locks belong to a server connection, so requests would fail there.
 */
export async function rejectTransactionPooler(
  options: ConnectOptions,
  { host, port }: Host,
): Promise<void> {
  const refuse = (reason: string) =>
    unusable(options.address.name, `the server at ${host}:${port} ${reason}`)
  const open = () => ({
    sql: connectWithoutSettings(options, { host, port }, 1),
    processes: new Set<number>(),
  })
  const [first, second] = [open(), open()]
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      late.reject(refuse('does not answer a second connection (a pooler needs DATABASE_POOL + 6)')),
    LIMIT_MS,
  )
  try {
    if (await Promise.race([changesConnections(first, second), late.promise]))
      throw refuse(
        'is a pooler that changes connections between transactions (set pool_mode = session in pgbouncer, or use the address of PostgreSQL itself)',
      )
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw refuse(`cannot be checked for a pooler: ${(cause as Error).message}`)
  } finally {
    clearTimeout(timer)
    for (const { sql } of [first, second]) void sql.close({ timeout: 0 }).catch(() => {})
  }
}

/**
 * Without such a pooler, each of two clients keeps one server process for itself. The second asks
 * twice in succession, because a pooler that takes turns could give each client always the same.
 */
async function changesConnections(first: Client, second: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const { sql, processes } of [first, second, second]) {
      const [row] = await sql.unsafe('select pg_backend_pid() as process')
      processes.add(row?.process)
    }
    const isEachItsOwn = first.processes.size + second.processes.size === 2
    if (!isEachItsOwn || !first.processes.isDisjointFrom(second.processes)) return true
  }
  return false
}

interface Client {
  readonly sql: SQL
  /** IDs of the server processes that its statements ran in. */
  readonly processes: Set<number>
}
