import type { JsonObject } from '../../model/core/entity'
import { isEmpty, textOf } from '../repair'
import { type Entry, inListOrder, objectsIn, subjectOfRecord, withName } from './entry'
import { fieldKeys, readField, readValue } from './fields'
import { archiveName } from './format'
import type { ReadContext } from './readContext'
import { ownExtension, restoredRow } from './recordType'

export function readFields(context: ReadContext): { rows: JsonObject[]; values: JsonObject[] } {
  const entries = context.entries('custom_fields', 'fields')
  const records = objectsIn(context.file.custom_field_values)
  const fields = readDefinitions(entries, records, context)
  return { rows: [...fields.values()], values: readValues(records, fields, context) }
}

/** Returns the definitions by their UUIDs. */
function readDefinitions(
  entries: readonly Entry[],
  values: readonly JsonObject[],
  context: ReadContext,
): Map<string, JsonObject> {
  const { log } = context
  const valuesOf = Map.groupBy(values, ({ field_id }) => context.find('custom_fields', field_id))
  const fields = new Map<string, JsonObject>()
  for (const [index, entry] of inListOrder(entries).entries()) {
    const { record, uuid, own } = entry
    const subject = subjectOfRecord('field', record)
    const listed = (valuesOf.get(uuid) ?? []).map(({ value }) => value)
    const read = readField(record, listed, (type) =>
      log.repair(subject, 'type', type, 'text', 'unknown_type'),
    )
    const row = restoredRow(own ? read : { ...read, position: index }, own)
    fields.set(uuid, { ...withName(row, entry, 'field', log), id: uuid })
    context.archiveRest('custom_fields', entry, fieldKeys)
  }
  return fields
}

/** Returns the values; those without a counterpart are archived. */
function readValues(
  records: readonly JsonObject[],
  fields: ReadonlyMap<string, JsonObject>,
  context: ReadContext,
): JsonObject[] {
  const { log } = context
  const seen = new Set<string>()
  return records.flatMap((record) => {
    const field = fields.get(context.find('custom_fields', record.field_id) ?? '')
    const member =
      record.subject_type === 'system' ? null : context.find('members', record.subject_id)
    const extension = context.own && ownExtension(record)
    const key = `${member} ${field?.id}`
    const subject = { kind: 'field', name: textOf(field?.name) ?? null } as const
    if (!field || member === null || seen.has(key)) {
      const why = 'value_archived'
      log.dropRow('values', subject, 'value', null, why)
      log.archive(archiveName('custom_field_values'), record)
      return []
    }
    if (isEmpty(record.value) && !extension) return []
    seen.add(key)
    const isOwn = extension !== null && Object.hasOwn(extension, 'value')
    const value = isOwn ? extension.value : readValue(field, record.value, subject, log)
    if (value !== null) return [{ member, field: field.id, value }]
    log.repair(subject, 'value', record.value, null, 'not_type_value')
    log.archive(archiveName('custom_field_values'), record)
    return []
  })
}
