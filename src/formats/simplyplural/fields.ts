import { type CustomFieldType, customFieldInFiles } from '../../model/ext/customField'
import { type FieldValue, MAX_VALUE, parseValue } from '../../model/ext/fieldValue'
import { createOffsetLookup } from '../../model/fronting/timeZone'
import { formatInstant, parseInstant, SECOND } from '../../model/time'
import { isObject, Problem } from '../../model/validation'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { nameOr, readRef } from '../repair'
import { isMissing } from './memberInfo'
import type { Reading } from './reading'
import { type AppRow, colorOf, compareRanks, createdAt, textOf } from './rows'

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
export function readFields(reading: Reading, members: readonly AppRow[]): void {
  const { fields, log } = reading
  const ids = new Map<string, string>()
  const typeOf = new Map<string, CustomFieldType>()
  const names = new Map<string, string>()
  for (const [position, row] of fields
    .toSorted((a, b) => compareRanks(a.order, b.order))
    .entries()) {
    const subject: Subject = { kind: 'field', name: textOf(row.name) ?? null }
    const type = readType(row, subject, log)
    const added = reading.add(
      'fields',
      customFieldInFiles,
      { collection: 'customFields', id: row._id },
      { name: textOf(row.name) },
      { subject },
    )
    const created = createdAt(row, null)
    const name = nameOr(textOf(added.values.name), null, subject, log)
    const privacy = reading.isPublic(row) ? 'public' : 'private'
    Object.assign(added.values, { type, position, privacy, name, ...(created && { created }) })
    typeOf.set(row._id, type)
    names.set(row._id, name)
    ids.set(row._id, row._id)
    const rest = reading.buckets.put('fields', added.key, row)
    reading.archiveRest('customFields', rest, ['name', 'type', 'order', 'oid'])
  }
  for (const { _id, oid } of fields) {
    const older = textOf(oid)
    if (older !== undefined && !ids.has(older)) ids.set(older, _id)
  }
  // In the oldest files, values are under the name of their field.
  for (const [id, name] of names) if (!ids.has(name)) ids.set(name, id)
  const readValue = createValueReader(textOf(reading.owner?.location))
  const given = new Set<string>()
  for (const row of members)
    for (const [ref, value] of Object.entries(isObject(row.info) ? row.info : {})) {
      const field = ids.get(ref)
      const member = reading.memberKeys.get(row._id)
      if (field === undefined || isMissing(value) || member === undefined) continue
      const subject: Subject = { kind: 'member', name: textOf(row.name) ?? null }
      const name = names.get(field) ?? field
      const type = typeOf.get(field) ?? 'text'
      const key = `${member} ${field}`
      const text = readRef(value)
      const read = text === undefined ? null : readValue(type, text, subject, name, log)
      if (read === null || given.has(key)) {
        log.repair(subject, name, value, null, 'not a value of this type; archived')
        log.archive('fieldValues', { member: row._id, field, value })
        continue
      }
      given.add(key)
      reading.ext.values.push({ key, values: { value: read }, refs: { member, field } })
    }
}

function readType(row: AppRow, subject: Subject, log: ImportLog): CustomFieldType {
  const number = readRef(row.type) ?? '0'
  const type = /^\d$/.test(number) ? types[Number(number)] : undefined
  if (type === undefined) log.repair(subject, 'type', row.type, 'text', 'unknown type')
  if (type === undefined || type !== 'text') return type ?? 'text'
  return row.supportMarkdown === true ? 'markdown' : 'text'
}

export type ValueReader = (
  type: CustomFieldType,
  text: string,
  subject: Subject,
  name: string,
  log: ImportLog,
) => FieldValue | null

/** Creates a function that parses values; null for those that are unreadable. */
export function createValueReader(zone: string | undefined): ValueReader {
  let offsetAt: ((at: number) => number) | null = null
  const localTime = (text: string): string => {
    const instant = parseInstant(text)
    if (instant === null || zone === undefined || !/(Z|[+-]\d\d:?\d\d)$/i.test(text)) return text
    try {
      offsetAt ??= createOffsetLookup(zone)
    } catch {
      return text
    }
    const second = Math.floor(instant / SECOND) * SECOND
    return formatInstant(second + offsetAt(second))
  }
  return (type, text, subject, name, log) => {
    const given = toForm(type, text.trim(), localTime, () => colorOf(text, subject, log))
    const isTooLong = given.length > MAX_VALUE && (type === 'text' || type === 'markdown')
    const value = isTooLong ? given.slice(0, MAX_VALUE).toWellFormed() : given
    const parsed = parseValue({ type, options: null }, value)
    if (parsed instanceof Problem) return null
    if (isTooLong) {
      log.repair(subject, name, text, value, `longer than ${MAX_VALUE} characters`)
      log.archive('longTexts', { ...subject, field: name, text })
    }
    return parsed
  }
}

/** Takes the parts of a date that the type has. Other values stay as they are. */
function toForm(
  type: CustomFieldType,
  text: string,
  localTime: (text: string) => string,
  color: () => string | undefined,
): string {
  if (type === 'color') return color() ?? text
  const at = type === 'moment' ? localTime(text) : text
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d).*)?$/.exec(at)
  if (!match) return text
  const [, year, month, day, hour = '00', minute = '00'] = match
  switch (type) {
    case 'date':
      return `${year}-${month}-${day}`
    case 'month':
      return `${month}`
    case 'year':
      return `${year}`
    case 'month_year':
      return `${year}-${month}`
    case 'month_day':
      return `${month}-${day}`
    case 'moment':
      return `${year}-${month}-${day}T${hour}:${minute}`
    default:
      return text
  }
}
