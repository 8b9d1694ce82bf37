import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { group } from '../../model/groups/group'
import { textOf } from '../repair'
import { type ConvertedRows, isBlank, objectsIn, subjectOfRecord } from './entry'
import { archiveName } from './format'
import type { ReadContext } from './readContext'
import { groupExtRecord, groupRecord } from './records'
import { restoredRow } from './recordType'
import { colorIn, levelsIn, wordsIn } from './values'

export function readGroups(context: ReadContext): ConvertedRows {
  const membersOf = readMemberships(context)
  const rows: JsonObject[] = []
  const exts: JsonObject[] = []
  for (const [index, entry] of context.groups.entries()) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('group', record)
    const refs = context.refs(subject)
    const { ext, ...mine }: JsonObject = own ?? {}
    const members = membersOf.get(uuid) ?? []
    rows.push({ ...restoredRow(groupRecord.read(record, refs), own && mine), uuid, members })
    const read = groupExtRecord.read(record, refs)
    const parent = record.parent_group_id
    if (!isBlank(parent) && read.parent === undefined)
      context.log.repair(subject, 'parent', parent, null, 'no_such_group')
    const added = own
      ? restoredRow(read, isObject(ext) ? ext : null)
      : { ...restoredRow(read, null), position: read.position ?? index }
    if (Object.keys(added).length > 0) exts.push({ ...added, group: uuid })
    context.archiveRest('groups', entry, groupRecord.keys)
  }
  return { rows, exts }
}

/** Returns the members of groups. References to unknown members stay, and are reported later. */
function readMemberships(context: ReadContext): Map<string, unknown[]> {
  const membersOf = new Map<string, unknown[]>()
  let unknown = 0
  for (const { group_id, member_id } of objectsIn(context.file.group_memberships)) {
    const group = context.find('groups', group_id)
    if (group === null) unknown += 1
    else {
      const members = membersOf.get(group) ?? []
      members.push(context.memberRef(member_id))
      membersOf.set(group, members)
    }
  }
  if (unknown > 0) {
    const subject = { kind: 'group', name: null } as const
    const why = 'no_such_group'
    context.log.dropRow('memberships', subject, 'members', null, why, unknown)
  }
  return membersOf
}

/** Converts labels, such as roles, to groups that have the kind of the label in their name. */
export function readTerms(context: ReadContext): JsonObject[] {
  const membersOf = new Map<string, unknown[]>()
  const terms = context.entries('taxonomy_terms', 'groups')
  for (const { term_id, subject_type, subject_id, ...rest } of objectsIn(
    context.file.taxonomy_assignments,
  )) {
    const term = context.find('taxonomy_terms', term_id)
    if (term === null || subject_type !== 'member') {
      const row = { term_id, subject_type, subject_id, ...rest }
      context.log.archive(archiveName('taxonomy_assignments'), row)
      continue
    }
    const members = membersOf.get(term) ?? []
    members.push(context.memberRef(subject_id))
    membersOf.set(term, members)
  }
  return terms.map((entry) => {
    const { record, uuid } = entry
    context.archiveRest('taxonomy_terms', entry, ['kind', 'name', 'description', 'color'])
    const kind = wordsIn(record.kind)?.replaceAll('_', ' ') ?? 'label'
    const name = wordsIn(record.name) ?? 'Unnamed'
    return {
      uuid,
      name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${name}`,
      description: textOf(record.description),
      color: colorIn(record.color),
      privacy: levelsIn(group, record.privacy),
      members: membersOf.get(uuid) ?? [],
    }
  })
}
