import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { TaskName, TaskRun } from '../../model/core/taskRun'
import { findLastSuccess, listRuns, storeRun } from '../../store/admin/taskRunRows'
import type { Deps } from '../core/deps'

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
    const before = await findLastSuccess(tx, name)
    await storeRun(tx, { name, at, ok, last_ok: ok ? at : before, problem })
  })
}

export async function listTaskRuns({ db }: Deps, viewer: Viewer): Promise<TaskRun[]> {
  requireOperator(viewer)
  return listRuns(db)
}
