import { showToast } from './actions'
import { requestOwn } from './api'
import { type Member, memberWord, nameOf, removeMemberFromStore } from './store'
import { bulkStrings } from './strings'

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
  for (const [at, { uuid }] of some.entries()) {
    await requestOwn(`v2/members/${uuid}`, { method: 'DELETE' })
    removeMemberFromStore(uuid)
    onProgress(at + 1)
  }
  showToast({ text })
}
