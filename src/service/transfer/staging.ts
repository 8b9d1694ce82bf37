import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { hiddenIdentity } from '../../db/visibility'
import { error } from '../../model/errors'
import { purgeDeleted, purgeHiddenSystem, purgeTags } from '../deletion'
import type { Deps } from '../deps'
import { findUnusedTagIndex } from '../proxy/tagIndex'
import { insertSystem } from '../systems'

/** An import that is being written: its rows are there, but nobody sees them yet. */
export interface Staging {
  readonly id: number
  /** Whose switches and kept rows these will be. */
  readonly systemId: number
  /** The system without a name where new members and groups wait; a new system is that itself. */
  readonly stagingSystemId: number
}

/** About how long one slice may hold the write lock. */
const BATCH_MS = 15

/** An import that wrote nothing for so long was given up. */
const STAGING_TIMEOUT = 15_000_000

/** Begins to write into a system, or into a new one. One at a time, also among processes. */
export async function beginStaging(deps: Deps, systemId: number | null): Promise<Staging> {
  return deps.transact(systemId === null ? 'new' : { system: systemId }, async (tx) => {
    const now = deps.now()
    if (systemId !== null && (await underWay(tx).get({ system: systemId, now })))
      throw error('conflict', 'a file is being imported into this system')
    const place = await insertSystem(tx, {}, hiddenIdentity())
    const target = systemId ?? place.id
    const made = await insert(tx).get({
      system: target,
      place: place.id,
      until: now + STAGING_TIMEOUT,
    })
    return { id: made?.id ?? 0, systemId: target, stagingSystemId: place.id }
  })
}

/** Writes one item after the other, in transactions so short that nobody waits for them. */
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
        const began = performance.now()
        let next = at
        for (const item of items.slice(at)) {
          await write(tx, item)
          next += 1
          if (performance.now() - began > BATCH_MS) break
        }
        return next
      },
      'slice',
    )
    await yieldToEventLoop()
  }
}

/** From here on everybody sees what was written. Inside the transaction of all the rest. */
export async function commitStaging(
  tx: Db,
  { id, systemId, stagingSystemId }: Staging,
): Promise<void> {
  await remove(tx).run({ id })
  if (stagingSystemId !== systemId) await removeSystem(tx).run({ id: stagingSystemId })
}

export async function renewStaging(tx: Db, { id }: Staging, now: number): Promise<void> {
  if (!(await extend(tx).get({ id, until: now + STAGING_TIMEOUT })))
    throw error('conflict', 'the import was given up, because it stood still for too long')
}

/** Takes back what an import has written so far, unless it is finished. */
export async function rollBackStaging(
  deps: Deps,
  { id }: Pick<Staging, 'id'>,
  /** Only if it wrote nothing since then. */
  before = Infinity,
): Promise<void> {
  for (const table of ['switches', 'archive'] as const)
    for (;;) {
      const gone = await deps.transact(
        'new',
        async (tx) => {
          // Nobody else finishes it, goes on with it or takes it back meanwhile.
          if (!(await lock(tx).get({ id, before }))) return null
          return (await removeSome[table](tx).all({ id })).length
        },
        'slice',
      )
      if (gone === null) return
      if (gone === 0) break
      await yieldToEventLoop()
    }
  const place = await deps.transact('new', async (tx) =>
    (await lock(tx).get({ id, before })) ? await forget(tx).get({ id }) : null,
  )
  if (place) await purgeHiddenSystem(deps, place.place_id)
}

const CLEANUP_MS = 5_000

type ImportCleanup = (deps: Deps, isStopped: () => boolean) => Promise<void>

/** Cleans up behind imports that did not, and what was deleted, every so often. Gives how to end that. */
export function startImportCleanup(
  deps: Deps,
  warn: (message: string, fields: { cause: string }) => void,
  /** Whether this process is the one of all on the same data that does it. */
  isLeader: () => boolean,
): () => Promise<void> {
  let isEnded = false
  const mayNot = () => isEnded || !isLeader()
  const sweep = async (work: ImportCleanup) => {
    try {
      if (!mayNot()) await work(deps, mayNot)
    } catch (cause) {
      warn('what an import or a deletion left behind is still there', {
        cause: (cause as Error).message,
      })
    }
  }
  let working: Promise<void> = Promise.resolve()
  const later = (work: ImportCleanup) => () => {
    working = working.then(() => sweep(work))
  }
  // Not while it starts: whoever waits for its first answer comes first.
  const once = setTimeout(later(removeOldTags), CLEANUP_MS)
  const again = setInterval(later(removeAbandoned), CLEANUP_MS)
  once.unref()
  again.unref()
  return () => {
    isEnded = true
    clearTimeout(once)
    clearInterval(again)
    return working
  }
}

/** Removes what imports left behind that were given up, or killed, and the rows of what was deleted. */
export async function removeAbandoned(deps: Deps, isStopped = () => false): Promise<void> {
  const now = deps.now()
  for (const { id } of await abandoned(deps.db).all({ now }))
    await rollBackStaging(deps, { id }, now)
  await purgeDeleted(deps, isStopped)
}

/** Keys that an import changed over from, and was killed before it could remove them. */
export async function removeOldTags(deps: Deps): Promise<void> {
  let last = 0
  for (;;) {
    const old = await findUnusedTagIndex(deps.db, last)
    if (old === null) return
    await purgeTags(deps, old)
    last = old
  }
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const underWay = statement<'system' | 'now', { id: number }>(
  'select id from imports where system_id = :system and until >= :now',
)

const insert = statement<'system' | 'place' | 'until', { id: number }>(
  'insert into imports (system_id, place_id, until) values (:system, :place, :until) returning id',
)

const extend = statement<'id' | 'until', { id: number }>(
  'update imports set until = :until where id = :id returning id',
)

const remove = statement<'id'>('delete from imports where id = :id')

const lock = statement<'id' | 'before', { id: number }>(
  ({ forUpdate }) => `select id from imports where id = :id and until < :before ${forUpdate}`,
)

const someOf = (table: 'switches' | 'archive') =>
  statement<'id'>(
    `delete from ${table} where id in (select id from ${table} where import_id = :id limit 500)
     returning id`,
  )

const removeSome = { switches: someOf('switches'), archive: someOf('archive') }

const forget = statement<'id', { place_id: number }>(
  'delete from imports where id = :id returning place_id',
)

const removeSystem = statement<'id'>('delete from systems where id = :id')

const abandoned = statement<'now', { id: number }>('select id from imports where until < :now')
