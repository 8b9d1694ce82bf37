import type { Db } from '../../db/types'
import type { Viewer } from '../../model/core/privacy'
import type { Group, GroupDraft, GroupPatch, group } from '../../model/groups/group'
import { insertEntity } from '../../store/core/entityRows'
import type { GivenIdentity, Stored } from '../../store/core/identityRows'
import { groupRowKind } from '../../store/groups/groupRows'
import type { Deps } from '../core/deps'
import {
  changeAllEntities,
  changeEntities,
  changeEntity,
  createEntity,
  deleteEntity,
  type ListedPatches,
} from '../core/entities'
import { groupKind } from './groupKind'

/** Inserts a group without limits and events. */
export async function insertGroup(
  tx: Db,
  systemId: number,
  draft: GroupDraft,
  identity?: GivenIdentity,
): Promise<Group> {
  return (await insertEntity(tx, groupRowKind, systemId, draft, identity)).row
}

export function createGroup(deps: Deps, viewer: Viewer, draft: GroupDraft): Promise<Stored<Group>> {
  return createEntity(deps, viewer, groupKind, draft)
}

export function patchGroup(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: GroupPatch,
): Promise<Stored<Group>> {
  return changeEntity(deps, viewer, groupKind, ref, patch)
}

export function patchGroups(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  changes: Generator<void, ListedPatches<typeof group>>,
): Promise<string> {
  return changeEntities(deps, viewer, groupKind, signal, changes)
}

export function patchAllGroups(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  patch: GroupPatch,
): Promise<void> {
  return changeAllEntities(deps, viewer, groupKind, signal, patch)
}

export function deleteGroup(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  return deleteEntity(deps, viewer, groupKind, ref)
}
