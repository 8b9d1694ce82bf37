import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import {
  buckets,
  fields,
  frontNotes,
  importArchive,
  notes,
  origins,
  pendingImports,
  polls,
  pollVotes,
  posts,
  reminders,
  rooms,
  switches,
  systems,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { hiddenIdentity } from '../../db/visible'
import { yieldToEventLoop } from '../../db/yieldToEventLoop'
import { error } from '../../model/core/errors'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { findUnusedTagIndex } from '../../store/members/tagIndex'
import { restoreReplaced } from '../../store/transfer/archiveDeletion'
import type { Deps } from '../core/deps'
import { purgeDeleted, purgeHiddenSystem, purgeTags } from './purge'
import { insertSystem } from './systems'

/** A running import whose rows are written but hidden. */
export interface Staging {
  readonly id: number
  /** System that the switches and archived rows belong to. */
  readonly systemId: number
  /** Hidden system that holds new members and groups. A new system is its own staging system. */
  readonly stagingSystemId: number
}

/** Target for the time that one batch holds the write lock. */
const BATCH_MS = 15

/** Time without a write after which an import counts as abandoned, in microseconds. */
const STAGING_TIMEOUT = 15_000_000

/** Begins an import into a system, or into a new one. Of each system one runs, on all processes. */
export async function beginStaging(deps: Deps, systemId: number | null): Promise<Staging> {
  // Hidden rows of a killed import would take the place of equal rows of this one.
  if (systemId !== null) await removeAbandonedOf(deps, systemId)
  return deps.transact(systemId === null ? 'new' : { system: systemId }, async (tx) => {
    const now = deps.now()
    if (systemId !== null) await requireNoImport(tx, systemId, now)
    const hidden = await insertSystem(tx, {}, hiddenIdentity())
    const target = systemId ?? hidden.id
    const inserted = await insert(tx).get({
      system: target,
      staging: hidden.id,
      until: now + STAGING_TIMEOUT,
    })
    return { id: inserted?.id ?? 0, systemId: target, stagingSystemId: hidden.id }
  })
}

/** Throws if an import into the system is running, in any process. */
export async function requireNoImport(db: Db, systemId: number, now: number): Promise<void> {
  if (await running(db).get({ system: systemId, now }))
    throw error('conflict', 'a file is being imported into this system')
}

/** Writes items in batches, each in a short transaction, so that other writes wait only briefly. */
export async function writeInBatches<T>(
  deps: Deps,
  staging: Staging,
  items: readonly T[],
  write: (tx: Db, item: T) => Promise<void>,
): Promise<void> {
  let at = 0
  while (at < items.length) {
    at = await deps.transact(
      { system: staging.systemId },
      async (tx) => {
        await renewStaging(tx, staging, deps.now())
        const began = deps.clock.monotonic()
        let next = at
        for (const item of items.slice(at)) {
          await write(tx, item)
          next += 1
          if (deps.clock.monotonic() - began > BATCH_MS) break
        }
        return next
      },
      'slice',
    )
    await yieldToEventLoop()
  }
}

/** Makes the staged rows visible, in the last transaction of the import. */
export async function commitStaging(
  tx: Db,
  { id, systemId, stagingSystemId }: Staging,
): Promise<void> {
  await remove(tx).run({ id })
  if (stagingSystemId !== systemId) await removeSystem(tx).run({ id: stagingSystemId })
}

export async function renewStaging(tx: Db, { id }: Staging, now: number): Promise<void> {
  if (!(await extend(tx).get({ id, until: now + STAGING_TIMEOUT })))
    throw error('conflict', 'the import was abandoned, because it wrote nothing for too long')
}

/** Deletes the rows of an import, unless it is committed. */
export async function rollBackStaging(
  deps: Deps,
  { id }: Pick<Staging, 'id'>,
  /** Rolls back only if the timeout of the import is before this time. */
  before = Infinity,
): Promise<void> {
  for (const removeRows of [removeSomeVotes, ...removeSomeRows, restoreReplaced])
    for (;;) {
      const deleted = await deps.transact(
        'new',
        async (tx) => {
          // The lock keeps other processes from committing, continuing or rolling back the import.
          if (!(await lock(tx).get({ id, before }))) return null
          return (await removeRows(tx).all({ id })).length
        },
        'slice',
      )
      if (deleted === null) return
      if (deleted === 0) break
      await yieldToEventLoop()
    }
  const removed = await deps.transact('new', async (tx) =>
    (await lock(tx).get({ id, before })) ? await remove(tx).get({ id }) : null,
  )
  if (removed) await purgeHiddenSystem(deps, removed.staging_system_id)
}

const CLEANUP_MS = 5_000

/** Periodically deletes rows of abandoned imports and of deletions. */
export function startImportCleanup(
  deps: Deps,
  warn: (message: string, fields: { cause: string }) => void,
  /** Returns true in the one process, of all on the same database, that does it. */
  isLeader: () => boolean,
): PeriodicTask {
  let isFirst = true
  return startPeriodicTask({
    clock: deps.clock,
    everyMs: CLEANUP_MS,
    mayRun: isLeader,
    async run(isStopped) {
      // Once is enough: only a killed import leaves old tags.
      if (isFirst) {
        isFirst = false
        await removeOldTags(deps)
      }
      await removeAbandoned(deps, isStopped)
    },
    onError: (cause) => warn('cleanup failed', { cause: (cause as Error).message }),
  })
}

/** Deletes rows of abandoned or killed imports, and the hidden rows of deletions. */
export async function removeAbandoned(deps: Deps, isStopped = () => false): Promise<void> {
  const now = deps.now()
  for (const { id } of await abandoned(deps.db).all({ now }))
    await rollBackStaging(deps, { id }, now)
  await purgeDeleted(deps, isStopped)
}

/** Deletes the rows of abandoned or killed imports into one system. */
async function removeAbandonedOf(deps: Deps, systemId: number): Promise<void> {
  const now = deps.now()
  for (const { id } of await abandonedOf(deps.db).all({ system: systemId, now }))
    await rollBackStaging(deps, { id }, now)
}

/** Deletes proxy tag keys that an import replaced but could not delete before it was killed. */
export async function removeOldTags(deps: Deps): Promise<void> {
  let last = 0
  for (;;) {
    const old = await findUnusedTagIndex(deps.db, last)
    if (old === null) return
    await purgeTags(deps, old)
    last = old
  }
}

const { id: importId, system_id, staging_system_id, expires_at } = pendingImports

const running = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(and(eq(system_id, system), gte(expires_at, now))),
)

const insert = query(
  (db, { system, staging, until }: Placeholders<'system' | 'staging' | 'until'>) =>
    db
      .insert(pendingImports)
      .values({ system_id: system, staging_system_id: staging, expires_at: until })
      .returning({ id: importId }),
)

const extend = query((db, { id, until }: Placeholders<'id' | 'until'>) =>
  db
    .update(pendingImports)
    .set({ expires_at: until })
    .where(eq(importId, id))
    .returning({ id: importId }),
)

const lock = query((db, { id, before }: Placeholders<'id' | 'before'>, { forUpdate }) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(sql`${and(eq(importId, id), lt(expires_at, before))} ${forUpdate}`),
)

/** Rows that are deleted in one transaction. */
const BATCH = 500

/** Votes are deleted before their polls, each of which may have many. */
const removeSomeVotes = query((db, { id }: Placeholders<'id'>) => {
  const some = db
    .select({ id: pollVotes.id })
    .from(polls)
    .innerJoin(pollVotes, eq(pollVotes.poll_id, polls.id))
    .where(eq(polls.import_id, id))
    .limit(BATCH)
  return db.delete(pollVotes).where(inArray(pollVotes.id, some)).returning({ id: pollVotes.id })
})

const removeSomeRows = [
  switches,
  importArchive,
  frontNotes,
  notes,
  posts,
  rooms,
  polls,
  reminders,
  buckets,
  fields,
  origins,
].map((table) =>
  query((db, { id }: Placeholders<'id'>) => {
    const some = db.select({ id: table.id }).from(table).where(eq(table.import_id, id)).limit(BATCH)
    return db.delete(table).where(inArray(table.id, some)).returning({ id: table.id })
  }),
)

const remove = query((db, { id }: Placeholders<'id'>) =>
  db.delete(pendingImports).where(eq(importId, id)).returning({ staging_system_id }),
)

const removeSystem = query((db, { id }: Placeholders<'id'>) =>
  db.delete(systems).where(eq(systems.id, id)),
)

const abandoned = query((db, { now }: Placeholders<'now'>) =>
  db.select({ id: importId }).from(pendingImports).where(lt(expires_at, now)),
)

const abandonedOf = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(and(eq(system_id, system), lt(expires_at, now))),
)
