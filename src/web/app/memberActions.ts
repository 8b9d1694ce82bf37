import { requireServer, showToast } from './actions'
import { requestOwn } from './api'
import { loadMember, type Member, nameOf, preferences } from './store'
import { countOf } from './strings'
import { bulkStrings } from './strings/bulk'

/** Deletes some for good, one after the other; how many are gone is told on the way. */
export async function deleteMembers(
  some: readonly Member[],
  told: (gone: number) => void = () => {},
): Promise<void> {
  requireServer()
  const [first] = some
  const who =
    some.length === 1 && first ? nameOf(first.id) : countOf(some.length, preferences.value.word)
  for (const [at, { uuid }] of some.entries()) {
    await requestOwn(`v2/members/${uuid}`, { method: 'DELETE' })
    await loadMember(uuid)
    told(at + 1)
  }
  showToast({ text: bulkStrings.areGone(who, some.length) })
}
