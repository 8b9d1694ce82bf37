import { requireServer, showToast } from './actions'
import { requestOwn } from './api'
import { groups, type Member, preferences } from './store'
import { countOf } from './strings'
import { bulkStrings } from './strings/bulk'
import type { Group } from './types'

/** Who comes into a group and who leaves it, in one request; it is told, and can be undone. */
export async function changeMemberships(
  group: Group,
  coming: readonly Member[],
  leaving: readonly Member[],
): Promise<void> {
  requireServer()
  const came = coming.map(({ uuid }) => uuid)
  const left = leaving.map(({ uuid }) => uuid)
  await move(group.uuid, came, left)
  const name = group.display_name || group.name
  const many = countOf(came.length + left.length, preferences.value.word)
  const text =
    left.length === 0
      ? bulkStrings.joined(many, name)
      : came.length === 0
        ? bulkStrings.left(many, name)
        : bulkStrings.changed(name)
  showToast({ text, undo: () => move(group.uuid, left, came) })
}

/** The page shows it at once, and the stream confirms it. */
async function move(
  uuid: string,
  coming: readonly string[],
  leaving: readonly string[],
): Promise<void> {
  const before = groups.value.find((one) => one.uuid === uuid)?.members ?? []
  const others = before.filter((one) => !coming.includes(one) && !leaving.includes(one))
  const after = [...others, ...coming]
  const [action, body] =
    leaving.length === 0
      ? ['add', coming]
      : coming.length === 0
        ? ['remove', leaving]
        : ['overwrite', after]
  await requestOwn(`v2/groups/${uuid}/members/${action}`, { method: 'POST', body })
  groups.value = groups.value.map((one) => (one.uuid === uuid ? { ...one, members: after } : one))
}
