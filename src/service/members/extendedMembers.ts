import { getTableColumns } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { renderAndStore } from '../../db/renderedJson'
import { memberExts } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { createYielder, runCooperatively } from '../../db/yieldToEventLoop'
import {
  type Draft,
  diff,
  type JsonObject,
  type Patch,
  throwIfInvalid,
} from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { storedBytes, textBytes } from '../../model/core/textSize'
import type { Instant } from '../../model/core/time'
import type { member } from '../../model/members/member'
import {
  beginningOf,
  defaultMemberExt,
  type MemberExtPatch,
  memberExt,
  type StoredMemberExt,
  toListed,
} from '../../model/members/memberExt'
import { addUsage } from '../../store/core/usage'
import { recordEvent } from '../../store/events/recordEvent'
import {
  type BucketRef,
  listDefaultBuckets,
  resolveBuckets,
  setBuckets,
} from '../../store/friends/bucketRows'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import { findMemberExt, findMemberExts } from '../../store/members/memberExtRows'
import { clearAbouts, joinJson, recordExtEvent } from '../../store/members/memberExts'
import type { Deps } from '../core/deps'
import {
  type FieldDefinition,
  listDefinitions,
  listValues,
  type ParsedValues,
  parseValues,
  replaceValues,
  type ValueRow,
} from './fieldValues'
import { memberRepository } from './members'

/** A body for a member. Its problems are reported together with those of the values. */
export interface MemberBody<M> {
  readonly member: M
  readonly ext: MemberExtPatch
  readonly problems: Problems
}

type MemberPatchBody = MemberBody<Patch<typeof member>>

/** Creates a member with what the extension API adds to it. Returns its JSON for the owner. */
export async function createExtendedMember(
  deps: Deps,
  viewer: Viewer,
  body: MemberBody<Draft<typeof member>>,
): Promise<string> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    const values = await parseOwnValues(tx, systemId, body)
    const draft = withBeginning(body.member, body.ext)
    const ext = await withDefaultBuckets(tx, systemId, body.ext)
    const hasBuckets = ext.buckets !== undefined
    const { row, json } = await memberRepository.createIn(deps, tx, viewer, draft, hasBuckets)
    await writeExts(deps, tx, systemId, [{ row, ext, values }])
    return joinJson(json, await renderExt(tx, row.id))
  })
}

/** Gives a new custom front the buckets for custom fronts, unless the body names buckets. */
async function withDefaultBuckets(
  tx: Db,
  systemId: number,
  ext: MemberExtPatch,
): Promise<MemberExtPatch> {
  if (ext.buckets || ext.kind !== 'custom_front') return ext
  const chosen = await listDefaultBuckets(tx, systemId, 'custom_fronts')
  return { ...ext, buckets: chosen.map(({ uuid }) => uuid) }
}

export async function patchExtendedMember(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  body: MemberPatchBody,
): Promise<string> {
  const { id, system_id } = await memberRepository.locateOwn(deps, viewer, ref)
  return deps.transact({ system: system_id }, async (tx) => {
    const before = await memberRepository.findById(tx, id)
    if (!before) throw error('memberNotFound')
    const values = await parseOwnValues(tx, system_id, body)
    const patch = withBeginning(body.member, body.ext)
    const afterChange = 'about' in body.ext ? writesNothing : undefined
    const { row, json } = await memberRepository.changeIn(deps, tx, before, patch, afterChange)
    await writeExts(deps, tx, system_id, [{ row, ext: body.ext, values }])
    return joinJson(json, await renderExt(tx, id))
  })
}

/** Body for a member of a list, by which its problems are named. */
interface NamedBody {
  readonly ref: string
  readonly position: number
  readonly body: MemberPatchBody
}

/** Changes all listed members or none. Returns the JSON list of the members for their owner. */
export async function patchExtendedMembers(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  bodies: Generator<void, { problems: Problems; items: NamedBody[] }>,
): Promise<string> {
  const systemId = requireSystem(viewer)
  return deps.bulkQueue({ systemId, signal }, async () => {
    const { problems, items } = await runCooperatively(bodies, signal)
    const parseAll = function* (definitions: readonly FieldDefinition[]) {
      const found = { ...problems }
      const values: ParsedValues[] = []
      for (const { position, body } of items) {
        yield
        values.push(parseValues(definitions, body.ext.fields ?? {}, found, `${position}.fields`))
      }
      return { values, problems: found }
    }
    const hasValues = items.some(({ body }) => body.ext.fields !== undefined)
    const definitions = hasValues ? await listDefinitions(deps.db, systemId) : []
    let parsed = await runCooperatively(parseAll(definitions), signal)
    const patches = items.map(({ ref, position, body }) => ({
      ref,
      position,
      patch: withBeginning(body.member, body.ext),
    }))
    let added: string[] = []
    const objects = await memberRepository.changeListed(
      deps,
      systemId,
      signal,
      { items: patches, problems: parsed.problems },
      async (deps, tx, changes) => {
        const current = hasValues ? await listDefinitions(tx, systemId) : []
        // A field may have been changed or deleted since.
        if (!Bun.deepEquals(current, definitions)) {
          parsed = await runCooperatively(parseAll(current), signal)
          throwIfInvalid(parsed.problems)
        }
        const written = changes.map(({ before, changed }, at) => {
          const ext = items[at]?.body.ext ?? {}
          const isReplaced = 'description' in changed && !('about' in ext)
          return { row: before, ext, values: parsed.values[at] ?? new Map(), isReplaced }
        })
        await clearAbouts(
          deps,
          tx,
          written.filter(({ isReplaced }) => isReplaced).map(({ row }) => row),
        )
        await writeExts(deps, tx, systemId, written)
        added = await renderExts(
          tx,
          written.map(({ row }) => row.id),
        )
      },
    )
    return `[${objects.map((json, at) => joinJson(json, added[at] ?? '')).join()}]`
  })
}

const writesNothing = async () => {}

/** Gives a member the beginning of a new long description, unless the body has a description. */
function withBeginning<P extends Patch<typeof member>>(patch: P, { about }: MemberExtPatch): P {
  if (typeof about !== 'string' || 'description' in patch) return patch
  return { ...patch, description: beginningOf(about) }
}

async function parseOwnValues(
  tx: Db,
  systemId: number,
  { ext, problems }: MemberBody<unknown>,
): Promise<ParsedValues> {
  const found = { ...problems }
  const definitions = ext.fields ? await listDefinitions(tx, systemId) : []
  const values = parseValues(definitions, ext.fields ?? {}, found, 'fields')
  throwIfInvalid(found)
  return values
}

interface ExtChange {
  readonly row: { readonly id: number; readonly uuid: string; readonly system_id: number }
  readonly ext: MemberExtPatch
  readonly values: ParsedValues
}

/** Number of rows whose events are sent without waiting for their results. */
const BATCH = 50

/** Stores what changes of members add, with usage and events. The number of statements is fixed. */
async function writeExts(
  deps: Deps,
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
    await deleteExts(tx).run({ ids: JSON.stringify(exts.map(({ row }) => row.id)) })
    await insertExts(tx).run({ rows: JSON.stringify(exts.map(({ stored }) => stored)) })
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
  const byId = new Map(exts.map((one) => [one.row.id, one]))
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
  for (let at = 0; at < events.length; at += BATCH) {
    await Promise.all(events.slice(at, at + BATCH).map((record) => record()))
    await yieldIfDue()
  }
}

const storedKeys = ['kind', 'archived', 'archived_reason', 'announce_front', 'about'] as const

/** Compares patches with the stored rows. Members that do not change are left out. */
async function planExts(now: Instant, tx: Db, changes: readonly ExtChange[]) {
  if (changes.length === 0) return []
  const ids = JSON.stringify(changes.map(({ row }) => row.id))
  const known = new Map((await extsOf(tx).all({ ids })).map((row) => [row.member_id, row]))
  return changes.flatMap(({ row, ext }) => {
    const { member_id: _, ...before } = known.get(row.id) ?? {
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
  const known = new Map((await findMemberExts(tx, ids)).map((row) => [row.id, row.buckets]))
  for (const { row, ext } of named) {
    const buckets = await resolveBuckets(tx, systemId, ext.buckets ?? [])
    const before = new Set(known.get(row.id))
    if (buckets.length !== before.size || buckets.some(({ uuid }) => !before.has(uuid)))
      placed.set(row.id, buckets)
  }
  return placed
}

/** Compares values with the stored ones. Members that do not change are left out. */
async function planValues(tx: Db, changes: readonly ExtChange[]) {
  if (changes.length === 0) return []
  const ids = changes.map(({ row }) => row.id)
  const known = Map.groupBy(await listValues(tx, ids), ({ member_id }) => member_id)
  return changes.flatMap(({ row, values }) => {
    const before = new Map(known.get(row.id)?.map(({ field_id, value }) => [field_id, value]))
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

async function renderExt(tx: Db, id: number): Promise<string> {
  const row = await findMemberExt(tx, id)
  if (!row) throw error('memberNotFound')
  if (!row.hasHiddenValues) await renderAndStore(tx, 'memberExts', toListed(row))
  return tx.renderJson(memberExt, row, 'owner')
}

/** Renders many members, in their order, without storing the JSON in their long transaction. */
async function renderExts(tx: Db, ids: readonly number[]): Promise<string[]> {
  const rows = new Map((await findMemberExts(tx, ids)).map((row) => [row.id, row]))
  const yieldIfDue = createYielder()
  const rendered: string[] = []
  for (const id of ids) {
    const row = rows.get(id)
    rendered.push(row ? tx.renderJson(memberExt, row, 'owner') : '')
    await yieldIfDue()
  }
  return rendered
}

const { member_id } = memberExts

const extsOf = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.select().from(memberExts).where(inJsonNumbers(member_id, ids)),
)

const deleteExts = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.delete(memberExts).where(inJsonNumbers(member_id, ids)),
)

const insertExts = query((db, { rows }: Placeholders<'rows'>, { rowsIn }) =>
  db.insert(memberExts).select(rowsIn(rows, memberExts, Object.keys(getTableColumns(memberExts)))),
)
