import { isArchived, isCustomFront, type Member } from '../../api/types'
import { likelyFronters, weighTime } from '../../core/history'
import { members, membersById, preferences, switches } from '../../core/store'
import { now } from '../../lib/clock'

/** Returns the members likely to front next, without custom fronts, archived members and these. */
export function listLikely(here: readonly string[], limit: number): Member[] {
  const people = members.value.filter((member) => !isCustomFront(member) && !isArchived(member))
  const weights = weighTime(switches.value, now.value)
  return likelyFronters(people, preferences.value.pinned, weights, here, limit).flatMap(
    (id) => membersById.value.get(id) ?? [],
  )
}
