import { api } from '../api/resources'
import type { ArchiveChange, Member } from '../api/types'
import { showToast } from '../core/actions'
import { memberWord, nameOf, putMembers, removeMemberFromStore } from '../core/store'
import { bulkStrings, memberExtStrings } from '../texts/texts'
import { patchMember } from './memberForm'

/** Deletes members one by one and reports the number deleted so far. */
export async function deleteMembers(
  some: readonly Member[],
  onProgress: (deleted: number) => void = () => {},
): Promise<void> {
  const [first] = some
  const text =
    some.length === 1 && first
      ? bulkStrings.isDeleted(nameOf(first.id))
      : bulkStrings.areDeleted(some.length, memberWord.value)
  for (const [index, { uuid }] of some.entries()) {
    await api.v2Members.remove(uuid)
    removeMemberFromStore(uuid)
    onProgress(index + 1)
  }
  showToast({ text })
}

/** Archives a member, with a toast to undo it. */
export async function archiveMember(member: Member, reason: string | null): Promise<void> {
  await changeArchived(member.uuid, { archived: true, archived_reason: reason })
  showToast({
    text: memberExtStrings.isArchived(nameOf(member.id)),
    undo: { kind: 'changeArchived', uuid: member.uuid, change: unarchived },
  })
}

/** Restores an archived member, with a toast to undo it. */
export async function restoreMember({ id, uuid, ext }: Member): Promise<void> {
  const before = { archived: true, archived_reason: ext?.archived_reason ?? null }
  await changeArchived(uuid, unarchived)
  showToast({
    text: memberExtStrings.isRestored(nameOf(id)),
    undo: { kind: 'changeArchived', uuid, change: before },
  })
}

const unarchived: ArchiveChange = { archived: false, archived_reason: null }

export async function changeArchived(uuid: string, change: ArchiveChange): Promise<void> {
  const saved = await patchMember(uuid, { ...change })
  if (saved) putMembers([saved])
}
