import { type Group, isArchived, isCustomFront, type Member } from '../../api/types'
import { members, memberWord } from '../../core/store'
import { listNames, memberExtStrings, strings } from '../../texts/texts'

/** Returns the members of a group, archived ones last. */
export function membersOf(group: Group): readonly Member[] {
  const uuids = new Set(group.members)
  const inside = members.value.filter(({ uuid }) => uuids.has(uuid))
  return [...inside.filter((member) => !isArchived(member)), ...inside.filter(isArchived)]
}

/** Counts members; custom fronts are counted apart, and archived ones not at all. */
export function describeCount(some: readonly Member[]): string {
  const counted = some.filter((member) => !isArchived(member))
  const customFronts = counted.filter(isCustomFront).length
  const people = counted.length - customFronts
  const count = strings.countOf(people, memberWord.value)
  if (customFronts === 0) return count
  const others = memberExtStrings.countOfCustomFronts(customFronts)
  return people === 0 ? others : listNames([count, others])
}
