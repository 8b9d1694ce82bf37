import type { ReservedSQL, SQL } from 'bun'
import type { Db, Value } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connect } from './connections'
import type { RunQuery } from './driver'
import { isLoss, lost } from './errors'
import { createReadPool, type ReadPool } from './readPool'

/**
 * Long, because this timeout is a fallback: the heartbeat detects an unresponsive server sooner, and
 * ignores time during which this process was suspended.
 */
const WATCHED_CONNECT_LIMIT_S = 30

export function query<Row>(
  sql: Pick<SQL, 'unsafe'>,
  text: string,
  values: Value[],
): Promise<Row[]> {
  return sql.unsafe<Row[]>(text, values.map(withoutNul))
}

/**
 * Replaces NUL, which PostgreSQL rejects. No stored text contains it, so a lookup finds nothing
 * either way.
 */
function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\ufffd')
    : value
}

/** Connection that one transaction or snapshot uses at a time. */
export interface PooledConnection {
  readonly query: RunQuery
  /** Handle whose prepared statements belong to this connection. */
  db?: Db
  /** True if the current transaction revoked credentials. */
  hasRevokedCredentials?: boolean
  /** Runs statements without values in one message. */
  exec(sql: string): Promise<unknown>
  /** Returns the connection to the pool, or closes it if it is not healthy. */
  release(isHealthy: boolean): void
}

/** Connections to one primary. When the primary is lost, all pending queries fail. */
export interface PrimaryPool {
  readonly query: ReadPool['query']
  readonly cancelAbandoned: ReadPool['cancelAbandoned']
  /** Runs on a separate connection, so that it is answered even if the others are busy. */
  readonly probe: RunQuery
  /** Returns a connection for a transaction as soon as one is free. */
  acquire(): Promise<PooledConnection>
  /** Opens a connection for long work, which is closed on release. */
  openDedicated(): Promise<PooledConnection>
  end(): void
}

export function createPrimaryPool(
  options: ConnectOptions,
  host: Host,
  onLoss: () => void,
): PrimaryPool {
  const writers = Math.max(1, options.pool >> 1)
  const connectTo = (max: number) => connect(options, host, max, WATCHED_CONNECT_LIMIT_S)
  const writes = connectTo(writers)
  const probes = connectTo(1)
  /** Rejects the pending queries when the pool ends. */
  const pendingRejects = new Set<(cause: unknown) => void>()
  const free: PooledConnection[] = []
  const queue: {
    resolve: (connection: PooledConnection) => void
    reject: (cause: unknown) => void
  }[] = []
  let openCount = 0
  let isClosed = false

  /** Awaits a query, and rejects when the primary is lost. */
  const track = <T>(query: () => Promise<T>, isRelevant = () => true): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(lost())
      pendingRejects.add(reject)
      query().then(
        (result) => {
          pendingRejects.delete(reject)
          resolve(result)
        },
        (cause) => {
          pendingRejects.delete(reject)
          if (isLoss(cause) && !isClosed && isRelevant()) onLoss()
          reject(cause)
        },
      )
    })

  const queryOn =
    (sql: Pick<SQL, 'unsafe'>, isRelevant?: () => boolean): RunQuery =>
    (text, values) =>
      track(() => query(sql, text, values), isRelevant)

  const probe = queryOn(probes)
  const readers = createReadPool({
    count: Math.max(1, options.pool - writers),
    clock: options.clock,
    connect: () => connectTo(1),
    queryOn,
    cancel: (processId) => probe('select pg_cancel_backend($1)', [processId]),
  })

  const wrapConnection = (
    reserved: ReservedSQL,
    onRelease: (connection: PooledConnection, isHealthy: boolean) => void,
  ): PooledConnection => {
    // An error on a discarded connection does not mean that the primary is lost.
    let isDiscarded = false
    const isRelevant = () => !isDiscarded
    const connection: PooledConnection = {
      query: queryOn(reserved, isRelevant),
      exec: (sql) => track(() => reserved.unsafe(sql).simple(), isRelevant),
      release(isHealthy) {
        if (!isHealthy) {
          isDiscarded = true
          void reserved.close({ timeout: 0 }).catch(() => {})
        }
        onRelease(connection, isHealthy)
      },
    }
    return connection
  }

  const handOver = (connection: PooledConnection) => {
    const next = queue.shift()
    if (next) next.resolve(connection)
    else free.push(connection)
  }

  /** Opens a new connection for the next waiting transaction in place of a closed one. */
  const replace = () => {
    openCount--
    const next = isClosed ? undefined : queue.shift()
    if (next) openConnection().then(next.resolve, next.reject)
  }

  const openConnection = async (): Promise<PooledConnection> => {
    openCount++
    try {
      const reserved = await track(() => writes.reserve())
      return wrapConnection(reserved, (connection, isHealthy) => {
        if (isClosed) return
        if (isHealthy) handOver(connection)
        else replace()
      })
    } catch (cause) {
      replace()
      throw cause
    }
  }

  return {
    query: readers.query,
    cancelAbandoned: readers.cancelAbandoned,
    probe,
    async openDedicated() {
      const pool = connectTo(1)
      try {
        return wrapConnection(await track(() => pool.reserve()), pool.close)
      } catch (cause) {
        pool.close()
        throw cause
      }
    },
    acquire() {
      const connection = free.pop()
      if (connection) return Promise.resolve(connection)
      if (openCount < writers) return openConnection()
      return new Promise((resolve, reject) => {
        queue.push({ resolve, reject })
      })
    },
    end() {
      isClosed = true
      for (const reject of pendingRejects) reject(lost())
      for (const { reject } of queue) reject(lost())
      pendingRejects.clear()
      readers.close()
      for (const pool of [writes, probes]) pool.close()
    },
  }
}
