import { now } from './clock'
import { likelyFronters, weighTime } from './history'
import { type Member, members, membersById, preferences, statuses, switches } from './store'

/** Returns the members likely to front next, without statuses and without these. */
export function listLikely(here: readonly string[], limit: number): Member[] {
  const people = members.value.filter(({ uuid }) => !statuses.value.has(uuid))
  const weights = weighTime(switches.value, now.value)
  return likelyFronters(people, preferences.value.pinned, weights, here, limit).flatMap(
    (id) => membersById.value.get(id) ?? [],
  )
}
