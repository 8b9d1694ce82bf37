import { and, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { deletedSwitches } from '../../db/tables'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { DELETED_SWITCH_KEPT } from '../../store/front/deletedSwitches'
import type { Deps } from '../core/deps'

/** Number of deleted switches of one system that are remembered. */
export const MAX_DELETED_SWITCHES = 10_000

const BATCH = 500
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 10_000

interface CleanupOptions {
  /** Returns true in the one process, of all on the same database, that removes them. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

/** Removes records of deleted switches every hour. */
export function startDeletedSwitchCleanup(
  deps: Deps,
  { isLeader, warn }: CleanupOptions,
): PeriodicTask {
  return startPeriodicTask({
    clock: deps.clock,
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    mayRun: isLeader,
    run: (isStopped) => pruneDeletedSwitches(deps, isStopped),
    onError: (cause) => warn('cleanup of deleted switches failed', { cause: String(cause) }),
  })
}

/** Removes records that are too old, and the oldest of systems that have too many. */
export async function pruneDeletedSwitches(deps: Deps, isStopped = () => false): Promise<void> {
  const before = deps.now() - DELETED_SWITCH_KEPT
  const inBatches = async (
    remove: typeof deleteOld,
    values: { before: number; system: number },
  ) => {
    while (!isStopped()) {
      const removed = await deps.transact(
        'new',
        async (tx) => (await remove(tx).all({ ...values, limit: BATCH })).length,
        'slice',
      )
      if (removed < BATCH) return
    }
  }
  await inBatches(deleteOld, { before, system: 0 })
  for (let system = 0; !isStopped(); ) {
    const next = await nextSystem(deps.db).get({ system })
    if (!next) return
    system = next.system_id
    const kept = await newestBut(deps.db).get({ system, many: MAX_DELETED_SWITCHES - 1 })
    if (kept) await inBatches(deleteExcess, { before: kept.at, system })
  }
}

const { system_id, uuid, at } = deletedSwitches

const nextSystem = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ system_id })
    .from(deletedSwitches)
    .where(gt(system_id, system))
    .orderBy(system_id)
    .limit(1),
)

const newestBut = query((db, { system, many }: Placeholders<'system' | 'many'>) =>
  db
    .select({ at })
    .from(deletedSwitches)
    .where(eq(system_id, system))
    .orderBy(desc(at))
    .limit(1)
    .offset(many),
)

/** UUIDs of several systems may be equal, which does not matter for records that are too old. */
const deleteOld = query((db, values: Placeholders<'before' | 'system' | 'limit'>) => {
  const some = db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(lt(at, values.before), gt(system_id, values.system)))
    .limit(values.limit)
  return db
    .delete(deletedSwitches)
    .where(and(lt(at, values.before), inArray(uuid, some)))
    .returning({ one: sql<number>`1`.as('one') })
})

const deleteExcess = query((db, values: Placeholders<'before' | 'system' | 'limit'>) => {
  const some = db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(eq(system_id, values.system), lt(at, values.before)))
    .orderBy(at)
    .limit(values.limit)
  return db
    .delete(deletedSwitches)
    .where(and(eq(system_id, values.system), inArray(uuid, some)))
    .returning({ one: sql<number>`1`.as('one') })
})
