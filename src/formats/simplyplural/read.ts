import type { JsonObject, Level } from '../../model/entity'
import { type MemberPatch, member } from '../../model/member'
import { type SettingsPatch, settings } from '../../model/settings'
import { type SystemPatch, system } from '../../model/system'
import { isObject } from '../../model/validation'
import {
  type Bundle,
  type BundleMember,
  emptyBundle,
  type ReadOptions,
  type Repair,
  type Subject,
} from '../bundle'
import { ImportLog } from '../importLog'
import { allLevels, nameOr, readHid, rejectTooMany, repairFields } from '../repair'
import { isEncrypted } from './chat'
import { type Birthday, birthdayFieldsOf, birthdayOf, fieldsOf } from './fields'
import { readPresences, toSwitches } from './fronts'
import { addToGroup, readGroups } from './groups'
import {
  type AppRow,
  avatarOf,
  type Collection,
  colorOf,
  createdOf,
  namesOf,
  rowsIn,
  textOf,
} from './rows'

export function isSimplyPlural(file: JsonObject): boolean {
  const collections: Collection[] = ['frontStatuses', 'frontHistory', 'fronters', 'privacyBuckets']
  if (collections.some((name) => namesOf(file, name).length > 0)) return true
  return namesOf(file, 'members').some((name) => hasDocuments(file[name]))
}

export function readSimplyPlural(file: JsonObject, options: ReadOptions): Bundle {
  const reading = new Reading(file, options)
  const { log } = reading
  const people = reading.rows('members')
  const statuses = reading.rows('frontStatuses')
  rejectTooMany('tooManyMembers', people.length + statuses.length, options.maxMembers)
  rejectTooMany('tooManyGroups', reading.rows('groups').length, options.maxGroups)
  const members = people.map((row) => readMember(row, reading))
  const ids = new Set(people.map(({ _id }) => _id))
  const customFronts = statuses.map((row) => {
    const read = readMember(row, reading)
    return ids.has(read.key) ? { ...read, key: `#custom ${read.key}` } : read
  })
  const everyone = [...members, ...customFronts]
  const keys = new Map(everyone.map(({ key }) => [key, key]))

  const groups = readGroups(reading.rows('groups'), keys, (row) => reading.isPublic(row), log)
  const archived = members.filter((_, index) => people[index]?.archived === true)
  addToGroup(groups, 'Archived', archived)
  const statusGroup = addToGroup(groups, 'Custom fronts', customFronts)

  const history = reading.rows('frontHistory')
  const fronts = history.length > 0 ? history : reading.rows('fronters')
  const presences = readPresences(fronts, keys, log)
  const switches = toSwitches(presences, log)
  archiveRest(reading, fronts)
  const systemAndSettings = {
    system: { patch: readSystem(reading) },
    settings: readSettings(reading),
  }
  const { repairs, ...logged } = log.result()
  return {
    ...emptyBundle('simplyplural'),
    ...systemAndSettings,
    members: everyone,
    groups,
    ...(statusGroup && { preferences: { pinned: [], statuses: [statusGroup.key] } }),
    switches,
    ...logged,
    repairs: options.public === true ? repairs : [importedAsPrivate, ...repairs],
  }
}

/**
 * In Simply Plural only friends could see shared data; here, data that is not private is public.
 */
const importedAsPrivate: Repair = {
  kind: 'file',
  name: null,
  field: 'privacy',
  was: null,
  now: 'private',
  why: 'Everything from a Simply Plural file arrives private: only you can see it until you change that.',
}

/** State while one file is parsed. */
class Reading {
  readonly log = new ImportLog()
  readonly user: AppRow | undefined
  readonly fields: AppRow[]
  readonly birthdayFields: AppRow[]
  readonly hids = new Set<string>()
  /** Privacy buckets that contain every friend. */
  readonly #friendBuckets: Set<unknown>
  readonly #rows = new Map<Collection, AppRow[]>()

  constructor(
    readonly file: JsonObject,
    readonly options: ReadOptions,
  ) {
    this.user = this.#findUser()
    this.fields = fieldsOf(this.rows('customFields'), this.user)
    this.birthdayFields = birthdayFieldsOf(this.fields)
    const buckets = this.rows('privacyBuckets')
    this.#friendBuckets = new Set(
      buckets.flatMap(({ _id, name }) => (/^\s*friends\s*$/i.test(textOf(name) ?? '') ? _id : [])),
    )
  }

  rows(collection: Collection): AppRow[] {
    const rows = this.#rows.get(collection) ?? rowsIn(this.file, collection, this.log)
    this.#rows.set(collection, rows)
    return rows
  }

  /** Returns true if all friends could see the row and the user chose to make that public. */
  isPublic({ private: hidden, buckets }: AppRow): boolean {
    if (this.options.public !== true || hidden === true) return false
    if (Array.isArray(buckets)) return buckets.some((bucket) => this.#friendBuckets.has(bucket))
    return hidden === false
  }

  /**
   * Finds the owner. A phone's cache may contain friends too, but `private` is always the owner's.
   */
  #findUser(): AppRow | undefined {
    const [owner] = this.rows('private')
    const users = this.rows('users')
    return users.find(({ _id }) => _id === owner?._id) ?? users[0]
  }
}

function readSystem(reading: Reading): SystemPatch {
  const { user, log } = reading
  const [local] = reading.rows('settings')
  const name = textOf(user?.username) ?? textOf(local?.systemName)
  const subject: Subject = { kind: 'system', name: name ?? null }
  const given = {
    name,
    description: textOf(user?.desc),
    color: colorOf(user?.color, subject, log),
    avatar_url: user && avatarOf(user, subject, log),
  }
  return { ...repairFields(system, given, subject, log), ...systemLevels(reading) }
}

/**
 * In Simply Plural, friends could always see the profile, could see lists and fronters if allowed,
 * and could never see the history.
 */
function systemLevels(reading: Reading): SystemPatch {
  if (reading.options.public !== true) return allLevels(system, 'private')
  const friends = reading.rows('friends')
  const ifAll = (flag: string): Level =>
    friends.length > 0 && friends.every((friend) => friend[flag] === true) ? 'public' : 'private'
  return {
    ...allLevels(system, 'public'),
    member_list_privacy: ifAll('seeMembers'),
    group_list_privacy: ifAll('seeMembers'),
    front_privacy: ifAll('seeFront'),
    front_history_privacy: 'private',
  }
}

function readSettings(reading: Reading): SettingsPatch {
  const [owner] = reading.rows('private')
  const subject: Subject = { kind: 'settings', name: null }
  return repairFields(settings, { timezone: textOf(owner?.location) }, subject, reading.log)
}

/** Parses a member or a custom front, which is a member without some keys. */
function readMember(row: AppRow, reading: Reading): BundleMember {
  const { log } = reading
  const subject: Subject = { kind: 'member', name: textOf(row.name) ?? null }
  const birthday = birthdayOf(row, reading.birthdayFields, subject, log)
  const hid = readPkId(row, subject, reading)
  const values = repairFields(
    member,
    {
      name: textOf(row.name),
      description: textOf(row.desc),
      pronouns: textOf(row.pronouns),
      color: colorOf(row.color, subject, log),
      avatar_url: avatarOf(row, subject, log),
      birthday: birthday?.date,
    },
    subject,
    log,
  )
  const name = nameOr(values.name, null, subject, log)
  return {
    key: row._id,
    ...(hid && { hid }),
    values: { ...values, ...createdOf(row), ...levelsOf(row, birthday, reading), name },
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

/** Collections without a counterpart here. */
const archivedCollections: readonly Collection[] = [
  'privacyBuckets',
  'notes',
  'comments',
  'polls',
  'boardMessages',
  'channels',
  'channelCategories',
  'automatedReminders',
  'repeatedReminders',
  'friends',
]

function archiveRest(reading: Reading, fronts: readonly AppRow[]): void {
  const { log } = reading
  // Other rows refer to their IDs, and these rows have more data than our fields.
  for (const collection of ['members', 'frontStatuses', 'groups'] as const)
    for (const { desc, pronouns, color, avatarUrl, ...rest } of reading.rows(collection))
      log.archive(collection, rest)
  for (const collection of archivedCollections)
    for (const row of reading.rows(collection)) log.archive(collection, row)
  for (const field of reading.fields) log.archive('customFields', field)
  for (const message of reading.rows('chatMessages'))
    if (isEncrypted(message)) log.skip('chatMessages')
    else log.archive('chatMessages', message)
  const commented = new Set(reading.rows('comments').map(({ documentId }) => documentId))
  for (const front of fronts)
    if (textOf(front.customStatus) !== undefined || commented.has(front._id))
      log.archive('frontHistory', front)
}

/**
 * Detects rows keyed by ID, with Mongo's `_id`, or wrapped by the API, as only Simply Plural has.
 */
function hasDocuments(list: unknown): boolean {
  if (!Array.isArray(list)) return isObject(list) && Object.values(list).some(isObject)
  return list.some((row) => isObject(row) && (Object.hasOwn(row, '_id') || isObject(row.content)))
}
