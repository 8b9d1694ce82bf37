import { group } from '../../model/group'
import type { BundleGroup, BundleMember, Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { allLevels, nameOr, repairFields, resolveMembers } from '../repair'
import { type AppRow, colorOf, createdOf, textOf } from './rows'

/** Groups stood inside each other; here they are flat, and the path shows in the display name. */
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

/** Puts members into the group of that name, which is made, private, unless the file has it. */
export function gather(
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
  const made = {
    key: `#${name}`,
    values: { ...allLevels(group, 'private'), name },
    members: keys,
  }
  groups.push(made)
  return made
}

type Parents = ReadonlyMap<string, AppRow | null>

/** Who stands above each group. Where groups stand above themselves, the topmost is set free. */
function parentsOf(rows: readonly AppRow[], log: ImportLog): Parents {
  const byId = new Map(rows.map((row) => [row._id, row]))
  const parents = new Map<string, AppRow | null>()
  for (const row of rows) {
    const below = new Set<string>()
    let at: AppRow | null = row
    while (at && !parents.has(at._id)) {
      below.add(at._id)
      const ref = textOf(at.parent)
      const parent: AppRow | null = byId.get(ref ?? 'root') ?? null
      const isLoop = parent !== null && below.has(parent._id)
      if (isLoop || (parent === null && ref !== undefined && ref !== 'root')) {
        const why = isLoop ? 'groups inside each other' : 'no such group in this file'
        log.repair(subjectOf(at), 'parent', ref, null, why)
      }
      const above: AppRow | null = isLoop ? null : parent
      parents.set(at._id, above)
      at = above
    }
  }
  return parents
}

/** The path down to the group behind its emoji, from as far up as there is room for. */
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
