import { type Instant, SECOND } from '../../model/core/time'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import { recordActivity } from '../../store/core/activity'
import { deleteMessage, listMessagesAfter, type MessageTime } from '../../store/proxy/messageRows'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'

/** Number of records that are read together. */
const BATCH = 500
/** The pause after a batch is this many times as long as the batch took. */
const PAUSE_FACTOR = 9
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 5_000

/** Removes old records of messages every hour. Returns null if they are kept for ever (`keepMs`). */
export function startMessageRetention(
  deps: Deps,
  { keepMs, ...leader }: LeaderOptions & { readonly keepMs: number | null },
): PeriodicTask | null {
  if (keepMs === null) return null
  return startLeaderTask(deps, leader, {
    name: 'message cleanup',
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    run: (isStopped) => removeOldMessages(deps, deps.now() - (keepMs * SECOND) / 1000, isStopped),
  })
}

/**
 * Removes records older than a time and returns their number. It scans all records by ID, because an
 * index by time would slow down every new message.
 */
export async function removeOldMessages(
  deps: Deps,
  before: Instant,
  isStopped = () => false,
): Promise<number> {
  let last = ''
  let removed = 0
  while (!isStopped()) {
    const began = deps.clock.monotonic()
    const rows = await listMessagesAfter(deps.db, last, BATCH)
    const old = rows.filter(({ timestamp }) => timestamp < before)
    if (old.length > 0) await remove(deps, old)
    removed += old.length
    last = rows.at(-1)?.id ?? last
    if (rows.length < BATCH) return removed
    await deps.clock.sleep((deps.clock.monotonic() - began) * PAUSE_FACTOR)
  }
  return removed
}

/** Deletes records, and stores the latest time of each system as its last activity. */
async function remove(deps: Deps, old: readonly MessageTime[]): Promise<void> {
  const lastActive = new Map<number, Instant>()
  for (const { system_id, timestamp } of old)
    lastActive.set(system_id, Math.max(timestamp, lastActive.get(system_id) ?? 0))
  await deps.transact(
    'new',
    async (tx) => {
      for (const { id } of old) await deleteMessage(tx, id)
      for (const [system, at] of lastActive) await recordActivity(tx, system, at)
    },
    'slice',
  )
}
