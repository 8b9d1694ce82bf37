import type { Db } from '../../db/types'
import { runCooperatively } from '../../db/yieldToEventLoop'
import { type Draft, type Patch, throwIfInvalid } from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import type { member } from '../../model/members/member'
import { beginningOf, type MemberExtPatch } from '../../model/members/memberExt'
import { findEntityById } from '../../store/core/entityRows'
import { listDefaultBuckets } from '../../store/friends/bucketRows'
import {
  type FieldDefinition,
  listDefinitions,
  type ParsedValues,
} from '../../store/members/fieldValueRows'
import { writeMemberExts } from '../../store/members/memberExtChanges'
import {
  clearAbouts,
  joinJson,
  renderMemberExt,
  renderMemberExts,
} from '../../store/members/memberExts'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import {
  changeEntityIn,
  changeListedEntities,
  createEntityIn,
  locateOwnEntity,
} from '../core/entities'
import { parseValues } from './fieldValues'
import { memberKind } from './memberKind'

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
    const { row, json } = await createEntityIn(deps, tx, viewer, memberKind, draft, hasBuckets)
    await writeMemberExts(deps, tx, systemId, [{ row, ext, values }])
    return joinJson(json, await renderMemberExt(tx, row.id))
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
  const { id, system_id } = await locateOwnEntity(deps, viewer, memberRowKind, ref)
  return deps.transact({ system: system_id }, async (tx) => {
    const before = await findEntityById(tx, memberRowKind, id)
    if (!before) throw error('memberNotFound')
    const values = await parseOwnValues(tx, system_id, body)
    const patch = withBeginning(body.member, body.ext)
    const afterChange = 'about' in body.ext ? writesNothing : undefined
    const { row, json } = await changeEntityIn(deps, tx, memberKind, before, patch, afterChange)
    await writeMemberExts(deps, tx, system_id, [{ row, ext: body.ext, values }])
    return joinJson(json, await renderMemberExt(tx, id))
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
      const allProblems = { ...problems }
      const values: ParsedValues[] = []
      for (const { position, body } of items) {
        yield
        values.push(
          parseValues(definitions, body.ext.fields ?? {}, allProblems, `${position}.fields`),
        )
      }
      return { values, problems: allProblems }
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
    const objects = await changeListedEntities(
      deps,
      memberKind,
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
        await writeMemberExts(deps, tx, systemId, written)
        added = await renderMemberExts(
          tx,
          written.map(({ row }) => row.id),
        )
      },
    )
    return `[${objects.map((json, index) => joinJson(json, added[index] ?? '')).join()}]`
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
  const collected = { ...problems }
  const definitions = ext.fields ? await listDefinitions(tx, systemId) : []
  const values = parseValues(definitions, ext.fields ?? {}, collected, 'fields')
  throwIfInvalid(collected)
  return values
}
