import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { taskRuns } from '../../db/tables'
import type { Db } from '../../db/types'
import type { TaskRun } from '../../model/core/taskRun'
import type { Instant } from '../../model/core/time'

/** Lists the last runs of all tasks. */
export async function listRuns(db: Db): Promise<TaskRun[]> {
  return await all(db).all({})
}

/** Finds the time of the last success of a task. */
export async function findLastSuccess(db: Db, name: string): Promise<Instant | null> {
  return (await byName(db).get({ name }))?.last_ok ?? null
}

export const storeRun = createUpserter(taskRuns, ['name'], ['at', 'ok', 'last_ok', 'problem'])

const all = query((db) => db.select().from(taskRuns).orderBy(taskRuns.name))

const byName = query((db, { name }: Placeholders<'name'>) =>
  db.select({ last_ok: taskRuns.last_ok }).from(taskRuns).where(eq(taskRuns.name, name)),
)
