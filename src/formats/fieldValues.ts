import { reason } from '../model/core/reason'
import { formatInstant, parseInstant, SECOND } from '../model/core/time'
import { Problem } from '../model/core/validation'
import { createOffsetLookup } from '../model/insights/timeZone'
import type { CustomFieldType } from '../model/members/customField'
import { type FieldValue, MAX_VALUE, parseValue } from '../model/members/fieldValue'
import type { Subject } from './bundle'
import type { ImportLog } from './importLog'
import { colorOf } from './repair'

/** Values of custom fields in files that store all of them as text. */

type ValueReader = (
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
    const normalizedText = toForm(type, text.trim(), localTime, () => colorOf(text, subject, log))
    const isTooLong = normalizedText.length > MAX_VALUE && (type === 'text' || type === 'markdown')
    const value = isTooLong ? normalizedText.slice(0, MAX_VALUE).toWellFormed() : normalizedText
    const parsed = parseValue({ type, options: null }, value)
    if (parsed instanceof Problem) return null
    if (isTooLong) {
      log.repair(subject, name, text, value, reason('too_long', { max: MAX_VALUE }))
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
