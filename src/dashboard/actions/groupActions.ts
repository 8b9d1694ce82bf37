import { request } from '../api/client'
import { changeMembersPath, groupTreePath } from '../api/resources'
import type { Group, Member } from '../api/types'
import { showToast } from '../core/actions'
import { groups, loadGroups, memberWord } from '../core/store'
import { bulkStrings, groupTreeStrings } from '../texts/texts'
import { moveInTree } from './groupTree'

/** Adds members to a group and removes members from it in one request, with a toast to undo it. */
export async function changeMemberships(
  group: Group,
  added: readonly Member[],
  removed: readonly Member[],
): Promise<void> {
  const addedIds = added.map(({ uuid }) => uuid)
  const removedIds = removed.map(({ uuid }) => uuid)
  await updateMembers(group.uuid, addedIds, removedIds)
  const name = group.display_name || group.name
  const word = memberWord.value
  const text =
    removedIds.length === 0
      ? bulkStrings.added(addedIds.length, word, name)
      : addedIds.length === 0
        ? bulkStrings.removed(removedIds.length, word, name)
        : bulkStrings.changed(name)
  const undo = {
    kind: 'changeMemberships',
    group: group.uuid,
    added: removedIds,
    removed: addedIds,
  } as const
  showToast({ text, undo })
}

/** Updates the store at once; the event stream confirms it. */
export async function updateMembers(
  uuid: string,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const before = groups.value.find((group) => group.uuid === uuid)?.members ?? []
  const others = before.filter((member) => !added.includes(member) && !removed.includes(member))
  const after = [...others, ...added]
  const [action, body] =
    removed.length === 0
      ? ['add', added]
      : added.length === 0
        ? ['remove', removed]
        : ['overwrite', after]
  await request(changeMembersPath(uuid, action), { method: 'POST', body })
  groups.value = groups.value.map((group) =>
    group.uuid === uuid ? { ...group, members: after } : group,
  )
}

/** Moves a group to a place (beginning with 0) inside of a parent, or at the top. */
export async function moveGroup(group: Group, parent: string | null, place: number): Promise<void> {
  const body = moveInTree(groups.value, group, parent, place)
  try {
    await request(groupTreePath, { method: 'PUT', body })
    showToast({ text: groupTreeStrings.isMoved(group.display_name || group.name) })
  } finally {
    await loadGroups()
  }
}
