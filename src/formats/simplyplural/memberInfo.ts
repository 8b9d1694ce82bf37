import { isObject } from '../../model/core/validation'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { isSourceId, readRef, textOf } from '../repair'
import type { AppRow } from './rows'

export interface Birthday {
  date: string
  /** Custom field that contained it, with its own privacy. */
  field: AppRow
}

/** Returns custom fields. Accounts that were never migrated have them inside the user document. */
export function fieldsOf(rows: readonly AppRow[], user: AppRow | undefined): AppRow[] {
  const migrated = new Set(rows.flatMap(({ _id, oid }) => [_id, oid]))
  const legacy = Object.entries(isObject(user?.fields) ? user.fields : {})
  return [
    ...rows,
    ...legacy.flatMap(([id, field], index) =>
      isObject(field) && !migrated.has(id)
        ? [{ ...field, _id: isSourceId(id) ? id : `#fields${index}` }]
        : [],
    ),
  ]
}

/** Returns date fields whose name looks like a birthday. */
export function birthdayFieldsOf(fields: readonly AppRow[]): AppRow[] {
  return fields.filter(
    ({ name, type }) =>
      [DATE, MONTH_AND_DAY].includes(readRef(type) ?? '') && BIRTHDAY.test(textOf(name) ?? ''),
  )
}

export function birthdayOf(
  { info }: AppRow,
  fields: readonly AppRow[],
  subject: Subject,
  log: ImportLog,
): Birthday | undefined {
  if (!isObject(info)) return undefined
  for (const field of fields) {
    const value = textOf(info[field._id]) ?? textOf(info[textOf(field.oid) ?? field._id])
    if (value === undefined) continue
    const match = /^(?:(\d{4})-)?(\d\d-\d\d)(?!\d)/.exec(value)
    if (!match) {
      log.repair(subject, 'birthday', value, null, 'not_date')
      continue
    }
    const [, year = '0000', day] = match
    const hasYear = readRef(field.type) === DATE && year !== '0000'
    return { date: `${hasYear ? year : '0004'}-${day}`, field }
  }
  return undefined
}

const DATE = '2'
const MONTH_AND_DAY = '7'
const BIRTHDAY = /birth|b[ -]?day|geburtstag|anniversaire|cumple|aniversário|compleanno|verjaardag/i

/** Returns the values of a member whose field no longer exists, or everything if it is no object. */
export function unknownInfo({ info }: AppRow, fields: readonly AppRow[]): { info?: unknown } {
  if (!isObject(info)) return isMissing(info) ? {} : { info }
  const refs = new Set(fields.flatMap(({ _id, oid, name }) => [_id, oid, name]))
  const rest = Object.entries(info).filter(([ref, value]) => !refs.has(ref) && !isMissing(value))
  return rest.length === 0 ? {} : { info: Object.fromEntries(rest) }
}

/** Returns true for values that no person wrote. */
export function isMissing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && !value.trim())
}
