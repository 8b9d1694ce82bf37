import type { JsonObject } from '../../model/core/entity'
import { isBlank, subjectOfRecord } from './entry'
import type { ReadContext } from './readContext'
import { noteRecord } from './records'

export function readNotes(context: ReadContext): JsonObject[] {
  return context.entries('notes', 'notes').flatMap((entry) => {
    const { record, own } = entry
    const subject = subjectOfRecord('note', record)
    const authors = Array.isArray(record.author_member_ids) ? record.author_member_ids : []
    // A journal entry of one member, which has no subject.
    const isJournal = isBlank(record.member_id) && authors.length === 1
    const recordWithAuthor = isJournal ? { ...record, member_id: authors[0] } : record
    const row = context.rowOf(noteRecord, { ...entry, record: recordWithAuthor })
    if (!row.title && !row.text) {
      context.archiveRest('notes', entry, null)
      return []
    }
    if (!own && row.member === undefined && !isBlank(recordWithAuthor.member_id)) {
      const why = 'note_of_system'
      context.log.repair(subject, 'member', recordWithAuthor.member_id, null, why)
    }
    const keys = isJournal ? [...noteRecord.keys, 'author_member_ids'] : noteRecord.keys
    context.archiveRest('notes', entry, keys)
    return [row]
  })
}
