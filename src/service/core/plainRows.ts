// Operations on kinds without peculiarities. All others have a file of their noun.

import type { Draft, Patch } from '../../model/core/entity'
import type { PageRequest } from '../../model/core/listPage'
import type { Redacted, Viewer } from '../../model/core/privacy'
import { type EntityOf, forEachOwned, type OwnedList, ownedKind } from '../../model/ownedKinds'
import { ownedRowKind } from '../../store/members/memberReference'
import type { Deps } from './deps'
import {
  changeOwned,
  createOwned,
  deleteOwned,
  getOwned,
  listOwned,
  listOwnedPage,
  orderOwned,
} from './ownedRows'

type Plain = EntityOf<OwnedList>

const kinds = forEachOwned(ownedRowKind)

export function getPlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  uuid: string,
): Promise<Redacted<Plain>> {
  return getOwned(deps, viewer, kinds[list], uuid)
}

/** Lists a page of rows, or all rows in their order if it is null. */
export function listPlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  page: PageRequest | null,
): Promise<Redacted<Plain>[]> {
  if (page === null) return listOwned(deps, viewer, kinds[list])
  return listOwnedPage(deps, viewer, kinds[list], page)
}

export function createPlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  draft: Draft<Plain>,
): Promise<Redacted<Plain>> {
  return createOwned(deps, viewer, kinds[list], draft)
}

export function patchPlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  uuid: string,
  patch: Patch<Plain>,
): Promise<Redacted<Plain>> {
  return changeOwned(deps, viewer, kinds[list], uuid, patch)
}

export function deletePlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  uuid: string,
): Promise<void> {
  return deleteOwned(deps, viewer, kinds[list], uuid)
}

export function orderPlain(
  deps: Deps,
  viewer: Viewer,
  list: OwnedList,
  uuids: readonly string[],
): Promise<Redacted<Plain>[]> {
  return orderOwned(deps, viewer, kinds[list], ownedKind(list).name.replaceAll('_', ' '), uuids)
}
