import type { JsonObject, Level } from '../../model/entity'
import { type SettingsPatch, settings } from '../../model/settings'
import { type SystemPatch, system } from '../../model/system'
import { isObject } from '../../model/validation'
import { type Bundle, emptyBundle, type ReadOptions, type Repair, type Subject } from '../bundle'
import { newestFirst } from '../extRows'
import { allLevels, rejectTooMany, repairFields } from '../repair'
import { readBuckets } from './buckets'
import { readFields } from './fields'
import { readFrontNotes } from './frontNotes'
import { readPresences, toSwitches } from './fronts'
import { readGroups } from './groups'
import { readBoards, readChat, readNotes } from './journal'
import { readMembers } from './members'
import { readPolls } from './polls'
import { originOf, Reading } from './reading'
import { readReminders } from './reminders'
import { avatarOf, type Collection, colorOf, namesOf, textOf } from './rows'

export function isSimplyPlural(file: JsonObject): boolean {
  const collections: Collection[] = ['frontStatuses', 'frontHistory', 'fronters', 'privacyBuckets']
  if (collections.some((name) => namesOf(file, name).length > 0)) return true
  return namesOf(file, 'members').some((name) => hasDocuments(file[name]))
}

export function readSimplyPlural(file: JsonObject, options: ReadOptions): Bundle {
  const reading = new Reading(file, options)
  const { log, user } = reading
  const people = reading.rows('members')
  const statuses = reading.rows('frontStatuses')
  rejectTooMany('tooManyMembers', people.length + statuses.length, options.maxMembers)
  rejectTooMany('tooManyGroups', reading.rows('groups').length, options.maxGroups)
  const members = readMembers(reading)
  const groups = readGroups(reading)
  const history = reading.rows('frontHistory')
  const fronts = history.length > 0 ? history : reading.rows('fronters')
  const switches = toSwitches(readPresences(fronts, reading.memberKeys, log), log)
  const ext = readExt(reading, fronts)
  for (const collection of archivedCollections)
    for (const row of reading.rows(collection)) reading.archiveRest(collection, row, null)
  const systemAndSettings = {
    system: {
      patch: readSystem(reading),
      ...(user && { origin: originOf('users', user._id) }),
    },
    settings: readSettings(reading),
  }
  const { repairs, ...logged } = log.result()
  return {
    ...emptyBundle('simplyplural'),
    ...systemAndSettings,
    members,
    groups,
    switches,
    ext,
    ...logged,
    repairs: options.public === true ? repairs : [importedAsPrivate, ...repairs],
  }
}

/** Collections without a counterpart here. */
const archivedCollections: readonly Collection[] = ['friends']

function readExt(reading: Reading, fronts: Parameters<typeof readFrontNotes>[1]): Bundle['ext'] {
  readFields(reading, reading.rows('members'))
  readFrontNotes(reading, fronts)
  readNotes(reading)
  // Replies refer to chat messages, so these come first.
  readChat(reading)
  readBoards(reading)
  readPolls(reading)
  readReminders(reading)
  readBuckets(reading)
  const { ext } = reading
  return {
    ...ext,
    front_notes: newestFirst(ext.front_notes, 'at'),
    notes: newestFirst(ext.notes, 'date'),
    posts: newestFirst(ext.posts, 'written'),
    polls: newestFirst(ext.polls, 'created'),
    reminders: newestFirst(ext.reminders, 'created'),
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
  const subject: Subject = { kind: 'settings', name: null }
  const given = { timezone: textOf(reading.owner?.location) }
  return repairFields(settings, given, subject, reading.log)
}

/**
 * Detects rows keyed by ID, with Mongo's `_id`, or wrapped by the API, as only Simply Plural has.
 */
function hasDocuments(list: unknown): boolean {
  if (!Array.isArray(list)) return isObject(list) && Object.values(list).some(isObject)
  return list.some((row) => isObject(row) && (Object.hasOwn(row, '_id') || isObject(row.content)))
}
