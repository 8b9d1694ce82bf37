import type { Db, MaybePromise } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import { diff, type JsonObject } from '../../model/core/entity'
import { storedBytes, textBytes } from '../../model/core/textSize'
import type { Instant } from '../../model/core/time'
import {
  defaultMemberExt,
  type MemberExtPatch,
  memberExt,
  type StoredMemberExt,
} from '../../model/members/memberExt'
import type { StoreDeps } from '../core/storeDeps'
import { addUsage } from '../core/usage'
import { recordEvent } from '../events/recordEvent'
import { type BucketRef, resolveBuckets, setBuckets } from '../friends/bucketRows'
import { scheduleFriendRefresh } from '../friends/friendDues'
import {
  listDefinitions,
  listValues,
  type ParsedValues,
  replaceValues,
  type ValueRow,
} from './fieldValueRows'
import { findMemberExts, listStoredExts, replaceStoredExts } from './memberExtRows'
import { recordExtEvent } from './memberExts'

/** Change of what the extension API adds to a member. */
export interface ExtChange {
  readonly row: { readonly id: number; readonly uuid: string; readonly system_id: number }
  readonly ext: MemberExtPatch
  readonly values: ParsedValues
}

/** Number of rows whose events are sent without waiting for their results. */
const BATCH = 50

/** Stores what changes of members add, with usage and events. The number of statements is fixed. */
export async function writeMemberExts(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  changes: readonly ExtChange[],
): Promise<void> {
  const withExt = changes.filter(({ ext }) => storedKeys.some((key) => key in ext))
  const withValues = changes.filter(({ values }) => values.size > 0)
  const exts = await planExts(deps.now(), tx, withExt)
  const values = await planValues(tx, withValues)
  const placed = await planBuckets(tx, systemId, changes)
  if (exts.length + values.length + placed.size === 0) return
  const bytes = [...exts, ...values].reduce((sum, { grown }) => sum + grown, 0)
  await addUsage(deps, tx, systemId, { text_bytes: bytes })
  if (exts.length > 0) {
    await replaceStoredExts(
      tx,
      exts.map(({ stored }) => stored),
    )
  }
  if (values.length > 0) {
    const ids = values.map(({ row }) => row.id)
    await replaceValues(
      tx,
      ids,
      values.flatMap(({ stored }) => stored),
    )
  }
  for (const [id, buckets] of placed) await setBuckets(tx, systemId, 'members', id, buckets)
  if (placed.size > 0 || exts.some(({ keys }) => keys.includes('announce_front')))
    await scheduleFriendRefresh(tx, systemId, deps.now())
  const uuids = values.length > 0 ? await uuidsOfFields(tx, systemId) : new Map<number, string>()
  const byId = new Map(exts.map((ext) => [ext.row.id, ext]))
  const changed = changes.filter(({ row }) => byId.has(row.id) || placed.has(row.id))
  const events: (() => MaybePromise<unknown>)[] = [
    ...changed.map(({ row }) => () => {
      const { keys = [], shown = {} } = byId.get(row.id) ?? {}
      const buckets = placed.get(row.id)?.map(({ uuid }) => uuid)
      const allKeys = buckets ? [...keys, 'buckets'] : keys
      return recordExtEvent(tx, deps.now(), row, allKeys, { ...shown, ...(buckets && { buckets }) })
    }),
    ...values.map(({ row, fields }) => () => {
      const data = { fields: fields.map((id) => uuids.get(id)) }
      const { system_id, uuid } = row
      return recordEvent(tx, deps.now(), {
        system_id,
        type: 'UPDATE_FIELD_VALUES',
        subject: uuid,
        data,
      })
    }),
  ]
  const yieldIfDue = createYielder()
  for (let index = 0; index < events.length; index += BATCH) {
    await Promise.all(events.slice(index, index + BATCH).map((record) => record()))
    await yieldIfDue()
  }
}

const storedKeys = ['kind', 'archived', 'archived_reason', 'announce_front', 'about'] as const

/** Compares patches with the stored rows. Members that do not change are left out. */
async function planExts(now: Instant, tx: Db, changes: readonly ExtChange[]) {
  if (changes.length === 0) return []
  const ids = changes.map(({ row }) => row.id)
  const rowsById = new Map((await listStoredExts(tx, ids)).map((row) => [row.member_id, row]))
  return changes.flatMap(({ row, ext }) => {
    const { member_id: _, ...before } = rowsById.get(row.id) ?? {
      member_id: row.id,
      ...defaultMemberExt,
    }
    const { archived, fields: _fields, buckets: _buckets, ...given } = ext
    const changed: JsonObject = diff<typeof memberExt>(
      { ...before, archived: before.archived_at !== null, fields: {}, buckets: [] },
      { ...given, ...(archived !== undefined && { archived }) },
    )
    const keys = Object.keys(changed)
    if (keys.length === 0) return []
    const { archived: moved, ...values } = changed
    // Events name the keys of texts only, so that a deleted text remains in no event.
    const { about: _about, archived_reason: _reason, ...shown } = values
    const after: StoredMemberExt = {
      ...before,
      ...values,
      ...(moved !== undefined && { archived_at: moved === true ? now : null }),
    }
    const stored = { member_id: row.id, ...after, announce_front: Number(after.announce_front) }
    const grown = textBytes(memberExt, { ...after }) - textBytes(memberExt, { ...before })
    return [
      {
        row,
        keys,
        stored,
        grown,
        shown: { ...(moved !== undefined && { archived: moved }), ...shown },
      },
    ]
  })
}

/** Compares buckets with the present ones. Returns the new ones of the members that change. */
async function planBuckets(
  tx: Db,
  systemId: number,
  changes: readonly ExtChange[],
): Promise<Map<number, BucketRef[]>> {
  const placed = new Map<number, BucketRef[]>()
  const named = changes.filter(({ ext }) => ext.buckets !== undefined)
  if (named.length === 0) return placed
  const ids = named.map(({ row }) => row.id)
  const bucketsById = new Map((await findMemberExts(tx, ids)).map((row) => [row.id, row.buckets]))
  for (const { row, ext } of named) {
    const buckets = await resolveBuckets(tx, systemId, ext.buckets ?? [])
    const before = new Set(bucketsById.get(row.id))
    if (buckets.length !== before.size || buckets.some(({ uuid }) => !before.has(uuid)))
      placed.set(row.id, buckets)
  }
  return placed
}

/** Compares values with the stored ones. Members that do not change are left out. */
async function planValues(tx: Db, changes: readonly ExtChange[]) {
  if (changes.length === 0) return []
  const ids = changes.map(({ row }) => row.id)
  const valuesById = Map.groupBy(await listValues(tx, ids), ({ member_id }) => member_id)
  return changes.flatMap(({ row, values }) => {
    const before = new Map(valuesById.get(row.id)?.map(({ field_id, value }) => [field_id, value]))
    const after = new Map(before)
    const fields: number[] = []
    for (const [id, value] of values) {
      if ((before.get(id) ?? null) === value) continue
      fields.push(id)
      if (value === null) after.delete(id)
      else after.set(id, value)
    }
    if (fields.length === 0) return []
    const sizeOf = (map: Map<number, string>) =>
      [...map.values()].reduce((sum, value) => sum + storedBytes(value), 0)
    const stored = [...after].map(
      ([field_id, value]): ValueRow => ({ member_id: row.id, field_id, value }),
    )
    return [{ row, fields, stored, grown: sizeOf(after) - sizeOf(before) }]
  })
}

async function uuidsOfFields(tx: Db, systemId: number): Promise<Map<number, string>> {
  return new Map((await listDefinitions(tx, systemId)).map(({ id, uuid }) => [id, uuid]))
}
