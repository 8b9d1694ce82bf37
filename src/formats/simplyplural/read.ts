import type { JsonObject, Level } from '../../model/core/entity'
import { reportReason } from '../../model/core/reasonMessages'
import { isObject } from '../../model/core/validation'
import { type SettingsPatch, settings } from '../../model/systems/settings'
import { type SystemPatch, system } from '../../model/systems/system'
import { type Bundle, emptyBundle, type ReadOptions, type Repair, type Subject } from '../bundle'
import { newestFirst } from '../extRows'
import { allLevels, colorOf, rejectTooMany, repairFields, textOf } from '../repair'
import { readBuckets } from './buckets'
import { readFields } from './fields'
import { readFrontNotes } from './frontNotes'
import { readPresences, toSwitches } from './fronts'
import { readGroups } from './groups'
import { readBoards, readChat, readNotes } from './journal'
import { readMembers } from './members'
import { readPolls } from './polls'
import { originOf, ReadContext } from './readContext'
import { readReminders } from './reminders'
import { avatarOf, type Collection, namesOf } from './rows'

export function isSimplyPlural(file: JsonObject): boolean {
  const collections: Collection[] = ['frontStatuses', 'frontHistory', 'fronters', 'privacyBuckets']
  if (collections.some((name) => namesOf(file, name).length > 0)) return true
  return namesOf(file, 'members').some((name) => hasDocuments(file[name]))
}

export function readSimplyPlural(file: JsonObject, options: ReadOptions): Bundle {
  const context = new ReadContext(file, options)
  const { log, user } = context
  const people = context.rows('members')
  const statuses = context.rows('frontStatuses')
  rejectTooMany('tooManyMembers', people.length + statuses.length, options.maxMembers)
  rejectTooMany('tooManyGroups', context.rows('groups').length, options.maxGroups)
  const members = readMembers(context)
  const groups = readGroups(context)
  const history = context.rows('frontHistory')
  const fronts = history.length > 0 ? history : context.rows('fronters')
  const switches = toSwitches(readPresences(fronts, context.memberKeys, log), log)
  const ext = readExt(context, fronts)
  for (const collection of archivedCollections)
    for (const row of context.rows(collection)) context.archiveRest(collection, row, null)
  const systemAndSettings = {
    system: {
      patch: readSystem(context),
      ...(user && { origin: originOf('users', user._id) }),
    },
    settings: readSettings(context),
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

function readExt(
  context: ReadContext,
  fronts: Parameters<typeof readFrontNotes>[1],
): Bundle['ext'] {
  readFields(context, context.rows('members'))
  readFrontNotes(context, fronts)
  readNotes(context)
  // Replies refer to chat messages, so these come first.
  readChat(context)
  readBoards(context)
  readPolls(context)
  readReminders(context)
  readBuckets(context)
  const { ext } = context
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
  ...reportReason('all_private'),
}

function readSystem(context: ReadContext): SystemPatch {
  const { user, log } = context
  const [local] = context.rows('settings')
  const name = textOf(user?.username) ?? textOf(local?.systemName)
  const subject: Subject = { kind: 'system', name: name ?? null }
  const fields = {
    name,
    description: textOf(user?.desc),
    color: colorOf(user?.color, subject, log),
    avatar_url: user && avatarOf(user, subject, log),
  }
  return { ...repairFields(system, fields, subject, log), ...systemLevels(context) }
}

/**
 * In Simply Plural, friends could always see the profile, could see lists and fronters if allowed,
 * and could never see the history.
 */
function systemLevels(context: ReadContext): SystemPatch {
  if (context.options.public !== true) return allLevels(system, 'private')
  const friends = context.rows('friends')
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

function readSettings(context: ReadContext): SettingsPatch {
  const subject: Subject = { kind: 'settings', name: null }
  const fields = { timezone: textOf(context.owner?.location) }
  return repairFields(settings, fields, subject, context.log)
}

/**
 * Detects rows keyed by ID, with Mongo's `_id`, or wrapped by the API, as only Simply Plural has.
 */
function hasDocuments(list: unknown): boolean {
  if (!Array.isArray(list)) return isObject(list) && Object.values(list).some(isObject)
  return list.some((row) => isObject(row) && (Object.hasOwn(row, '_id') || isObject(row.content)))
}
