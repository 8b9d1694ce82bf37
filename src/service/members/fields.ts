import type { JsonObject } from '../../model/core/entity'
import type { Problems } from '../../model/core/errors'
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
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { allFields, fieldKind } from '../../store/members/fieldKind'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import {
  changeOwned,
  createOwnedIn,
  deleteOwned,
  findOwnedProblems,
  orderOwned,
  redactForOwner,
} from '../core/ownedRows'
import { getSystem } from '../systems/systems'

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
  const system = await getSystem(deps, viewer, ref)
  const owner = isOwner(viewer, system.id)
  requireListAccess('members', system, owner)
  const rows = await allFields(deps.db, system.id)
  return rows
    .filter(({ privacy }) => owner || privacy === 'public')
    .map((row) => redact(customField, row, audienceOf(viewer, system.id)))
}

/** Puts all custom fields into a new order. */
export function orderFields(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Redacted<typeof customField>[]> {
  return orderOwned(deps, viewer, fieldKind, 'field', ids)
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
