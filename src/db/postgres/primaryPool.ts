import type { ReservedSQL, SQL } from 'bun'
import type { Db, Value } from '../types'
import type { Host } from './address'
import { type ConnectOptions, connect } from './connections'
import type { RunQuery } from './driver'
import { isLoss, lost } from './errors'
import { createReadPool } from './readPool'

/** Whether the server is there the beat finds out, who can tell its silence from our own sleep. */
const WATCHED_CONNECT_LIMIT_S = 30

/** Rows as objects, or as lists of their values. */
export function query<Row>(
  sql: Pick<SQL, 'unsafe'>,
  text: string,
  values: Value[],
  shape?: 'lists',
): Promise<Row[]> {
  const asked = sql.unsafe<Row[]>(text, values.map(withoutNul))
  return shape === 'lists' ? asked.values() : asked
}

/** The server takes none. No text that is kept has one, so what is looked up by it is not there. */
function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\ufffd')
    : value
}

/** A connection that only one piece of work uses at a time. */
export interface PooledConnection {
  readonly query: RunQuery
  /** The handle that statements are kept ready for on it. */
  db?: Db
  /** Whether what is being done on it ended a token or the like. */
  hasRevokedCredentials?: boolean
  /** Statements without values, in one message. */
  exec(sql: string): Promise<unknown>
  /** It may be used again, or must not be. */
  release(isWell: boolean): void
}

/** One primary, until it is lost: everything that was asked of it ends with it. */
export interface PrimaryPool {
  readonly query: RunQuery
  /** By a connection of its own, so that it is answered however busy the others are. */
  readonly probe: RunQuery
  /** A line for a writer, once one is free. */
  acquire(): Promise<PooledConnection>
  /** A connection for long work, which is closed when it is left. */
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
  const beside = connectTo(1)
  /** How those are told that it ended who wait for an answer. */
  const waiting = new Set<(cause: unknown) => void>()
  const free: PooledConnection[] = []
  const inQueue: { give: (line: PooledConnection) => void; refuse: (cause: unknown) => void }[] = []
  let made = 0
  let isOver = false

  /** The answer, or that there will be none. */
  const follow = <T>(query: () => Promise<T>, isOfInterest = () => true): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(lost())
      waiting.add(reject)
      query().then(
        (answer) => {
          waiting.delete(reject)
          resolve(answer)
        },
        (cause) => {
          waiting.delete(reject)
          if (isLoss(cause) && !isOver && isOfInterest()) onLoss()
          reject(cause)
        },
      )
    })

  const askOn =
    (sql: Pick<SQL, 'unsafe'>, isOfInterest?: () => boolean): RunQuery =>
    (text, values, shape) =>
      follow(() => query(sql, text, values, shape), isOfInterest)

  const readers = createReadPool(Math.max(1, options.pool - writers), () => connectTo(1), askOn)

  const lineOf = (
    own: ReservedSQL,
    leaveIt: (line: PooledConnection, isWell: boolean) => void,
  ): PooledConnection => {
    // What is heard from a connection after it was given up says nothing about the others.
    let isGivenUp = false
    const isOfInterest = () => !isGivenUp
    const line: PooledConnection = {
      query: askOn(own, isOfInterest),
      exec: (sql) => follow(() => own.unsafe(sql).simple(), isOfInterest),
      release(isWell) {
        if (!isWell) {
          isGivenUp = true
          void own.close({ timeout: 0 }).catch(() => {})
        }
        leaveIt(line, isWell)
      },
    }
    return line
  }

  const pass = (line: PooledConnection) => {
    const next = inQueue.shift()
    if (next) next.give(line)
    else free.push(line)
  }

  /** Whoever waits for a line must not wait for one that is gone. */
  const replace = () => {
    made--
    const next = isOver ? undefined : inQueue.shift()
    if (next) makeLine().then(next.give, next.refuse)
  }

  const makeLine = async (): Promise<PooledConnection> => {
    made++
    try {
      const own = await follow(() => writes.reserve())
      return lineOf(own, (line, isWell) => {
        if (isOver) return
        if (isWell) pass(line)
        else replace()
      })
    } catch (cause) {
      replace()
      throw cause
    }
  }

  return {
    query: readers.query,
    probe: askOn(beside),
    async openDedicated() {
      const pool = connectTo(1)
      try {
        return lineOf(await follow(() => pool.reserve()), pool.close)
      } catch (cause) {
        pool.close()
        throw cause
      }
    },
    acquire() {
      const line = free.pop()
      if (line) return Promise.resolve(line)
      if (made < writers) return makeLine()
      return new Promise((give, refuse) => {
        inQueue.push({ give, refuse })
      })
    },
    end() {
      isOver = true
      for (const refuse of waiting) refuse(lost())
      for (const { refuse } of inQueue) refuse(lost())
      waiting.clear()
      readers.close()
      for (const pool of [writes, beside]) pool.close()
    },
  }
}
