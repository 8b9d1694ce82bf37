import { MAX_GROUP_DEPTH } from './groupExt'

// Groups that contain groups, as the parent of each; null at the top.

type Parents<Id> = ReadonlyMap<Id, Id | null>

/** Lists the groups from the top, or from a loop, to a group. */
export function pathTo<Id extends number | string>(parents: Parents<Id>, group: Id | null): Id[] {
  const path = new Set<Id>()
  for (let id = group; id !== null && !path.has(id); id = parents.get(id) ?? null) path.add(id)
  return [...path].toReversed()
}

/** Lists the groups that contain each other, each loop from a group to the one that contains all. */
export function loopsOf<Id extends number | string>(parents: Parents<Id>): Id[][] {
  const loops: Id[][] = []
  const visited = new Set<Id>()
  for (const start of parents.keys()) {
    const path: Id[] = []
    let id: Id | null = start
    while (id !== null && !visited.has(id)) {
      visited.add(id)
      path.push(id)
      id = parents.get(id) ?? null
    }
    if (id !== null && path.includes(id)) loops.push(path.slice(path.indexOf(id)))
  }
  return loops
}

/**
 * Moves groups to their parents, and returns why some are elsewhere: the parent that closes a loop is
 * dropped, and what would be nested too deeply is attached as deep as possible.
 */
export function placeGroups<Id extends number | string>(
  parents: Map<Id, Id | null>,
  wanted: readonly (readonly [group: Id, parent: Id | null])[],
): Map<Id, 'loop' | 'depth'> {
  const problems = new Map<Id, 'loop' | 'depth'>()
  for (const [group] of wanted) parents.set(group, null)
  for (const [group, parent] of wanted)
    if (pathTo(parents, parent).includes(group)) problems.set(group, 'loop')
    else parents.set(group, parent)
  const moved = new Set(wanted.map(([group]) => group))
  for (const group of limitDepth(parents, moved)) problems.set(group, 'depth')
  return problems
}

/** Moves groups up that are nested too deeply, with the groups in them that are not moved themselves. */
function limitDepth<Id extends number | string>(
  parents: Map<Id, Id | null>,
  moved: ReadonlySet<Id>,
): Id[] {
  const groups = new Set([...parents].flat().filter((id) => id !== null))
  const children = Map.groupBy(groups, (id) => parents.get(id) ?? null)
  const heightOf = (group: Id): number => {
    const fixed = (children.get(group) ?? []).filter((child) => !moved.has(child))
    return 1 + Math.max(0, ...fixed.map(heightOf))
  }
  const limited: Id[] = []
  const levels = new Map<Id | null, number>([[null, 0]])
  const levelOf = (group: Id | null) => levels.get(group) ?? 0
  // From the top, so that the level of each parent is known.
  for (const above of levels.keys())
    for (const group of children.get(above) ?? []) {
      let parent = above
      const deepest = MAX_GROUP_DEPTH - heightOf(group)
      if (moved.has(group) && levelOf(parent) > deepest) {
        while (parent !== null && levelOf(parent) > deepest) parent = parents.get(parent) ?? null
        parents.set(group, parent)
        limited.push(group)
      }
      levels.set(group, levelOf(parent) + 1)
    }
  return limited
}
