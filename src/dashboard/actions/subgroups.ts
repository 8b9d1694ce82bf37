import type { Group } from '../api/types'

/** Returns the UUIDs of the members of a group and, if wanted, of the groups inside of it. */
export function memberUuids(
  groups: readonly Group[],
  group: string,
  withSubgroups: boolean,
): Set<string> {
  const found = new Set(groups.find(({ uuid }) => uuid === group)?.members)
  if (withSubgroups)
    for (const { uuid, parent } of groups)
      if (parent === group) for (const one of memberUuids(groups, uuid, true)) found.add(one)
  return found
}

/** Returns true if a group contains groups. */
export function hasSubgroups(groups: readonly Group[], group: string): boolean {
  return groups.some(({ parent }) => parent === group)
}
