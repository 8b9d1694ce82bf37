import { reason } from '../../model/core/reason'
import { group } from '../../model/groups/group'
import { groupExt, MAX_GROUP_DEPTH } from '../../model/groups/groupExt'
import type { BundleGroup, Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { allLevels, colorOf, nameOr, repairFields, resolveMembers, textOf } from '../repair'
import { originOf, type ReadContext } from './readContext'
import { type AppRow, createdOf } from './rows'

/** Parses groups with their parents. */
export function readGroups(context: ReadContext): BundleGroup[] {
  const { log } = context
  const rows = context.rows('groups')
  const parents = limitDepth(rows, parentsOf(rows, log), log)
  const named = Map.groupBy(rows, shortName)
  return rows.map((row, position) => {
    const subject = subjectOf(row)
    const parent = parents.get(row._id) ?? null
    const isAmbiguous = (named.get(shortName(row))?.length ?? 0) > 1
    const values = repairFields(
      group,
      {
        name: textOf(row.name),
        display_name: isAmbiguous ? pathOf(row, parents) : undefined,
        description: textOf(row.desc),
        color: colorOf(row.color, subject, log),
      },
      subject,
      log,
    )
    let unknown = 0
    const memberKeys = resolveMembers(row.members, context.memberKeys, () => unknown++)
    if (unknown > 0) log.dropRow('memberships', subject, 'members', null, 'not_members', unknown)
    const { emoji = null } = repairFields(groupExt, { emoji: textOf(row.emoji) }, subject, log)
    context.archiveRest('groups', context.buckets.put('groups', row._id, row), importedKeys)
    return {
      key: row._id,
      origin: originOf('groups', row._id),
      values: {
        ...values,
        ...createdOf(row),
        ...allLevels(group, context.isPublic(row) ? 'public' : 'private'),
        name: nameOr(values.name, null, subject, log),
      },
      members: memberKeys,
      ext: { parent: parent?._id ?? null, emoji, position },
    }
  })
}

const importedKeys = ['name', 'desc', 'color', 'emoji', 'parent', 'members']

type Parents = ReadonlyMap<string, AppRow | null>

/** Returns the parent of each group. A cycle is broken at its topmost group. */
function parentsOf(rows: readonly AppRow[], log: ImportLog): Parents {
  const byId = new Map(rows.map((row) => [row._id, row]))
  const parents = new Map<string, AppRow | null>()
  for (const row of rows) {
    const visited = new Set<string>()
    let current: AppRow | null = row
    while (current && !parents.has(current._id)) {
      visited.add(current._id)
      const ref = textOf(current.parent)
      const parent: AppRow | null = byId.get(ref ?? 'root') ?? null
      const isLoop = parent !== null && visited.has(parent._id)
      if (isLoop || (parent === null && ref !== undefined && ref !== 'root')) {
        const why = isLoop ? 'group_loop' : 'no_such_group'
        log.repair(subjectOf(current), 'parent', ref, null, why)
      }
      const above: AppRow | null = isLoop ? null : parent
      parents.set(current._id, above)
      current = above
    }
  }
  return parents
}

/** Moves groups that are nested too deeply up to the last level. */
function limitDepth(rows: readonly AppRow[], parents: Parents, log: ImportLog): Parents {
  const limited = new Map<string, AppRow | null>()
  const depths = new Map<string, number>()
  for (const row of rows) {
    // From the row to the first group whose depth is known, or to the top.
    const path: AppRow[] = []
    for (
      let group: AppRow | null = row;
      group && !depths.has(group._id);
      group = parents.get(group._id) ?? null
    )
      path.push(group)
    for (const group of path.toReversed()) {
      const parent = parents.get(group._id) ?? null
      const isTooDeep = parent !== null && (depths.get(parent._id) ?? 0) >= MAX_GROUP_DEPTH
      const above = isTooDeep ? (limited.get(parent._id) ?? null) : parent
      if (isTooDeep) {
        const why = reason('too_deep', { max: MAX_GROUP_DEPTH })
        log.repair(
          subjectOf(group),
          'parent',
          textOf(parent.name),
          textOf(above?.name) ?? null,
          why,
        )
      }
      limited.set(group._id, above)
      depths.set(group._id, above === null ? 1 : (depths.get(above._id) ?? 0) + 1)
    }
  }
  return limited
}

/** Returns the names of parent and group if they fit, so that groups of one name differ. */
function pathOf(row: AppRow, parents: Parents): string | undefined {
  const parent = parents.get(row._id)
  if (!parent) return undefined
  const path = `${shortName(parent)} / ${shortName(row)}`
  return path.length > MAX_NAME ? undefined : path
}

const MAX_NAME = group.fields.name.max ?? 0

function shortName(row: AppRow): string {
  return (textOf(row.name) ?? 'Unnamed').slice(0, MAX_NAME)
}

function subjectOf(row: AppRow): Subject {
  return { kind: 'group', name: textOf(row.name) ?? null }
}
