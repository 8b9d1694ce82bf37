import { ownerJson, type RenderedJson, renderForAudiences, storeRendered } from '../db/renderedJson'
import { encodeRow } from '../db/rows'
import type { Db, MaybePromise } from '../db/types'
import { diff, type Entity, isEmptyPatch, type Patch } from '../model/entity'
import type { EventType } from '../model/events'
import { createYielder } from './cooperative'
import type { Deps } from './deps'
import type { Owned } from './identity'
import { recordSerializedEvent } from './outbox'

/** How members and groups differ in a bulk change. */
export interface BulkKind<E extends Entity> {
  readonly table: 'members' | 'groups'
  readonly events: { readonly changed: EventType }
  /** What is kept beside a row, and follows what changes in it. */
  readonly syncDerivedRows: (tx: Db, row: Owned<E>, changed: Patch<E>) => Promise<void>
  /** Commits a bulk change, after writing beforehand what would make its transaction long. */
  readonly commitBulk: <T>(
    deps: Deps,
    systemId: number,
    changes: Iterable<{ before: Owned<E>; changed: Patch<E> }>,
    commit: (finishDerivedRows: FinishDerivedRows | null) => Promise<T>,
  ) => Promise<T>
}

/** Writes what is stored beside the rows of a bulk change, in its transaction. */
type FinishDerivedRows = (tx: Db) => Promise<void>

/** A row that a bulk change names, as it is stored, with its patch. */
interface Target<E> {
  readonly stored: Owned<E>
  readonly patch: Patch<E>
}

/** A changed row and all that is written of it, prepared before the transaction that does so. */
interface Planned<E> {
  readonly stored: Owned<E>
  readonly before: Owned<E>
  readonly after: Owned<E>
  readonly changed: Patch<E>
  readonly values: object
  readonly data: string
  readonly faces: RenderedJson | null
}

interface RowAccess<E> {
  decode(stored: Owned<E>): Owned<E>
  updateRow(tx: Db, id: number, changed: object): MaybePromise<unknown>
}

/** Rows whose statements are sent without waiting for the answers in between. */
const BATCH = 50

/**
 * Changes many rows in one transaction, which holds the lock that all writes of a file need. Rows
 * are compared and rendered before it; in it only those that another request changed since then.
 */
export function createBulkChange<E extends Entity>(
  { table, events, syncDerivedRows, commitBulk }: BulkKind<E>,
  { decode, updateRow }: RowAccess<E>,
) {
  const plan = (db: Db, { stored, patch }: Target<E>): Planned<E> => {
    const before = decode({ ...stored })
    const changed = diff<E>(before, patch)
    const after = { ...before, ...changed }
    const values = encodeRow(Object.keys(changed), changed)
    const faces = renderForAudiences(db, table, after)
    return { stored, before, after, changed, values, data: JSON.stringify(changed), faces }
  }

  /** On a file, a statement that fails throws here, so that none follows it. */
  const send = (tx: Db, deps: Deps, planned: Planned<E>): MaybePromise<unknown>[] => {
    const { after, values, data, faces } = planned
    const { id, uuid: subject, system_id } = after
    return [
      updateRow(tx, id, values),
      faces && storeRendered(tx, table, id, faces),
      recordSerializedEvent(tx, deps.now(), { system_id, type: events.changed, subject }, data),
    ]
  }

  /** Returns the JSON objects of the selected rows as their owner sees them, in their order. */
  return async (
    deps: Deps,
    systemId: number,
    signal: AbortSignal,
    select: (db: Db) => Promise<Target<E>[]>,
  ): Promise<string[]> => {
    const prepared = new Map<number, Planned<E>>()
    const yieldIfDue = createYielder(undefined, signal)
    for (const target of await select(deps.db)) {
      prepared.set(target.stored.id, plan(deps.db, target))
      await yieldIfDue()
    }
    const write = async (tx: Db, finishDerivedRows: FinishDerivedRows | null) => {
      const yieldIfDue = createYielder()
      const planned = (await select(tx)).map((target) => {
        const known = prepared.get(target.stored.id)
        return known && isSame(known.stored, target.stored) ? known : plan(tx, target)
      })
      const changes = planned.filter(({ changed }) => !isEmptyPatch(changed))
      for (let at = 0; at < changes.length; at += BATCH) {
        const sent: MaybePromise<unknown>[] = []
        for (const change of changes.slice(at, at + BATCH)) sent.push(...send(tx, deps, change))
        await Promise.all(sent)
        await yieldIfDue()
      }
      if (finishDerivedRows) await finishDerivedRows(tx)
      else
        for (const { after, changed } of changes) {
          await syncDerivedRows(tx, after, changed)
          await yieldIfDue()
        }
      return planned
    }
    const planned = await commitBulk(deps, systemId, prepared.values(), (finishDerivedRows) =>
      deps.transact({ system: systemId }, (tx) => write(tx, finishDerivedRows), 'long'),
    )
    return planned.map(({ after, faces }) => ownerJson(deps.db, table, after, faces?.own))
  }
}

/** Compares rows of the same columns, as they are stored. */
function isSame(a: object, b: object): boolean {
  const values = Object.values(b)
  return Object.values(a).every((value, at) => value === values[at])
}
