import { group } from '../../model/group'
import type { BundleGroup, BundleMember, Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { allLevels, nameOr, repairFields, resolveMembers } from '../repair'
import { type AppRow, colorOf, createdOf, textOf } from './rows'

/** Parses groups. Nested groups become flat, with the path in the display name. */
export function readGroups(
  rows: readonly AppRow[],
  members: ReadonlyMap<string, string>,
  isPublic: (row: AppRow) => boolean,
  log: ImportLog,
): BundleGroup[] {
  const parents = parentsOf(rows, log)
  return rows.map((row) => {
    const subject = subjectOf(row)
    const values = repairFields(
      group,
      {
        name: textOf(row.name),
        display_name: displayNameOf(row, parents),
        description: textOf(row.desc),
        color: colorOf(row.color, subject, log),
      },
      subject,
      log,
    )
    let unknown = 0
    const found = resolveMembers(row.members, members, () => unknown++)
    if (unknown > 0)
      log.dropRow('memberships', subject, 'members', null, 'not members of this file', unknown)
    return {
      key: row._id,
      values: {
        ...values,
        ...createdOf(row),
        ...allLevels(group, isPublic(row) ? 'public' : 'private'),
        name: nameOr(values.name, null, subject, log),
      },
      members: found,
    }
  })
}

/** Adds members to the group of that name, or to a new private group if the file has none. */
export function addToGroup(
  groups: BundleGroup[],
  name: string,
  members: readonly BundleMember[],
): BundleGroup | null {
  if (members.length === 0) return null
  const keys = members.map(({ key }) => key)
  const existing = groups.find(({ values }) => values.name === name)
  if (existing) {
    existing.members = [...new Set([...existing.members, ...keys])]
    return existing
  }
  const created = {
    key: `#${name}`,
    values: { ...allLevels(group, 'private'), name },
    members: keys,
  }
  groups.push(created)
  return created
}

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
        const why = isLoop ? 'groups contain each other' : 'no such group in this file'
        log.repair(subjectOf(current), 'parent', ref, null, why)
      }
      const above: AppRow | null = isLoop ? null : parent
      parents.set(current._id, above)
      current = above
    }
  }
  return parents
}

/** Returns emoji and path of the group, with as many parents as fit. */
function displayNameOf(row: AppRow, parents: Parents): string | undefined {
  const emoji = textOf(row.emoji)
  const lead = emoji === undefined ? '' : `${emoji} `
  let path = shortName(row)
  for (let above = parents.get(row._id); above; above = parents.get(above._id)) {
    const longer = `${shortName(above)} / ${path}`
    if (lead.length + longer.length > MAX_NAME) break
    path = longer
  }
  return path === shortName(row) && lead === '' ? undefined : `${lead}${path}`
}

const MAX_NAME = group.fields.name.max ?? 0

function shortName(row: AppRow): string {
  return (textOf(row.name) ?? 'Unnamed').slice(0, MAX_NAME)
}

function subjectOf(row: AppRow): Subject {
  return { kind: 'group', name: textOf(row.name) ?? null }
}
