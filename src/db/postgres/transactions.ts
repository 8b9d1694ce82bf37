import { isUnavailable } from '../../model/errors'
import type { RenderJson } from '../../model/renderedJson'
import type { Db } from '../handle'
import { createLines } from '../lines'
import type { Subject, Transact, WorkKind, WriteLoad } from '../storage'
import { createDb } from './driver'
import type { Line } from './era'
import type { Primary } from './primary'
import { explain, isLoss, isWorthRepeating, unknownOutcome } from './trouble'

/** How often work is done again that met somebody else's. */
const MOST_TRIES = 4
/** A commit that takes longer waits for a standby that is not there. */
const COMMIT_LIMIT_MS = 3_000
/** Much has to reach that standby first. */
const LONG_COMMIT_LIMIT_MS = 60_000

export interface TransactionParts {
  readonly primary: Primary
  readonly opened: Promise<unknown>
  readonly render: RenderJson | undefined
  /** Told when a token or the like was ended here. */
  readonly noteKeys: () => void
  readonly writeLoad: WriteLoad
}

/**
 * Every transaction begins by holding the row of its subject: what reads and then decides does so
 * in a world with one writer, on whichever node, and nobody else waits for it.
 */
export function createTransact({
  primary,
  opened,
  render,
  noteKeys,
  writeLoad,
}: TransactionParts): Transact {
  // Who would wait for the same row waits here, without a connection.
  const inLine = createLines<string>()

  const writerOn = (line: Line): Db => {
    line.db ??= createDb(line.ask, render, (name) => {
      if (name === 'keys') line.hasEndedKeys = true
    })
    return line.db
  }

  const attempt = async <T>(
    of: Subject,
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
  ): Promise<T> => {
    await opened
    const line = await primary.current().takeLine()
    line.hasEndedKeys = false
    // Not waited for: what the work asks first follows in the same breath.
    const begun = line.say(beginning(of, kind))
    begun.catch(() => {})
    try {
      const result = await work(writerOn(line))
      await begun
      const committing = performance.now()
      await commit(line, kind).catch((cause) => {
        writeLoad.meter?.noteFailedCommit()
        throw cause
      })
      writeLoad.meter?.noteCommit(1, (performance.now() - committing) / 1000)
      if (line.hasEndedKeys) noteKeys()
      line.leave(true)
      return result
    } catch (cause) {
      await undo(line, cause)
      // What came of a beginning that failed says nothing.
      await begun
      throw cause
    }
  }

  const insist = async <T>(
    of: Subject,
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
  ): Promise<T> => {
    for (let tries = 1; ; tries++)
      try {
        return await attempt(of, work, kind)
      } catch (cause) {
        if (tries === MOST_TRIES || !isWorthRepeating(cause)) throw explain(cause)
      }
  }

  return (of, work, kind) => {
    writeLoad.waiting++
    const doFor = (whom: Subject) =>
      whom === 'new'
        ? insist(whom, work, kind)
        : inLine(keyOf(whom), () => insist(whom, work, kind))
    const done = typeof of === 'function' ? of().then(doFor) : doFor(of)
    return done.finally(() => {
      writeLoad.waiting--
    })
  }
}

async function commit(line: Line, kind: WorkKind | undefined): Promise<void> {
  let isLate = false
  const late = Promise.withResolvers<never>()
  const limit = kind === 'long' ? LONG_COMMIT_LIMIT_MS : COMMIT_LIMIT_MS
  const timer = setTimeout(() => {
    isLate = true
    late.reject(unknownOutcome())
  }, limit)
  try {
    await Promise.race([line.say('commit'), late.promise])
  } catch (cause) {
    throw isLate || isLoss(cause) || isUnavailable(cause) ? unknownOutcome() : cause
  } finally {
    clearTimeout(timer)
  }
}

async function undo(line: Line, cause: unknown): Promise<void> {
  if (isLoss(cause) || isUnavailable(cause)) return line.leave(false)
  try {
    await line.say('rollback')
    line.leave(true)
  } catch {
    line.leave(false)
  }
}

const ofKind = {
  short: '',
  // What need not survive a power cut is not waited for.
  slice: '; set local synchronous_commit = off',
  long: `; set local idle_in_transaction_session_timeout = '60s'`,
}

function beginning(of: Subject, kind: WorkKind | undefined): string {
  const begin = `begin${ofKind[kind ?? 'short']}`
  if (of === 'new') return begin
  if (typeof of === 'object' && 'system' in of)
    return `${begin}; select id from systems where id = ${Number(of.system)} for no key update`
  return `${begin}; select pg_advisory_xact_lock(${lockOf(keyOf(of))})`
}

function keyOf(of: Exclude<Subject, 'new'>): string {
  if (typeof of === 'string') return of
  if ('system' in of) return `system ${of.system}`
  return 'guild' in of ? `guild ${of.guild}` : `account ${of.account}`
}

/** Two that share a number only wait for each other. */
function lockOf(key: string): number {
  return Bun.hash.crc32(key)
}
