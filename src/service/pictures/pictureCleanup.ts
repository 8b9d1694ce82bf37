import { and, eq, gt } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import { DAY, type Instant } from '../../model/core/time'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { findUsedPictures } from '../../store/pictures/pictureUse'
import type { Deps } from '../core/deps'

/** Time for which a picture that no URL names is kept. */
const UNUSED_KEPT = DAY

const PAGE = 500
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 15_000

interface CleanupOptions {
  /** Returns true in the one process, of all on the same database, that deletes them. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

/** Deletes unused pictures every hour. */
export function startPictureCleanup(deps: Deps, { isLeader, warn }: CleanupOptions): PeriodicTask {
  return startPeriodicTask({
    clock: deps.clock,
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    mayRun: isLeader,
    run: (isStopped) => deleteUnusedPictures(deps, isStopped),
    onError: (cause) => warn('picture cleanup failed', { cause: String(cause) }),
  })
}

/**
 * Records since when pictures are named by no URL of their system, and deletes those that have been
 * unused for a day. Any client may change a URL in many ways, so the URLs themselves are compared.
 */
export async function deleteUnusedPictures(deps: Deps, isStopped = () => false): Promise<void> {
  const yieldIfDue = createYielder()
  for (let system = 0; !isStopped(); ) {
    const next = await nextSystem(deps.db).get({ system })
    if (!next) return
    system = next.system_id
    for (let after = ''; !isStopped(); ) {
      const page = await pageOf(deps.db).all({ system, after, limit: PAGE })
      const last = page.at(-1)
      if (!last) break
      const changes = planCleanup(page, await findUsedPictures(deps.db, system), deps.now())
      if (changes.length > 0) await applyCleanup(deps, system, after, page.length)
      after = last.name
      await yieldIfDue()
    }
  }
}

interface PictureUse {
  readonly name: string
  readonly unused_since: Instant | null
}

type Change =
  | { readonly name: string; readonly unused_since: Instant | null }
  | { readonly name: string; readonly isExpired: true }

function planCleanup(
  page: readonly PictureUse[],
  used: ReadonlySet<string>,
  now: Instant,
): Change[] {
  return page.flatMap(({ name, unused_since }): Change[] => {
    if (used.has(name)) return unused_since === null ? [] : [{ name, unused_since: null }]
    if (unused_since === null) return [{ name, unused_since: now }]
    return now - unused_since >= UNUSED_KEPT ? [{ name, isExpired: true }] : []
  })
}

/** Reads the page again under the lock of the system: a URL may have changed since. */
async function applyCleanup(
  deps: Deps,
  system: number,
  after: string,
  limit: number,
): Promise<void> {
  const now = deps.now()
  await deps.transact({ system }, async (tx) => {
    const page = await pageOf(tx).all({ system, after, limit })
    for (const change of planCleanup(page, await findUsedPictures(tx, system), now))
      await applyChange(tx, change)
  })
}

async function applyChange(tx: Db, change: Change): Promise<void> {
  if ('isExpired' in change) await remove(tx).run({ name: change.name })
  else await mark(tx).run(change)
}

const { name, system_id, unused_since } = pictures

const nextSystem = query((db, { system }: Placeholders<'system'>) =>
  db.select({ system_id }).from(pictures).where(gt(system_id, system)).orderBy(system_id).limit(1),
)

const pageOf = query((db, values: Placeholders<'system' | 'after' | 'limit'>) =>
  db
    .select({ name, unused_since })
    .from(pictures)
    .where(and(eq(system_id, values.system), gt(name, values.after)))
    .orderBy(name)
    .limit(values.limit),
)

const mark = query((db, values: Placeholders<'name' | 'unused_since'>) =>
  db.update(pictures).set({ unused_since: values.unused_since }).where(eq(name, values.name)),
)

const remove = query((db, values: Placeholders<'name'>) =>
  db.delete(pictures).where(eq(name, values.name)),
)
