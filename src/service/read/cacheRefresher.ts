import { tryLockSystem } from '../../db/locks'
import { type RenderedTable, renderAndStore } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import type { Deps } from '../deps'
import { groupRepository } from '../groups'
import { memberRepository } from '../members'
import { findSystemById } from '../systems'

/** Puts missing faces beside their rows, when nobody waits for it. */
export interface CacheRefresher {
  /** A reader came by a row without a face. */
  enqueue(table: RenderedTable, id: number): void
  stop(): Promise<void>
}

const BATCH = 20

/** Where two releases work on one file, each takes the other's faces for none. */
const RETRY_AFTER_MS = 60_000
const MAX_QUEUED = 100_000

export function createCacheRefresher({ transact }: Pick<Deps, 'transact'>): CacheRefresher {
  const waiting: { table: RenderedTable; id: number }[] = []
  const mendedAt = new Map<string, number>()
  let working: Promise<void> | undefined
  let isStopped = false

  const work = async () => {
    while (waiting.length > 0 && !isStopped) {
      // After the answers that are being made.
      await new Promise((resolve) => setImmediate(resolve))
      const some = waiting.splice(0, BATCH)
      await transact(
        'new',
        async (tx) => {
          for (const { table, id } of some) await refresh(tx, table, id)
        },
        'slice',
      )
    }
  }

  const begin = () => {
    // Where nothing can be written, reading goes on without faces.
    working ??= work()
      .catch(() => void waiting.splice(0))
      .finally(() => {
        working = undefined
        // Somebody may have asked after the last look.
        if (waiting.length > 0 && !isStopped) begin()
      })
  }

  return {
    enqueue(table, id) {
      const name = `${table} ${id}`
      const now = performance.now()
      if (isStopped || now - (mendedAt.get(name) ?? -Infinity) < RETRY_AFTER_MS) return
      if (mendedAt.size >= MAX_QUEUED) mendedAt.clear()
      mendedAt.set(name, now)
      waiting.push({ table, id })
      begin()
    },
    async stop() {
      isStopped = true
      await working
    },
  }
}

/** From the row as it is now, not as the reader saw it: meanwhile something may have become private. */
async function refresh(tx: Db, table: RenderedTable, id: number): Promise<void> {
  const found = await find[table](tx, id)
  if (!found) return
  // Nobody changes it from here on (who does just now mends it, too), so that an older face cannot be put over a newer one.
  if (!(await tryLockSystem(tx, 'system_id' in found ? found.system_id : found.id))) return
  const row = await find[table](tx, id)
  if (row) await renderAndStore(tx, table, row)
}

const find = {
  systems: findSystemById,
  members: memberRepository.findById,
  groups: groupRepository.findById,
}
