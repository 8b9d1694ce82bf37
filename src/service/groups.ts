import { eq } from 'drizzle-orm'
import { groups } from '../db/tables'
import { type Group, type GroupDraft, type GroupPatch, group } from '../model/group'
import type { Viewer } from '../model/privacy'
import type { Deps } from './deps'
import { createOwnedRepository } from './ownedEntity'

export const groupRepository = createOwnedRepository<typeof group>({
  entity: group,
  table: 'groups',
  errors: {
    missing: 'groupNotFound',
    foreign: 'notYourGroup',
    full: 'groupLimit',
    missingRef: 'groupRefNotFound',
    foreignRef: 'notYourGroupRef',
  },
  events: { created: 'CREATE_GROUP', changed: 'UPDATE_GROUP', removed: 'DELETE_GROUP' },
  limitOf: (settings) => settings.group_limit,
  isPrivateIn: (settings) => settings.group_default_private,
  syncDerivedRows: async () => {},
  commitBulk: (_deps, _systemId, _changes, commit) => commit(null),
  beforeDelete: async () => {},
  remove: async (tx, id) => void (await tx.delete(groups).where(eq(groups.id, id))),
})

export const { insert: insertGroup } = groupRepository

export function createGroup(deps: Deps, viewer: Viewer, draft: GroupDraft): Promise<Group> {
  return groupRepository.create(deps, viewer, draft)
}

export function patchGroup(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: GroupPatch,
): Promise<Group> {
  return groupRepository.change(deps, viewer, ref, patch)
}

/** Returns the JSON list of the changed groups. */
export function patchGroups(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  changes: Generator<void, readonly { ref: string; patch: GroupPatch }[]>,
): Promise<string> {
  return groupRepository.changeMany(deps, viewer, signal, changes)
}

/** Changes all groups of the caller's system. */
export function patchAllGroups(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  patch: GroupPatch,
): Promise<void> {
  return groupRepository.changeAll(deps, viewer, signal, patch)
}

export function deleteGroup(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  return groupRepository.remove(deps, viewer, ref)
}
