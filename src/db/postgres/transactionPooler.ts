import type { SQL } from 'bun'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { StorageError } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connectWithoutSettings } from './connections'
import { unusable } from './errors'

/**
 * Repeated, because the load of other clients may prevent a pooler from changing connections once.
 */
const ROUNDS = 3
/** Time limit for both connections and all rounds. */
const LIMIT_MS = 8_000
/** A busy server, which has accepted a connection before, may answer late. */
const CONNECT_LIMIT_S = 6

/**
 * Throws if a pooler changes server connections between transactions. Prepared statements, settings
 * and locks belong to a server connection, so requests would fail with such a pooler.
 */
export async function rejectTransactionPooler(
  options: ConnectOptions,
  { host, port }: Host,
): Promise<void> {
  const failure = (reason: string) =>
    unusable(options.address.name, `the server at ${host}:${port} ${reason}`)
  const open = () => ({
    sql: connectWithoutSettings(options, { host, port }, 1, CONNECT_LIMIT_S),
    processes: new Set<number>(),
  })
  const [first, second] = [open(), open()]
  try {
    const onTimeout = () => {
      throw failure('does not answer a second connection (a pooler needs DATABASE_POOL + 6)')
    }
    const work = changesConnections(first, second)
    const isPooler = await withTimeout(work, LIMIT_MS, onTimeout, options.clock)
    if (isPooler)
      throw failure(
        'is a pooler that changes connections between transactions (set pool_mode = session in pgbouncer, or use the address of PostgreSQL itself)',
      )
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw failure(`cannot be checked for a pooler: ${(cause as Error).message}`)
  } finally {
    for (const { sql } of [first, second]) void sql.close({ timeout: 0 }).catch(() => {})
  }
}

/**
 * Without such a pooler, each of two clients has one server process of its own. The second client
 * queries twice in succession, because a round-robin pooler could otherwise give each client the
 * same process every time.
 */
async function changesConnections(first: Client, second: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const { sql, processes } of [first, second, second]) {
      const [row] = await sql.unsafe('select pg_backend_pid() as process')
      processes.add(row?.process)
    }
    const hasOneProcessEach = first.processes.size + second.processes.size === 2
    if (!hasOneProcessEach || !first.processes.isDisjointFrom(second.processes)) return true
  }
  return false
}

interface Client {
  readonly sql: SQL
  /** IDs of the server processes that its statements ran in. */
  readonly processes: Set<number>
}
