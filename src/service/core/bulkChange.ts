import { type RenderedJson, renderForAudiences, updateAndStore } from '../../db/renderedJson'
import type { Db, MaybePromise } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import { diff, type Entity, isEmptyPatch, type Patch } from '../../model/core/entity'
import { decodeEntity } from '../../store/core/entityRows'
import type { Owned } from '../../store/core/identityRows'
import { recordSerializedEvent } from '../../store/events/recordEvent'
import type { Deps } from './deps'
import type { EntityKind, FinishDerivedRows } from './entityKind'

/** A row of a bulk change as it is stored, with its patch. */
interface Target<E> {
  readonly stored: Owned<E>
  readonly patch: Patch<E>
}

/** A changed row with everything that is written for it, prepared before the transaction. */
interface Planned<E> {
  readonly stored: Owned<E>
  readonly before: Owned<E>
  readonly after: Owned<E>
  readonly changed: Patch<E>
  readonly data: string
  readonly rendered: RenderedJson
}

/** Number of rows whose statements are sent without waiting for their results. */
const BATCH = 50

/**
 * Changes many rows in one transaction. Other writes may wait for it, so rows are compared and
 * rendered before; in it only those that another request changed since. Returns the JSON objects of
 * the selected rows as their owner sees them, in their order.
 */
export async function changeInBulk<E extends Entity>(
  deps: Deps,
  kind: EntityKind<E>,
  systemId: number,
  signal: AbortSignal,
  select: (db: Db) => Promise<Target<E>[]>,
  also = kind.afterChange,
): Promise<string[]> {
  const { derived, commitBulk } = kind
  const prepared = new Map<number, Planned<E>>()
  const yieldIfDue = createYielder(undefined, signal)
  for (const target of await select(deps.db)) {
    prepared.set(target.stored.id, plan(deps.db, kind, target))
    await yieldIfDue()
  }
  const write = async (tx: Db, finishDerivedRows: FinishDerivedRows | null) => {
    const yieldIfDue = createYielder()
    const planned = (await select(tx)).map((target) => {
      const plannedChange = prepared.get(target.stored.id)
      return plannedChange && isSame(plannedChange.stored, target.stored)
        ? plannedChange
        : plan(tx, kind, target)
    })
    const changes = planned.filter(({ changed }) => !isEmptyPatch(changed))
    for (let start = 0; start < changes.length; start += BATCH) {
      const sent: MaybePromise<unknown>[] = []
      for (const change of changes.slice(start, start + BATCH))
        sent.push(...send(tx, deps, kind, change))
      await Promise.all(sent)
      await yieldIfDue()
    }
    if (finishDerivedRows) await finishDerivedRows(tx)
    else
      for (const { after, changed } of changes) {
        if (derived && derived.from in changed) await derived.sync(tx, after)
        await yieldIfDue()
      }
    await also?.(deps, tx, planned)
    return planned
  }
  const planned = await commitBulk(deps, systemId, prepared.values(), (finishDerivedRows) =>
    deps.transact({ system: systemId }, (tx) => write(tx, finishDerivedRows), 'long'),
  )
  return planned.map(({ rendered }) => rendered.ownerJson)
}

function plan<E extends Entity>(
  db: Db,
  kind: EntityKind<E>,
  { stored, patch }: Target<E>,
): Planned<E> {
  const before = decodeEntity(kind, { ...stored })
  const changed = diff<E>(before, patch)
  const after = { ...before, ...changed }
  const rendered = renderForAudiences(db, kind.table, after)
  return { stored, before, after, changed, data: JSON.stringify(changed), rendered }
}

/** A synchronous engine throws here when a statement fails, so no further statement is sent. */
function send<E extends Entity>(
  tx: Db,
  deps: Deps,
  { table, events }: EntityKind<E>,
  { after, changed, data, rendered }: Planned<E>,
): MaybePromise<unknown>[] {
  const { id, uuid: subject, system_id } = after
  return [
    updateAndStore(tx, table, id, changed, rendered),
    recordSerializedEvent(tx, deps.now(), { system_id, type: events.changed, subject }, data),
  ]
}

/** Compares two stored rows with the same columns. */
function isSame(a: object, b: object): boolean {
  const values = Object.values(b)
  return Object.values(a).every((value, index) => value === values[index])
}
