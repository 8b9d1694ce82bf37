import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'drizzle-orm'
import { type DomainError, unavailable } from '../../model/core/errors'
import { systemClock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { postgresDialect } from '../dialect'
import { toText } from '../query'
import type { OpenOptions, Snapshot, Storage, WriteStats } from '../storage'
import { systems } from '../tables'
import type { Db } from '../types'
import { parseAddress } from './address'
import { type ConnectOptions, connect } from './connections'
import { createDb, type RunQuery } from './driver'
import { explain, isLoss, lost } from './errors'
import { createHeartbeat } from './heartbeat'
import { prepareSchema } from './migrate'
import { createPrimary, type Primary, withLivenessCheck } from './primary'
import type { PrimaryPool } from './primaryPool'
import type { ReadCaller } from './readPool'
import { rejectTransactionPooler } from './transactionPooler'
import { createTransact } from './transactions'

const POOL = 16
/** Time limit for finding a primary at the start. */
const OPEN_LIMIT_MS = 5_000
const PING_LIMIT_MS = 800
/** Shorter than the limit: a late timer, after this process was busy, counts as one step. */
const PING_STEP_MS = 100
const { text: PING_SQL } = toText(sql`select 1 from ${systems} limit 1`, postgresDialect)
/** Maximum number of concurrent snapshots, each of which needs a connection. */
const MAX_SNAPSHOTS = 4

export function openServer(
  url: string,
  {
    durability = 'full',
    renderJson,
    use = 'upgrade',
    server = {},
    observer,
    clock = systemClock,
  }: OpenOptions,
): Storage {
  const { pool = POOL, password, rootCert = '' } = server
  const address = parseAddress(url, password)
  const session = {
    synchronous_commit: durability === 'full' ? 'on' : 'off',
    lock_timeout: '30s',
    // Terminate sessions that stay idle in a transaction, so that they do not hold row locks.
    idle_in_transaction_session_timeout: '5s',
    // Every statement looks up a few rows by an index, and planning would take as long as that.
    plan_cache_mode: 'force_generic_plan',
    random_page_cost: '1.1',
    jit: 'off',
    // All three read whole tables. The planner underestimates that while tables are small or
    // unanalysed, and keeps the plan while they grow.
    enable_mergejoin: 'off',
    enable_hashjoin: 'off',
    enable_seqscan: 'off',
    // Without sequential scans the planner overestimates costs and would start parallel workers.
    max_parallel_workers_per_gather: '0',
  }
  const options: ConnectOptions = { address, pool, rootCert, session, clock }
  const primary = createPrimary(options)
  const heartbeat = createHeartbeat(primary, clock)
  const open = async () => {
    await primary.discover(OPEN_LIMIT_MS)
    const host = hostOf(primary)
    await rejectTransactionPooler(options, host)
    const connection = connect(options, host, 1)
    const preparing = withLivenessCheck(options, host, prepareSchema(connection, address, use))
    const upgrade = await preparing.catch((cause) => {
      connection.close()
      throw cause
    })
    heartbeat.start()
    return upgrade
  }
  const writeStats: WriteStats = { waiting: 0 }
  const ready = open()
  // Prevents an unhandled rejection; callers await `ready` themselves.
  ready.catch(() => {})
  let isOpen = false
  ready.then(
    () => {
      isOpen = true
    },
    () => {},
  )

  /** Caller of the request that is being answered. */
  const callers = new AsyncLocalStorage<ReadCaller>()
  const queryWith =
    (
      run: <Row>(pool: PrimaryPool, ...statement: Parameters<RunQuery>) => Promise<Row[]>,
    ): RunQuery =>
    async (...statement) => {
      if (!isOpen) await ready
      try {
        return await run(primary.current(), ...statement)
      } catch (cause) {
        throw explain(cause)
      }
    }
  const runQuery = queryWith((pool, text, values) => pool.query(text, values, callers.getStore()))
  const probe = queryWith((pool, text, values) => pool.probe(text, values))

  const cancelAbandoned = () => {
    try {
      primary.current().cancelAbandoned()
    } catch {
      // There is no primary, so no statement runs.
    }
  }
  /** Not on the connections of reads, which may all be busy although the server is healthy. */
  const ping = async (): Promise<DomainError | null> => {
    const result = probe(PING_SQL, []).then(
      () => null,
      (cause): DomainError =>
        toUnavailable(cause) ?? unavailable('the database does not answer', 60_000),
    )
    for (let silentMs = 0; silentMs < PING_LIMIT_MS; silentMs += PING_STEP_MS) {
      const answer = await withTimeout(result, PING_STEP_MS, () => undefined, clock)
      if (answer !== undefined) return answer
    }
    return unavailable('the database does not answer', 2_000)
  }
  let pinging: Promise<DomainError | null> | null = null

  return {
    location: address.name,
    ready,
    db: createDb(runQuery, renderJson),
    sharedRead: heartbeat.sharedRead,
    async readFor({ signal }, work) {
      const caller: ReadCaller = { signal }
      signal.addEventListener('abort', cancelAbandoned)
      try {
        return await callers.run(caller, work)
      } finally {
        // Work that the read began for others goes on.
        caller.signal = null
      }
    },
    transact: createTransact({
      primary,
      clock,
      ready,
      renderJson,
      invalidateCredentials: heartbeat.invalidateCredentials,
      writeStats,
      observer,
    }),
    snapshot: createSnapshot(primary, ready),
    changes: heartbeat.changes,
    writeStats,
    checkHealth() {
      pinging ??= ping().finally(() => {
        pinging = null
      })
      return pinging
    },
    toUnavailable,
    async close() {
      heartbeat.stop()
      await ready.catch(() => {})
      primary.close()
    },
  }
}

function toUnavailable(cause: unknown): DomainError | null {
  const explained = explain(cause) as DomainError
  return explained.kind === 'unavailable' ? explained : null
}

function hostOf(primary: Primary) {
  if (!primary.host) throw lost()
  return primary.host
}

/**
 * The client that downloads an export may be slow, and a read-only transaction holds no row locks.
 */
const LONG_READ = 'set local idle_in_transaction_session_timeout = 0'

function createSnapshot(primary: Primary, opened: Promise<unknown>): Snapshot {
  const queue: (() => void)[] = []
  let free = MAX_SNAPSHOTS
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((begin) => queue.push(begin))
    try {
      return await withSnapshot(work)
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }

  async function withSnapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await opened
    const connection = await primary.current().openDedicated()
    try {
      await connection.exec(`begin isolation level repeatable read read only; ${LONG_READ}`)
      return await work(createDb(connection.query))
    } catch (cause) {
      throw isLoss(cause) ? lost() : cause
    } finally {
      connection.release(false)
    }
  }
}
