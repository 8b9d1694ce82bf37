import type { JsonObject } from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import {
  audienceOf,
  isOwner,
  type Redacted,
  redact,
  requireListAccess,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import {
  type CustomFieldDraft,
  type CustomFieldPatch,
  customField,
} from '../../model/members/customField'
import type { OwnedRow } from '../../store/core/ownedRows'
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { allFields, fieldKind } from '../../store/members/fieldKind'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import {
  changeOwned,
  changeOwnedIn,
  createOwnedIn,
  deleteOwned,
  findOwnedProblems,
  redactForOwner,
} from '../core/ownedRows'
import { getSystem } from '../systems/systems'

type FieldRow = OwnedRow<typeof customField>

/** Creates a custom field, in the given buckets or in those for new fields. */
export async function createField(
  deps: Deps,
  viewer: Viewer,
  draft: CustomFieldDraft,
): Promise<Redacted<typeof customField>> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const row = await createOwnedIn(deps, tx, fieldKind, systemId, draft)
    if (draft.buckets) return redactForOwner(fieldKind, row)
    const buckets = await putInDefaultBuckets(tx, systemId, 'fields', row.id)
    return redactForOwner(fieldKind, { ...row, buckets })
  })
}

/** Lists the custom fields of a system that the caller may see, in their order. */
export async function listFields(
  deps: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof customField>[]> {
  const of = await getSystem(deps, viewer, ref)
  const owner = isOwner(viewer, of.id)
  requireListAccess('members', of, owner)
  const found = await allFields(deps.db, of.id)
  return found
    .filter(({ privacy }) => owner || privacy === 'public')
    .map((row) => redact(customField, row, audienceOf(viewer, of.id)))
}

/** Puts all custom fields into a new order. */
export async function orderFields(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Redacted<typeof customField>[]> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    const byUuid = new Map((await allFields(tx, systemId)).map((row) => [row.uuid, row]))
    const ordered = ids.flatMap((id) => byUuid.get(id.toLowerCase()) ?? [])
    const isComplete = ids.length === byUuid.size && new Set(ordered).size === byUuid.size
    if (!isComplete) throw error('badRequest', 'every field must be named once')
    const after: FieldRow[] = []
    for (const [position, row] of ordered.entries())
      after.push(await changeOwnedIn(deps, tx, fieldKind, row, { position }))
    return after.map((row) => redactForOwner(fieldKind, row))
  })
}

export function patchField(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: CustomFieldPatch,
): Promise<Redacted<typeof customField>> {
  return changeOwned(deps, viewer, fieldKind, uuid, patch)
}

/** Deletes a field with the values that members have in it. */
export function deleteField(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  return deleteOwned(deps, viewer, fieldKind, uuid)
}

/** Returns problems of the body of a field that only the stored field shows. */
export function findFieldProblems(
  deps: Deps,
  viewer: Viewer,
  uuid: string | null,
  body: JsonObject,
): Promise<Problems> {
  return findOwnedProblems(deps, viewer, fieldKind, uuid, body)
}
