import { type DomainError, unavailable } from '../../model/errors'
import type { RenderJson } from '../../model/renderedJson'
import type { SchemaUse } from '../schema'
import type { Durability, Snapshot, Storage, WriteStats } from '../storage'
import type { Db } from '../types'
import { parseAddress } from './address'
import { type ConnectOptions, connect } from './connections'
import { createDb, type RunQuery } from './driver'
import { explain, isLoss, lost } from './errors'
import { createHeartbeat } from './heartbeat'
import { prepareSchema } from './migrate'
import { createPrimary, type Primary, withLivenessCheck } from './primary'
import { rejectTransactionPooler } from './transactionPooler'
import { createTransact } from './transactions'

export interface ServerOptions {
  /** How many connections this node may have. */
  readonly pool?: number
  /** Where the address has none. */
  readonly password?: string
  readonly rootCert?: string
}

const POOL = 16
/** How long a server that is not there is waited for at the start. */
const OPEN_LIMIT_MS = 5_000
const PING_LIMIT_MS = 800
/** How many see the database as of one moment at the same time, each by a connection of its own. */
const MAX_SNAPSHOTS = 4

export function openServer(
  url: string,
  durability: Durability,
  renderJson: RenderJson | undefined,
  { pool = POOL, password, rootCert = '' }: ServerOptions,
  use: SchemaUse = 'upgrade',
): Storage {
  const address = parseAddress(url, password)
  const session = {
    synchronous_commit: durability === 'full' ? 'on' : 'off',
    lock_timeout: '30s',
    // Who falls asleep in the middle holds up nobody for long.
    idle_in_transaction_session_timeout: '5s',
    // Every statement looks up a few rows by an index: planning it anew would take as long.
    plan_cache_mode: 'force_generic_plan',
    random_page_cost: '1.1',
    jit: 'off',
    // All three read whole tables. The planner takes that for cheap as long as tables are small or
    // were never analysed, and keeps the plan while they grow.
    enable_mergejoin: 'off',
    enable_hashjoin: 'off',
    enable_seqscan: 'off',
    // Without sequential scans the planner overestimates costs and would start parallel workers.
    max_parallel_workers_per_gather: '0',
  }
  const means: ConnectOptions = { address, pool, rootCert, session }
  const primary = createPrimary(means)
  const beat = createHeartbeat(primary)
  const open = async () => {
    await primary.discover(OPEN_LIMIT_MS)
    const host = hostOf(primary)
    await rejectTransactionPooler(means, host)
    const line = connect(means, host, 1)
    const preparing = withLivenessCheck(means, host, prepareSchema(line, address, use))
    const upgrade = await preparing.catch((cause) => {
      line.close()
      throw cause
    })
    beat.start()
    return upgrade
  }
  const writeStats: WriteStats = { waiting: 0 }
  const ready = open()
  // Whoever asks is told.
  ready.catch(() => {})
  let isOpen = false
  ready.then(
    () => {
      isOpen = true
    },
    () => {},
  )

  const ask: RunQuery = async (sql, values, shape) => {
    if (!isOpen) await ready
    try {
      return await primary.current().query(sql, values, shape)
    } catch (cause) {
      throw explain(cause)
    }
  }

  return {
    location: address.name,
    ready,
    db: createDb(ask, renderJson),
    sharedRead: beat.sharedRead,
    transact: createTransact({
      primary,
      ready,
      renderJson,
      invalidateCredentials: beat.invalidateCredentials,
      writeStats,
    }),
    snapshot: takeSnapshots(primary, ready),
    changes: beat.changes,
    writeStats,
    async checkHealth() {
      const late = unavailable('the database does not answer', 2_000)
      const slow = Bun.sleep(PING_LIMIT_MS).then(() => late)
      const answer = ask('select 1 from systems limit 1', []).then(
        () => null,
        (cause): DomainError =>
          toUnavailable(cause) ?? unavailable('the database does not answer', 60_000),
      )
      return Promise.race([answer, slow])
    },
    toUnavailable,
    async close() {
      beat.stop()
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

/** Whoever takes it away may be slow, and holds nothing. */
const LONG_READ = 'set local idle_in_transaction_session_timeout = 0'

function takeSnapshots(primary: Primary, opened: Promise<unknown>): Snapshot {
  const inQueue: (() => void)[] = []
  let free = MAX_SNAPSHOTS
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((begin) => inQueue.push(begin))
    try {
      return await withSnapshot(work)
    } finally {
      const next = inQueue.shift()
      if (next) next()
      else free++
    }
  }

  async function withSnapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await opened
    const line = await primary.current().openDedicated()
    try {
      await line.exec(`begin isolation level repeatable read read only; ${LONG_READ}`)
      return await work(createDb(line.query))
    } catch (cause) {
      throw isLoss(cause) ? lost() : cause
    } finally {
      line.release(false)
    }
  }
}
