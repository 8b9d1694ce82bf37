import type { ReservedSQL, SQL } from 'bun'
import type { Db, Value } from '../handle'
import type { Host } from './address'
import { connect, type Means } from './connections'
import type { Ask } from './driver'
import { createReaders } from './readers'
import { isLoss, lost } from './trouble'

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
export interface Line {
  readonly ask: Ask
  /** The handle that statements are kept ready for on it. */
  db?: Db
  /** Whether what is being done on it ended a token or the like. */
  hasEndedKeys?: boolean
  /** Statements without values, in one message. */
  say(sql: string): Promise<unknown>
  /** It may be used again, or must not be. */
  leave(isWell: boolean): void
}

/** One primary, until it is lost: everything that was asked of it ends with it. */
export interface Era {
  readonly ask: Ask
  /** By a connection of its own, so that it is answered however busy the others are. */
  readonly askBeside: Ask
  /** A line for a writer, once one is free. */
  takeLine(): Promise<Line>
  /** A connection for long work, which is closed when it is left. */
  openLine(): Promise<Line>
  end(): void
}

export function createEra(means: Means, host: Host, onLoss: () => void): Era {
  const writers = Math.max(1, means.pool >> 1)
  const connectTo = (max: number) => connect(means, host, max, WATCHED_CONNECT_LIMIT_S)
  const writes = connectTo(writers)
  const beside = connectTo(1)
  /** How those are told that it ended who wait for an answer. */
  const waiting = new Set<(cause: unknown) => void>()
  const free: Line[] = []
  const inQueue: { give: (line: Line) => void; refuse: (cause: unknown) => void }[] = []
  let made = 0
  let isOver = false

  /** The answer, or that there will be none. */
  const follow = <T>(ask: () => Promise<T>, isOfInterest = () => true): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(lost())
      waiting.add(reject)
      ask().then(
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
    (sql: Pick<SQL, 'unsafe'>, isOfInterest?: () => boolean): Ask =>
    (text, values, shape) =>
      follow(() => query(sql, text, values, shape), isOfInterest)

  const readers = createReaders(Math.max(1, means.pool - writers), () => connectTo(1), askOn)

  const lineOf = (own: ReservedSQL, leaveIt: (line: Line, isWell: boolean) => void): Line => {
    // What is heard from a connection after it was given up says nothing about the others.
    let isGivenUp = false
    const isOfInterest = () => !isGivenUp
    const line: Line = {
      ask: askOn(own, isOfInterest),
      say: (sql) => follow(() => own.unsafe(sql).simple(), isOfInterest),
      leave(isWell) {
        if (!isWell) {
          isGivenUp = true
          void own.close({ timeout: 0 }).catch(() => {})
        }
        leaveIt(line, isWell)
      },
    }
    return line
  }

  const pass = (line: Line) => {
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

  const makeLine = async (): Promise<Line> => {
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
    ask: readers.ask,
    askBeside: askOn(beside),
    async openLine() {
      const pool = connectTo(1)
      try {
        return lineOf(await follow(() => pool.reserve()), pool.close)
      } catch (cause) {
        pool.close()
        throw cause
      }
    },
    takeLine() {
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
