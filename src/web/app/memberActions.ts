import { showToast } from './actions'
import { requestOwn } from './api'
import { loadMember, type Member, nameOf, preferences } from './store'
import { countOf } from './strings'
import { bulkStrings } from './strings/bulk'

/** Deletes members one by one and reports the number deleted so far. */
export async function deleteMembers(
  some: readonly Member[],
  onProgress: (deleted: number) => void = () => {},
): Promise<void> {
  const [first] = some
  const label =
    some.length === 1 && first ? nameOf(first.id) : countOf(some.length, preferences.value.word)
  for (const [at, { uuid }] of some.entries()) {
    await requestOwn(`v2/members/${uuid}`, { method: 'DELETE' })
    await loadMember(uuid)
    onProgress(at + 1)
  }
  showToast({ text: bulkStrings.areGone(label, some.length) })
}
