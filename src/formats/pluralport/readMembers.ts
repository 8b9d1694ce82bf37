import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { readRef } from '../repair'
import { type ConvertedRows, type Entry, isBlank, subjectOfRecord } from './entry'
import type { ReadContext } from './readContext'
import { memberExtRecord, memberRecord, systemRecord } from './records'
import { ownExtension, restoredRow } from './recordType'
import { birthdayIn } from './values'

export function readSystem(context: ReadContext): JsonObject {
  const { system, own } = context
  if (!system) return {}
  const subject = subjectOfRecord('system', system)
  const fields = picturesOf(system)
  const read = systemRecord.read(system, context.refs(subject, fields))
  const id = readRef(system.id) ?? ''
  const uuid = context.newUuid('systems', id, system)
  const row = restoredRow(read, own && ownExtension(system))
  const entry: Entry = { record: system, id, uuid, own: null }
  const { name, display_name } = system
  const isOneName = isBlank(name) || display_name === name
  const keys = systemRecord.keys.filter((key) => isOneName || key !== 'display_name')
  context.archiveRest('systems', entry, keys)
  return { ...row, uuid }
}

/** Returns the keys of our rows by the assets that their values come from. */
function picturesOf({ avatar_asset_id, banner_asset_id }: JsonObject): Record<string, string> {
  return Object.fromEntries([
    [String(banner_asset_id), 'banner'],
    [String(avatar_asset_id), 'avatar_url'],
  ])
}

export function readMembers(context: ReadContext): ConvertedRows {
  const { log } = context
  const rows: JsonObject[] = []
  const exts: JsonObject[] = []
  for (const entry of context.members) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('member', record)
    const refs = context.refs(subject, picturesOf(record))
    const { ext, ...mine }: JsonObject = own ?? {}
    rows.push({ ...restoredRow(memberRecord.read(record, refs), own && mine), uuid })
    const added = restoredRow(memberExtRecord.read(record, refs), isObject(ext) ? ext : null)
    if (Object.keys(added).length > 0) exts.push({ ...added, member: uuid })
    const isUnread = !isBlank(record.birthday) && birthdayIn(record.birthday) === undefined
    if (isUnread) log.repair(subject, 'birthday', record.birthday, null, 'date_archived')
    const keys = memberRecord.keys.filter((key) => !isUnread || key !== 'birthday')
    context.archiveRest('members', entry, keys)
  }
  return { rows, exts }
}
