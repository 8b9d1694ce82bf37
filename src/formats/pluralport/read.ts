import type { JsonObject } from '../../model/entity'
import { isObject } from '../../model/validation'
import { type Bundle, type BundleExtRow, type ReadOptions, UnreadableFile } from '../bundle'
import { ImportLog } from '../importLog'
import { EXT_VERSION } from '../pluralkit/ext'
import { readPluralkit } from '../pluralkit/read'
import { readRef } from '../repair'
import { textOf } from '../simplyplural/rows'
import { objectsIn } from './assets'
import { fieldKeys, readField, readValue } from './fields'
import { archiveName, NAMESPACE, PLURALPORT_VERSION, versionKeys } from './format'
import { readFronts } from './fronts'
import { type Entry, isBlank, Reading, subjectOfRecord } from './reading'
import {
  boardPostRecord,
  groupExtRecord,
  groupRecord,
  memberExtRecord,
  memberRecord,
  messageRecord,
  noteRecord,
  ownExtension,
  type RecordType,
  restoredRow,
  roomRecord,
  systemRecord,
} from './records'
import { birthdayIn, colorIn, wordsIn } from './values'

export function isPluralport(file: JsonObject): boolean {
  return versionKeys.some((key) => Object.hasOwn(file, key))
}

/**
 * Parses a PluralPort file. It is converted to the form of our own exports, whose reader validates
 * and repairs the values.
 */
export function readPluralport(file: JsonObject, options: ReadOptions): Bundle {
  requireVersion(file)
  requireLists(file)
  const log = new ImportLog()
  const reading = new Reading(file, options, log)
  const converted = toOwnForm(reading)
  archiveOthers(reading)
  const bundle = readPluralkit(converted, options, log)
  const { pictures } = reading.assets
  return withOrigins({ ...bundle, format: 'pluralport', pictures }, reading)
}

function requireVersion(file: JsonObject): void {
  const key = versionKeys.find((name) => Object.hasOwn(file, name)) ?? versionKeys[0]
  const given = readRef(file[key])
  if (given === PLURALPORT_VERSION) return
  const isNumber = given !== undefined && /^\d[\d.]{0,15}$/.test(given)
  throw new UnreadableFile(
    'broken',
    `The file has PluralPort version ${isNumber ? given : 'of another kind'}, this server reads ${PLURALPORT_VERSION}.`,
  )
}

const lists = [
  'systems',
  'members',
  'groups',
  'group_memberships',
  'taxonomy_terms',
  'taxonomy_assignments',
  'custom_fields',
  'custom_field_values',
  'front_periods',
  'front_events',
  'front_comments',
  'notes',
  'assets',
] as const

/** Lists inside of a module. */
const modules = { chat: ['conversations', 'messages'], boards: ['posts'] } as const

/** Rejects a file whose lists are none, and names all of them. */
function requireLists(file: JsonObject): void {
  const problems: string[] = []
  const require = (value: unknown, name: string) => {
    if (value !== undefined && value !== null && !Array.isArray(value))
      problems.push(`"${name}" is not a list.`)
  }
  for (const name of lists) require(file[name], name)
  for (const [module, names] of Object.entries(modules)) {
    const value = file[module]
    if (isObject(value)) for (const name of names) require(value[name], `${module}.${name}`)
    else if (value !== undefined && value !== null) problems.push(`"${module}" is not an object.`)
  }
  if (!isBlank(file.extensions) && !isObject(file.extensions))
    problems.push('"extensions" is not an object.')
  if (problems.length > 0) throw new UnreadableFile('broken', problems.join(' '))
}

/** Converts the file to the form of our own exports. */
function toOwnForm(reading: Reading): JsonObject {
  const { own, file } = reading
  const system = readSystem(reading)
  const members = readMembers(reading)
  const groups = readGroups(reading)
  const fronts = readFronts(reading)
  const fields = readFields(reading)
  const { ext: given, version: _, config, ...extras }: JsonObject = own ?? {}
  const ext = {
    ...(isObject(given) ? given : { version: EXT_VERSION }),
    members: members.exts,
    groups: groups.exts,
    fields: fields.rows,
    values: fields.values,
    front_notes: fronts.notes,
    notes: readNotes(reading),
    rooms: readRooms(reading),
    posts: [...readMessages(reading), ...readBoard(reading)],
  }
  // After all records that may name an asset.
  reading.assets.archiveOthers(objectsIn(file.assets))
  return {
    ...system,
    config,
    accounts: [],
    members: members.rows,
    groups: [...groups.rows, ...readTerms(reading)],
    switches: fronts.switches,
    multitude: { ...extras, switches: fronts.uuids, ext },
  }
}

function readSystem(reading: Reading): JsonObject {
  const { system, own } = reading
  if (!system) return {}
  const subject = subjectOfRecord('system', system)
  const fields = picturesOf(system)
  const read = systemRecord.read(system, reading.refs(subject, fields))
  const id = readRef(system.id) ?? ''
  const uuid = reading.newUuid('systems', id, system)
  const row = restoredRow(read, own && ownExtension(system))
  const entry: Entry = { record: system, id, uuid, own: null }
  reading.archiveRest('systems', entry, systemRecord.keys)
  return { ...row, uuid }
}

/** Returns the keys of our rows by the assets that their values come from. */
function picturesOf({ avatar_asset_id, banner_asset_id }: JsonObject): Record<string, string> {
  return Object.fromEntries([
    [String(banner_asset_id), 'banner'],
    [String(avatar_asset_id), 'avatar_url'],
  ])
}

interface Converted {
  rows: JsonObject[]
  /** What the extension API adds. */
  exts: JsonObject[]
}

function readMembers(reading: Reading): Converted {
  const { log } = reading
  const rows: JsonObject[] = []
  const exts: JsonObject[] = []
  for (const entry of reading.members) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('member', record)
    const refs = reading.refs(subject, picturesOf(record))
    const { ext, ...mine }: JsonObject = own ?? {}
    rows.push({ ...restoredRow(memberRecord.read(record, refs), own && mine), uuid })
    const added = restoredRow(memberExtRecord.read(record, refs), isObject(ext) ? ext : null)
    if (Object.keys(added).length > 0) exts.push({ ...added, member: uuid })
    const isUnread = !isBlank(record.birthday) && birthdayIn(record.birthday) === undefined
    if (isUnread)
      log.repair(subject, 'birthday', record.birthday, null, 'not a whole date; archived')
    const keys = memberRecord.keys.filter((key) => !isUnread || key !== 'birthday')
    reading.archiveRest('members', entry, keys)
  }
  return { rows, exts }
}

function readGroups(reading: Reading): Converted {
  const membersOf = readMemberships(reading)
  const rows: JsonObject[] = []
  const exts: JsonObject[] = []
  for (const [at, entry] of reading.groups.entries()) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('group', record)
    const refs = reading.refs(subject)
    const { ext, ...mine }: JsonObject = own ?? {}
    const members = membersOf.get(uuid) ?? []
    rows.push({ ...restoredRow(groupRecord.read(record, refs), own && mine), uuid, members })
    const read = groupExtRecord.read(record, refs)
    const parent = record.parent_group_id
    if (!isBlank(parent) && read.parent === undefined)
      reading.log.repair(subject, 'parent', parent, null, 'no such group in this file')
    const added = own
      ? restoredRow(read, isObject(ext) ? ext : null)
      : { ...restoredRow(read, null), position: read.position ?? at }
    if (Object.keys(added).length > 0) exts.push({ ...added, group: uuid })
    reading.archiveRest('groups', entry, groupRecord.keys)
  }
  return { rows, exts }
}

/** Returns the members of groups. References to unknown members stay, and are reported later. */
function readMemberships(reading: Reading): Map<string, unknown[]> {
  const membersOf = new Map<string, unknown[]>()
  let unknown = 0
  for (const { group_id, member_id } of objectsIn(reading.file.group_memberships)) {
    const group = reading.find('groups', group_id)
    if (group === null) unknown += 1
    else {
      const members = membersOf.get(group) ?? []
      members.push(reading.find('members', member_id) ?? readRef(member_id) ?? null)
      membersOf.set(group, members)
    }
  }
  if (unknown > 0) {
    const subject = { kind: 'group', name: null } as const
    const why = 'no such group in this file'
    reading.log.dropRow('memberships', subject, 'members', null, why, unknown)
  }
  return membersOf
}

/** Converts labels, such as roles, to groups that have the kind of the label in their name. */
function readTerms(reading: Reading): JsonObject[] {
  const membersOf = new Map<string, unknown[]>()
  const terms = reading.entries('taxonomy_terms', 'groups')
  for (const { term_id, subject_type, subject_id, ...rest } of objectsIn(
    reading.file.taxonomy_assignments,
  )) {
    const term = reading.find('taxonomy_terms', term_id)
    if (term === null || subject_type !== 'member') {
      const row = { term_id, subject_type, subject_id, ...rest }
      reading.log.archive(archiveName('taxonomy_assignments'), row)
      continue
    }
    const members = membersOf.get(term) ?? []
    members.push(reading.find('members', subject_id) ?? readRef(subject_id) ?? null)
    membersOf.set(term, members)
  }
  return terms.map((entry) => {
    const { record, uuid } = entry
    reading.archiveRest('taxonomy_terms', entry, ['kind', 'name', 'description', 'color'])
    const kind = wordsIn(record.kind)?.replaceAll('_', ' ') ?? 'label'
    const name = wordsIn(record.name) ?? 'Unnamed'
    return {
      uuid,
      name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${name}`,
      description: textOf(record.description),
      color: colorIn(record.color),
      privacy: groupRecord.read(record, reading.refs({ kind: 'group', name })).privacy,
      members: membersOf.get(uuid) ?? [],
    }
  })
}

function readFields(reading: Reading): { rows: JsonObject[]; values: JsonObject[] } {
  const { log } = reading
  const given = reading.entries('custom_fields', 'fields')
  const values = objectsIn(reading.file.custom_field_values)
  const valuesOf = Map.groupBy(values, ({ field_id }) => reading.find('custom_fields', field_id))
  const fields = new Map<string, JsonObject>()
  for (const [at, entry] of inListOrder(given).entries()) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('field', record)
    const listed = (valuesOf.get(uuid) ?? []).map(({ value }) => value)
    const read = readField(record, listed, (type) =>
      log.repair(subject, 'type', type, 'text', 'unknown type'),
    )
    const row = restoredRow(own ? read : { ...read, position: at }, own)
    fields.set(uuid, { ...withName(row, entry, 'field', reading), id: uuid })
    reading.archiveRest('custom_fields', entry, fieldKeys)
  }
  const seen = new Set<string>()
  const rows = values.flatMap((record) => {
    const [field, member] = [
      fields.get(reading.find('custom_fields', record.field_id) ?? ''),
      record.subject_type === 'system' ? null : reading.find('members', record.subject_id),
    ]
    const own = reading.own && ownExtension(record)
    const key = `${member} ${field?.id}`
    const subject = { kind: 'field', name: textOf(field?.name) ?? null } as const
    if (!field || member === null || seen.has(key)) {
      const why = 'no such member or field in this file, or given twice; archived'
      log.dropRow('values', subject, 'value', null, why)
      log.archive(archiveName('custom_field_values'), record)
      return []
    }
    if (isBlank(record.value) && record.value !== false && !own) return []
    seen.add(key)
    const isOwn = own !== null && Object.hasOwn(own, 'value')
    const value = isOwn ? own.value : readValue(field, record.value, subject, log)
    if (value !== null) return [{ member, field: field.id, value }]
    log.repair(subject, 'value', record.value, null, 'not a value of this type; archived')
    log.archive(archiveName('custom_field_values'), record)
    return []
  })
  return { rows: [...fields.values()], values: rows }
}

/** Sorts by the given positions; records without one keep their place behind the others. */
function inListOrder(entries: readonly Entry[]): Entry[] {
  const rank = ({ record }: Entry) =>
    typeof record.sort_order === 'number' ? record.sort_order : Number.MAX_SAFE_INTEGER
  return entries.toSorted((a, b) => rank(a) - rank(b))
}

/** Adds a name to a row that needs one. */
function withName(
  row: JsonObject,
  { record }: Entry,
  kind: 'field' | 'room',
  { log }: Reading,
): JsonObject {
  if (typeof row.name === 'string' && row.name !== '') return row
  const subject = subjectOfRecord(kind, record)
  log.repair(subject, 'name', null, 'Unnamed', 'a name is required')
  return { ...row, name: 'Unnamed' }
}

function readNotes(reading: Reading): JsonObject[] {
  return reading.entries('notes', 'notes').flatMap((entry) => {
    const { record, own } = entry
    const subject = subjectOfRecord('note', record)
    const authors = Array.isArray(record.author_member_ids) ? record.author_member_ids : []
    // A journal entry of one member, which has no subject.
    const isJournal = isBlank(record.member_id) && authors.length === 1
    const given = isJournal ? { ...record, member_id: authors[0] } : record
    const row = rowOf(noteRecord, { ...entry, record: given }, reading)
    if (!row.title && !row.text) {
      reading.archiveRest('notes', entry, null)
      return []
    }
    if (!own && row.member === undefined && !isBlank(given.member_id)) {
      const why = 'no such member in this file; it is a note of the system'
      reading.log.repair(subject, 'member', given.member_id, null, why)
    }
    const keys = isJournal ? [...noteRecord.keys, 'author_member_ids'] : noteRecord.keys
    reading.archiveRest('notes', entry, keys)
    return [row]
  })
}

function rowOf(type: RecordType, { record, uuid, own }: Entry, reading: Reading): JsonObject {
  const read = type.read(record, reading.refs({ kind: 'file', name: null }))
  return { ...restoredRow(read, own), id: uuid }
}

function readRooms(reading: Reading): JsonObject[] {
  return inListOrder(reading.rooms).map((entry, at) => {
    const row = rowOf(roomRecord, entry, reading)
    const placed = entry.own ? row : { ...row, position: at }
    reading.archiveRest('chat.conversations', entry, roomRecord.keys)
    return withName(placed, entry, 'room', reading)
  })
}

function readMessages(reading: Reading): JsonObject[] {
  const roomOf = new Map(
    reading.messages.map(({ record, uuid }) => [
      uuid,
      reading.find('chat.conversations', record.conversation_id),
    ]),
  )
  return reading.messages.flatMap((entry) => {
    const row = rowOf(messageRecord, entry, reading)
    if (!row.room || !row.text) {
      reading.archiveRest('chat.messages', entry, null)
      return []
    }
    const isReply = entry.own !== null || roomOf.get(String(row.reply_to)) === row.room
    const keys = messageRecord.keys.filter((key) => isReply || key !== 'reply_to_message_id')
    reading.archiveRest('chat.messages', entry, keys)
    return [isReply ? row : { ...row, reply_to: null }]
  })
}

function readBoard(reading: Reading): JsonObject[] {
  const boards = isObject(reading.file.boards) ? reading.file.boards : {}
  return reading.entries('boards.posts', 'posts', boards.posts).flatMap((entry) => {
    const { record, own } = entry
    const row = rowOf(boardPostRecord, entry, reading)
    if (!row.text || !isBlank(record.deleted_at)) {
      reading.archiveRest('boards.posts', entry, null)
      return []
    }
    if (!own && row.for === undefined && !isBlank(record.target_member_id)) {
      const why = 'no such member in this file; it is on the board of the system'
      const subject = subjectOfRecord('post', record)
      reading.log.repair(subject, 'for', record.target_member_id, null, why)
    }
    reading.archiveRest('boards.posts', entry, boardPostRecord.keys)
    return [row]
  })
}

/** Keys of the file that are not archived: those that are read, and what describes the file. */
const knownKeys: ReadonlySet<string> = new Set([
  ...versionKeys,
  ...lists,
  'exported_at',
  'producer',
  'capabilities',
  'warnings',
  'extensions',
])

/** Archives the modules that have no counterpart here, row by row. */
function archiveOthers({ file, log }: Reading): void {
  for (const [name, value] of Object.entries(file)) {
    if (knownKeys.has(name)) continue
    const read = Object.hasOwn(modules, name) ? modules[name as keyof typeof modules] : []
    archiveModule([name], value, read, log)
  }
  for (const [app, value] of Object.entries(isObject(file.extensions) ? file.extensions : {}))
    if (app !== NAMESPACE && !isBlank(value)) log.archive(archiveName('extensions'), { app, value })
}

function archiveModule(
  path: readonly string[],
  value: unknown,
  read: readonly string[],
  log: ImportLog,
): void {
  if (isBlank(value)) return
  if (Array.isArray(value)) for (const row of value) log.archive(archiveName(...path), row)
  else if (isObject(value) && path.length === 1)
    for (const [name, inner] of Object.entries(value)) {
      if (!read.includes(name)) archiveModule([...path, name], inner, [], log)
    }
  else log.archive(archiveName(...path), value)
}

/** Replaces the UUIDs that served while the file was read by the origins of the rows. */
function withOrigins(bundle: Bundle, { origins }: Reading): Bundle {
  const replace = <T extends { uuid?: string }>(row: T): T => {
    const { uuid, ...rest } = row
    const origin = origins.get(uuid ?? '')
    return origin === undefined ? row : ({ ...rest, ...(origin && { origin }) } as T)
  }
  const ext = Object.fromEntries(
    Object.entries(bundle.ext).map(([part, rows]) => [part, rows.map(replace<BundleExtRow>)]),
  ) as Bundle['ext']
  return {
    ...bundle,
    system: replace(bundle.system),
    members: bundle.members.map(replace),
    groups: bundle.groups.map(replace),
    ext,
  }
}
