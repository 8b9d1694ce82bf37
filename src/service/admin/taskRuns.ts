import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { taskRuns } from '../../db/tables'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** A recurring task that one process runs. Its last run is stored, so that every process can report it. */
export type TaskName = 'backup' | 'backup_command'

export type TaskRun = typeof taskRuns.$inferSelect

/** Stores the result of a run; `problem` is null on success. */
export async function recordTaskRun(
  deps: Deps,
  viewer: Viewer,
  name: TaskName,
  problem: string | null,
): Promise<void> {
  requireOperator(viewer)
  await deps.transact('new', async (tx) => {
    const at = deps.now()
    const ok = problem === null
    const before = await byName(tx).get({ name })
    await store(tx, { name, at, ok, last_ok: ok ? at : (before?.last_ok ?? null), problem })
  })
}

export async function listTaskRuns({ db }: Deps, viewer: Viewer): Promise<TaskRun[]> {
  requireOperator(viewer)
  return await all(db).all({})
}

const store = createUpserter(taskRuns, ['name'], ['at', 'ok', 'last_ok', 'problem'])

const all = query((db) => db.select().from(taskRuns).orderBy(taskRuns.name))

const byName = query((db, { name }: Placeholders<'name'>) =>
  db.select({ last_ok: taskRuns.last_ok }).from(taskRuns).where(eq(taskRuns.name, name)),
)
