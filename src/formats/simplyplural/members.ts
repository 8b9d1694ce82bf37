import { MAX_DESCRIPTION, type MemberPatch, member } from '../../model/members/member'
import { beginningOf, type MemberExtPatch, memberExt } from '../../model/members/memberExt'
import type { BundleMember, Subject } from '../bundle'
import { allLevels, colorOf, nameOr, readHid, repairFields, textOf } from '../repair'
import { type Birthday, birthdayOf, unknownInfo } from './memberInfo'
import { originOf, type ReadContext } from './readContext'
import { type AppRow, avatarOf, createdOf, timeOf } from './rows'

/** Parses members and custom fronts, which are members without some keys. */
export function readMembers(context: ReadContext): BundleMember[] {
  const people = context.rows('members')
  const customFronts = context.rows('frontStatuses')
  const members = people.map((row) => readMember(row, 'members', row._id, context))
  for (const { key } of members) {
    context.memberKeys.set(key, key)
    context.writers.add(key)
  }
  const states = customFronts.map((row) => {
    const key = context.writers.has(row._id) ? `#custom ${row._id}` : row._id
    return readMember(row, 'frontStatuses', key, context)
  })
  for (const { key } of states) context.memberKeys.set(key, key)
  for (const row of [...customFronts, ...people]) {
    const name = textOf(row.name)
    if (name !== undefined) context.names.set(row._id, name)
  }
  return [...members, ...states]
}

function readMember(
  row: AppRow,
  collection: 'members' | 'frontStatuses',
  key: string,
  context: ReadContext,
): BundleMember {
  const { log } = context
  const subject: Subject = { kind: 'member', name: textOf(row.name) ?? null }
  const birthday = birthdayOf(row, context.birthdayFields, subject, log)
  const hid = readPkId(row, subject, context)
  const description = textOf(row.desc)
  const values = repairFields(
    member,
    {
      name: textOf(row.name),
      description: description && beginningOf(description.toWellFormed()),
      pronouns: textOf(row.pronouns),
      color: colorOf(row.color, subject, log),
      avatar_url: avatarOf(row, subject, log),
      birthday: birthday?.date,
    },
    subject,
    log,
  )
  const name = nameOr(values.name, null, subject, log)
  // Custom fronts have no values.
  const unread = unknownInfo(row, collection === 'members' ? context.fields : [])
  const isInfoRead = Object.keys(unread).length === 0
  const read = [
    ...importedKeys,
    ...(isInfoRead ? ['info'] : []),
    ...(row.archived === true ? ['archivedReason'] : []),
  ]
  const rest = context.buckets.put('members', key, row)
  context.archiveRest(collection, { ...rest, ...unread }, read)
  return {
    key,
    ...(hid && { hid }),
    origin: originOf(collection, row._id),
    values: { ...values, ...createdOf(row), ...levelsOf(row, birthday, context), name },
    ext: {
      ...readExt(row, subject, context),
      ...(collection === 'frontStatuses' && { kind: 'custom_front' }),
    },
  }
}

const importedKeys = [
  'name',
  'desc',
  'pronouns',
  'color',
  'avatarUrl',
  'pkId',
  'archived',
  'preventsFrontNotifs',
]

/** Parses what the extension API adds to a member, without defaults. */
function readExt(row: AppRow, subject: Subject, { log }: ReadContext): MemberExtPatch {
  const isArchived = row.archived === true
  const description = textOf(row.desc)
  const isLong = description !== undefined && description.length > MAX_DESCRIPTION
  const fields = {
    ...(isArchived && { archived_reason: textOf(row.archivedReason) }),
    ...(isLong && { about: description }),
  }
  return {
    ...repairFields(memberExt, fields, subject, log),
    // The file has no time of the archiving; the row was changed then, or later.
    ...(isArchived && {
      archived_at: timeOf(row.lastOperationTime) ?? createdOf(row).created ?? 1,
    }),
    ...(row.preventsFrontNotifs === true && { announce_front: false }),
  }
}

function readPkId(row: AppRow, subject: Subject, { hids, log }: ReadContext): string | undefined {
  const text = textOf(row.pkId)?.trim()
  if (text === undefined) return undefined
  const hid = readHid(text)
  if (hid !== undefined && !hids.has(hid)) {
    hids.add(hid)
    return hid
  }
  const why = hid === undefined ? 'not_short_id' : 'given_twice'
  log.repair(subject, 'pkId', text, null, why)
  return undefined
}

function levelsOf(row: AppRow, birthday: Birthday | undefined, context: ReadContext): MemberPatch {
  const levels: MemberPatch = allLevels(member, context.isPublic(row) ? 'public' : 'private')
  if (birthday && !context.isPublic(birthday.field)) levels.birthday_privacy = 'private'
  if (row.archived === true) levels.visibility = 'private'
  return levels
}
