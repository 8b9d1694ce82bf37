import { tryLockSystem } from '../../db/locks'
import { type RenderedTable, renderAndStore } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import { yieldToEventLoop } from '../../db/yieldToEventLoop'
import { findEntityById } from '../../store/core/entityRows'
import { groupRowKind } from '../../store/groups/groupRows'
import { findCacheableMemberExt } from '../../store/members/memberExtRows'
import { memberRowKind } from '../../store/members/memberRows'
import { findSystemById } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'

/** Renders missing JSON of rows in the background. */
export interface CacheRefresher {
  /** Schedules a row after a cache miss. */
  enqueue(table: RenderedTable, id: number): void
  stop(): Promise<void>
}

const BATCH = 20

/** Two releases on one file do not use each other's rendered JSON and would refresh it in turns. */
const RETRY_AFTER_MS = 60_000
const MAX_QUEUED = 100_000

export function createCacheRefresher({
  transact,
  clock,
}: Pick<Deps, 'transact' | 'clock'>): CacheRefresher {
  const queue: { table: RenderedTable; id: number }[] = []
  const queuedAt = new Map<string, number>()
  let working: Promise<void> | undefined
  let isStopped = false

  const work = async () => {
    while (queue.length > 0 && !isStopped) {
      // Let pending responses finish first.
      await yieldToEventLoop()
      const batch = queue.splice(0, BATCH)
      await transact(
        'new',
        async (tx) => {
          for (const { table, id } of batch) await refresh(tx, table, id)
        },
        'slice',
      )
    }
  }

  const begin = () => {
    // If the database is not writable, reads continue without the cache.
    working ??= work()
      .catch(() => void queue.splice(0))
      .finally(() => {
        working = undefined
        // Rows may have been queued since the loop ended.
        if (queue.length > 0 && !isStopped) begin()
      })
  }

  return {
    enqueue(table, id) {
      const name = `${table} ${id}`
      const now = clock.monotonic()
      if (isStopped || now - (queuedAt.get(name) ?? -Infinity) < RETRY_AFTER_MS) return
      if (queuedAt.size >= MAX_QUEUED) queuedAt.clear()
      queuedAt.set(name, now)
      queue.push({ table, id })
      begin()
    },
    async stop() {
      isStopped = true
      await working
    },
  }
}

/** Renders the current row, not the one the reader saw: a value may have become private since. */
async function refresh(tx: Db, table: RenderedTable, id: number): Promise<void> {
  const candidate = await find[table](tx, id)
  if (!candidate) return
  // The lock prevents older JSON from replacing newer. A transaction that holds it renders the row.
  if (!(await tryLockSystem(tx, 'system_id' in candidate ? candidate.system_id : candidate.id)))
    return
  const row = await find[table](tx, id)
  if (row) await renderAndStore(tx, table, row)
}

const find = {
  systems: findSystemById,
  members: (tx: Db, id: number) => findEntityById(tx, memberRowKind, id),
  groups: (tx: Db, id: number) => findEntityById(tx, groupRowKind, id),
  memberExts: findCacheableMemberExt,
}
