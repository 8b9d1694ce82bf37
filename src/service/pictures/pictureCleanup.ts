import type { Db } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import { DAY, type Instant } from '../../model/core/time'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import {
  deletePicture,
  findSystemWithPictures,
  listPictureUses,
  type PictureUse,
  setUnusedSince,
} from '../../store/pictures/pictureCleanupRows'
import { findUsedPictures } from '../../store/pictures/pictureUse'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'

/** Time for which a picture that no URL names is kept. */
const UNUSED_KEPT = DAY

const PAGE = 500
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 15_000

/** Deletes unused pictures every hour. */
export function startPictureCleanup(deps: Deps, leader: LeaderOptions): PeriodicTask {
  return startLeaderTask(deps, leader, {
    name: 'picture cleanup',
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    run: (isStopped) => deleteUnusedPictures(deps, isStopped),
  })
}

/**
 * Records since when pictures are named by no URL of their system, and deletes those that have been
 * unused for a day. Any client may change a URL in many ways, so the URLs themselves are compared.
 */
export async function deleteUnusedPictures(deps: Deps, isStopped = () => false): Promise<void> {
  const yieldIfDue = createYielder()
  for (let system = 0; !isStopped(); ) {
    const next = await findSystemWithPictures(deps.db, system)
    if (next === null) return
    system = next
    for (let after = ''; !isStopped(); ) {
      const page = await listPictureUses(deps.db, { system, after, limit: PAGE })
      const last = page.at(-1)
      if (!last) break
      const changes = planCleanup(page, await findUsedPictures(deps.db, system), deps.now())
      if (changes.length > 0) await applyCleanup(deps, system, after, page.length)
      after = last.name
      await yieldIfDue()
    }
  }
}

type Change = PictureUse | { readonly name: string; readonly isExpired: true }

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
    const page = await listPictureUses(tx, { system, after, limit })
    for (const change of planCleanup(page, await findUsedPictures(tx, system), now))
      await applyChange(tx, change)
  })
}

async function applyChange(tx: Db, change: Change): Promise<void> {
  if ('isExpired' in change) await deletePicture(tx, change.name)
  else await setUnusedSince(tx, change)
}
