import { MAX_GROUP_DEPTH } from '../../model/groups/groupExt'
import type { Group } from '../api/types'

/** Groups that contain groups. */

/** Returns the name of a group, with its emoji. */
export function nameOfGroup({ name, display_name, emoji }: Group): string {
  return `${emoji ? `${emoji} ` : ''}${display_name || name}`
}

export interface GroupNode {
  readonly group: Group
  /** 1 at the top. */
  readonly level: number
  /** Place among the groups of the same parent, beginning with 1. */
  readonly place: number
  readonly siblings: number
  readonly children: number
}

/** Returns the groups of each parent in their order; those with an unknown parent are at the top. */
function childrenOf(groups: readonly Group[]): Map<string | null, Group[]> {
  const uuids = new Set(groups.map(({ uuid }) => uuid))
  const children = new Map<string | null, Group[]>()
  for (const group of groups.toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))) {
    const parent = group.parent && uuids.has(group.parent) ? group.parent : null
    children.set(parent, [...(children.get(parent) ?? []), group])
  }
  return children
}

/** Lists all groups in the order of the tree, each followed by its children unless it is collapsed. */
export function listTree(
  groups: readonly Group[],
  isCollapsed: (group: Group) => boolean = () => false,
): GroupNode[] {
  const children = childrenOf(groups)
  const walk = (parent: string | null, level: number): GroupNode[] => {
    const inside = children.get(parent) ?? []
    return inside.flatMap((group, index) => [
      {
        group,
        level,
        place: index + 1,
        siblings: inside.length,
        children: children.get(group.uuid)?.length ?? 0,
      },
      ...(isCollapsed(group) ? [] : walk(group.uuid, level + 1)),
    ])
  }
  return walk(null, 1)
}

/** Returns the groups directly inside of a group, in their order; null means the top. */
export function subgroupsOf(groups: readonly Group[], parent: string | null): readonly Group[] {
  return childrenOf(groups).get(parent) ?? []
}

/** Returns the groups that contain a group, the outermost first. */
export function pathOf(groups: readonly Group[], { parent, uuid }: Group): Group[] {
  const outer = groups.find((group) => group.uuid === parent)
  // Only a group that is being moved elsewhere could contain itself.
  return outer && outer.uuid !== uuid ? [...pathOf(groups, outer), outer] : []
}

/** Returns a group with everything inside of it. */
export function withSubgroups(groups: readonly Group[], group: Group): Group[] {
  const children = childrenOf(groups)
  const walk = (parent: Group): Group[] => [
    parent,
    ...(children.get(parent.uuid) ?? []).flatMap(walk),
  ]
  return walk(group)
}

/** Returns the groups that may contain a group: neither itself nor what is in it, nor too deep. */
export function possibleParents(groups: readonly Group[], moved: Group): GroupNode[] {
  const inside = new Set(withSubgroups(groups, moved).map(({ uuid }) => uuid))
  const all = listTree(groups)
  const levels = all.filter(({ group }) => inside.has(group.uuid)).map(({ level }) => level)
  const height = Math.max(...levels) - Math.min(...levels) + 1
  return all.filter(
    ({ group, level }) => !inside.has(group.uuid) && level + height <= MAX_GROUP_DEPTH,
  )
}

interface TreeEntry {
  readonly id: string
  readonly parent: string | null
}

/** Returns the tree with a group moved to a place (beginning with 0) inside of a parent. */
export function moveInTree(
  groups: readonly Group[],
  moved: Group,
  parent: string | null,
  place: number,
): TreeEntry[] {
  const children = childrenOf(groups)
  for (const [key, inside] of children)
    children.set(
      key,
      inside.filter(({ uuid }) => uuid !== moved.uuid),
    )
  children.set(parent, (children.get(parent) ?? []).toSpliced(place, 0, moved))
  const walk = (key: string | null): TreeEntry[] =>
    (children.get(key) ?? []).flatMap(({ uuid }) => [{ id: uuid, parent: key }, ...walk(uuid)])
  return walk(null)
}
