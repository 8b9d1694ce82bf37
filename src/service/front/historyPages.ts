import type { Db } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import type { Instant } from '../../model/core/time'
import type { Lookback, Span } from '../../model/insights/replay'
import {
  type CreateYielder,
  countSwitchPointRows,
  listSwitchPointRows,
  type Names,
  replayBackwards,
  stintStartsWithin,
} from '../../store/front/replaySwitches'
import type { Deps } from '../core/deps'
import type { LongRead } from '../core/longReads'

/** Number of rows of switches and their members that are read at once, without queue or pages. */
const FEW = 2000

/** Shorter than the default, because the clock is checked only between pages. */
const YIELD_MS = 5

const withoutYielding: CreateYielder = () => async () => false

/**
 * Reads a span of the history. A short one is read at once. A long one waits in the queue and is read
 * in pages, on one snapshot because other requests may change the history in between.
 */
export async function readHistory<T>(
  { db, snapshot, longReads, clock }: Deps,
  request: LongRead,
  span: Span,
  read: (db: Db, newYielder: CreateYielder) => Promise<T>,
): Promise<T> {
  const { systemId, signal } = request
  signal?.throwIfAborted()
  const few = await countSwitchPointRows(db, systemId, span, FEW + 1)
  if (few && few.count <= FEW)
    return db.driver.dialect.hasStableReads
      ? read(db, withoutYielding)
      : snapshot((db) => read(db, withoutYielding))
  const yielding: CreateYielder = () => createYielder(YIELD_MS, signal, clock)
  return longReads(request, () => snapshot((db) => read(db, yielding)))
}

/** The whole history. */
export const ALWAYS: Span = { since: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }

/** Number of switches within which most stints began. */
const RECENT = 50

/**
 * Returns the start times of the members who front in a switch. Most stints began within the last
 * switches; a longer search waits in the queue of long reads.
 */
export async function findStintStarts(
  deps: Deps,
  request: LongRead,
  names: Names,
  at: Instant,
): Promise<Lookback['began']> {
  const { systemId } = request
  const recent = await listSwitchPointRows(deps.db, systemId, at + 1, RECENT)
  const starts = stintStartsWithin(recent, names, RECENT)
  if (starts) return starts
  return readHistory(deps, request, ALWAYS, (db, newYielder) =>
    replayBackwards(db, systemId, names, at, () => true, newYielder),
  )
}
