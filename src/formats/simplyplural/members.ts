import { beginningOf, type MemberExtPatch, memberExt } from '../../model/ext/memberExt'
import { MAX_DESCRIPTION, type MemberPatch, member } from '../../model/member'
import type { BundleMember, Subject } from '../bundle'
import { allLevels, nameOr, readHid, repairFields } from '../repair'
import { type Birthday, birthdayOf, unknownInfo } from './memberInfo'
import { originOf, type Reading } from './reading'
import { type AppRow, avatarOf, colorOf, createdOf, textOf, timeOf } from './rows'

/** Parses members and custom fronts, which are members without some keys. */
export function readMembers(reading: Reading): BundleMember[] {
  const people = reading.rows('members')
  const customFronts = reading.rows('frontStatuses')
  const members = people.map((row) => readMember(row, 'members', row._id, reading))
  for (const { key } of members) {
    reading.memberKeys.set(key, key)
    reading.writers.add(key)
  }
  const states = customFronts.map((row) => {
    const key = reading.writers.has(row._id) ? `#custom ${row._id}` : row._id
    return readMember(row, 'frontStatuses', key, reading)
  })
  for (const { key } of states) reading.memberKeys.set(key, key)
  for (const row of [...customFronts, ...people]) {
    const name = textOf(row.name)
    if (name !== undefined) reading.names.set(row._id, name)
  }
  return [...members, ...states]
}

function readMember(
  row: AppRow,
  collection: 'members' | 'frontStatuses',
  key: string,
  reading: Reading,
): BundleMember {
  const { log } = reading
  const subject: Subject = { kind: 'member', name: textOf(row.name) ?? null }
  const birthday = birthdayOf(row, reading.birthdayFields, subject, log)
  const hid = readPkId(row, subject, reading)
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
  const unread = unknownInfo(row, collection === 'members' ? reading.fields : [])
  const isInfoRead = Object.keys(unread).length === 0
  const read = [
    ...importedKeys,
    ...(isInfoRead ? ['info'] : []),
    ...(row.archived === true ? ['archivedReason'] : []),
  ]
  const rest = reading.buckets.put('members', key, row)
  reading.archiveRest(collection, { ...rest, ...unread }, read)
  return {
    key,
    ...(hid && { hid }),
    origin: originOf(collection, row._id),
    values: { ...values, ...createdOf(row), ...levelsOf(row, birthday, reading), name },
    ext: {
      ...readExt(row, subject, reading),
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
function readExt(row: AppRow, subject: Subject, { log }: Reading): MemberExtPatch {
  const isArchived = row.archived === true
  const description = textOf(row.desc)
  const isLong = description !== undefined && description.length > MAX_DESCRIPTION
  const given = {
    ...(isArchived && { archived_reason: textOf(row.archivedReason) }),
    ...(isLong && { about: description }),
  }
  return {
    ...repairFields(memberExt, given, subject, log),
    // The file has no time of the archiving; the row was changed then, or later.
    ...(isArchived && {
      archived_at: timeOf(row.lastOperationTime) ?? createdOf(row).created ?? 1,
    }),
    ...(row.preventsFrontNotifs === true && { announce_front: false }),
  }
}

function readPkId(row: AppRow, subject: Subject, { hids, log }: Reading): string | undefined {
  const given = textOf(row.pkId)?.trim()
  if (given === undefined) return undefined
  const hid = readHid(given)
  if (hid !== undefined && !hids.has(hid)) {
    hids.add(hid)
    return hid
  }
  const why = hid === undefined ? 'not a short ID' : 'given twice in the file'
  log.repair(subject, 'pkId', given, null, why)
  return undefined
}

function levelsOf(row: AppRow, birthday: Birthday | undefined, reading: Reading): MemberPatch {
  const levels: MemberPatch = allLevels(member, reading.isPublic(row) ? 'public' : 'private')
  if (birthday && !reading.isPublic(birthday.field)) levels.birthday_privacy = 'private'
  if (row.archived === true) levels.visibility = 'private'
  return levels
}
