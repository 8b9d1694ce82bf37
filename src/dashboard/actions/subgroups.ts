import type { Group } from '../api/types'

/** Returns the UUIDs of the members of a group and, if wanted, of the groups inside of it. */
export function memberUuids(
  groups: readonly Group[],
  group: string,
  withSubgroups: boolean,
): Set<string> {
  const uuids = new Set(groups.find(({ uuid }) => uuid === group)?.members)
  if (withSubgroups)
    for (const { uuid, parent } of groups)
      if (parent === group) for (const member of memberUuids(groups, uuid, true)) uuids.add(member)
  return uuids
}

export function hasSubgroups(groups: readonly Group[], group: string): boolean {
  return groups.some(({ parent }) => parent === group)
}
