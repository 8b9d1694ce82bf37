import { isObject } from '../../model/core/validation'
import { type CustomFieldType, customFieldInFiles } from '../../model/members/customField'
import type { Subject } from '../bundle'
import { createValueReader } from '../fieldValues'
import type { ImportLog } from '../importLog'
import { nameOr, readRef, textOf } from '../repair'
import { isMissing } from './memberInfo'
import type { ReadContext } from './readContext'
import { type AppRow, compareRanks, createdAt } from './rows'

/** Types by their number; the first is Markdown or plain text. */
const types: readonly CustomFieldType[] = [
  'text',
  'color',
  'date',
  'month',
  'year',
  'month_year',
  'moment',
  'month_day',
]

/** Returns what a file says about the type of a field; types that it does not have are text. */
export function typeInFile(type: CustomFieldType): { type: number; supportMarkdown: boolean } {
  return { type: Math.max(types.indexOf(type), 0), supportMarkdown: type === 'markdown' }
}

/** Adds the custom fields, in their order, and the values of all members. */
export function readFields(context: ReadContext, members: readonly AppRow[]): void {
  const { fields, log } = context
  const ids = new Map<string, string>()
  const typeOf = new Map<string, CustomFieldType>()
  const names = new Map<string, string>()
  for (const [position, row] of fields
    .toSorted((a, b) => compareRanks(a.order, b.order))
    .entries()) {
    const subject: Subject = { kind: 'field', name: textOf(row.name) ?? null }
    const type = readType(row, subject, log)
    const added = context.add(
      'fields',
      customFieldInFiles,
      { collection: 'customFields', id: row._id },
      { name: textOf(row.name) },
      { subject },
    )
    const created = createdAt(row, null)
    const name = nameOr(textOf(added.values.name), null, subject, log)
    const privacy = context.isPublic(row) ? 'public' : 'private'
    Object.assign(added.values, { type, position, privacy, name, ...(created && { created }) })
    typeOf.set(row._id, type)
    names.set(row._id, name)
    ids.set(row._id, row._id)
    const rest = context.buckets.put('fields', added.key, row)
    context.archiveRest('customFields', rest, ['name', 'type', 'order', 'oid'])
  }
  for (const { _id, oid } of fields) {
    const older = textOf(oid)
    if (older !== undefined && !ids.has(older)) ids.set(older, _id)
  }
  // In the oldest files, values are under the name of their field.
  for (const [id, name] of names) if (!ids.has(name)) ids.set(name, id)
  const readValue = createValueReader(textOf(context.owner?.location))
  const usedKeys = new Set<string>()
  for (const row of members)
    for (const [ref, value] of Object.entries(isObject(row.info) ? row.info : {})) {
      const field = ids.get(ref)
      const member = context.memberKeys.get(row._id)
      if (field === undefined || isMissing(value) || member === undefined) continue
      const subject: Subject = { kind: 'member', name: textOf(row.name) ?? null }
      const name = names.get(field) ?? field
      const type = typeOf.get(field) ?? 'text'
      const key = `${member} ${field}`
      const text = readRef(value)
      const read = text === undefined ? null : readValue(type, text, subject, name, log)
      if (read === null || usedKeys.has(key)) {
        log.repair(subject, name, value, null, 'not_type_value')
        log.archive('fieldValues', { member: row._id, field, value })
        continue
      }
      usedKeys.add(key)
      context.ext.values.push({ key, values: { value: read }, refs: { member, field } })
    }
}

function readType(row: AppRow, subject: Subject, log: ImportLog): CustomFieldType {
  const number = readRef(row.type) ?? '0'
  const type = /^\d$/.test(number) ? types[Number(number)] : undefined
  if (type === undefined) log.repair(subject, 'type', row.type, 'text', 'unknown_type')
  if (type === undefined || type !== 'text') return type ?? 'text'
  return row.supportMarkdown === true ? 'markdown' : 'text'
}
