import { keepActivity } from '../../db/activity'
import { statement } from '../../db/statement'
import { type Instant, SECOND } from '../../model/time'
import type { Deps } from '../deps'

/** How many records are looked at together. */
const BATCH = 500
/** So much longer than a slice took, others have the machine for themselves. */
const PAUSE_MS = 9
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 5_000

interface RetentionOptions {
  /** For how long records are kept, in milliseconds; null for ever. */
  readonly keepMs: number | null
  /** Whether this process is the one of all on the same data that removes them. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

/** Removes records of messages that are too old, every so often. Gives how to end that. */
export function startMessageRetention(
  deps: Deps,
  { keepMs, isLeader, warn }: RetentionOptions,
  firstMs = FIRST_MS,
): () => Promise<void> {
  if (keepMs === null) return async () => {}
  let isEnded = false
  let working: Promise<void> | undefined
  const mayNot = () => isEnded || !isLeader()
  const work = () => {
    if (mayNot()) return
    working ??= removeOldMessages(deps, deps.now() - (keepMs * SECOND) / 1000, mayNot)
      .then(() => {})
      .catch((cause) => warn('old messages could not be removed', { cause: String(cause) }))
      .then(() => {
        working = undefined
      })
  }
  const once = setTimeout(work, firstMs)
  const again = setInterval(work, REPEAT_MS)
  once.unref()
  again.unref()
  return async () => {
    isEnded = true
    clearTimeout(once)
    clearInterval(again)
    await working
  }
}

/**
 * Goes through all records by their IDs: an index by time would cost every message that is sent,
 * and there is no hurry. Gives how many went.
 */
export async function removeOldMessages(
  deps: Deps,
  before: Instant,
  isStopped = () => false,
): Promise<number> {
  let last = ''
  let gone = 0
  while (!isStopped()) {
    const began = performance.now()
    const rows = await following(deps.db).all({ id: last, limit: BATCH })
    const old = rows.filter(({ timestamp }) => timestamp < before)
    if (old.length > 0) await remove(deps, old)
    gone += old.length
    last = rows.at(-1)?.id ?? last
    if (rows.length < BATCH) return gone
    await Bun.sleep((performance.now() - began) * PAUSE_MS)
  }
  return gone
}

interface Old {
  id: string
  system_id: number
  timestamp: Instant
}

/** When somebody last spoke is known afterwards, too. */
async function remove(deps: Deps, old: readonly Old[]): Promise<void> {
  const spoken = new Map<number, Instant>()
  for (const { system_id, timestamp } of old)
    spoken.set(system_id, Math.max(timestamp, spoken.get(system_id) ?? 0))
  await deps.transact(
    'new',
    async (tx) => {
      for (const { id } of old) await removeOne(tx).run({ id })
      for (const [system, at] of spoken) await keepActivity(tx).run({ system, at })
    },
    'slice',
  )
}

const following = statement<'id' | 'limit', Old>(
  'select id, system_id, timestamp from messages where id > :id order by id limit :limit',
)

const removeOne = statement<'id'>('delete from messages where id = :id')
