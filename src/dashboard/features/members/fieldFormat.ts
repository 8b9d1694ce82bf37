import type { CustomFieldType } from '../../../model/members/customField'
import type { FieldValue } from '../../../model/members/fieldValue'
import type { CustomField } from '../../api/types'
import { appearance, locale } from '../../core/appearance'
import { chosenOptions } from '../../core/customFields'
import { fieldStrings, listNames } from '../../texts/texts'

/** Formats a value as text in the language of the page. */
export function formatValue(field: CustomField, value: FieldValue): string {
  const { type } = field
  if (type === 'choice' || type === 'choices')
    return listNames(chosenOptions(field, value).map(({ name }) => name))
  if (typeof value === 'boolean') return value ? fieldStrings.yes : fieldStrings.no
  if (typeof value === 'number') return formatNumber(value)
  const text = String(value ?? '')
  if (type === 'color') return `#${text}`
  return formatDate(type, text) ?? text
}

/** Numbers that would have a long row of zeros are not written out. */
function formatNumber(value: number): string {
  const size = Math.abs(value)
  const notation = size !== 0 && (size < 1e-6 || size >= 1e15) ? 'scientific' : 'standard'
  const options = { maximumSignificantDigits: 15, notation } as const
  return new Intl.NumberFormat(locale.value, options).format(value)
}

const [day, month, year] = [{ day: 'numeric' }, { month: 'long' }, { year: 'numeric' }] as const

/** Parts of a date that each type shows, and what precedes its value in a whole date. */
const dates: {
  readonly [T in CustomFieldType]?: readonly [Intl.DateTimeFormatOptions, before: string]
} = {
  date: [{ ...day, ...month, ...year }, ''],
  month: [month, '2000-'],
  year: [year, ''],
  month_year: [{ ...month, ...year }, ''],
  // A leap year, for the 29th of February.
  month_day: [{ ...day, ...month }, '2000-'],
  moment: [{ ...day, ...month, ...year, hour: 'numeric', minute: '2-digit' }, ''],
}

/** Formats the value of a date; null for other types. */
function formatDate(type: CustomFieldType, value: string): string | null {
  const [options, before] = dates[type] ?? []
  if (!options) return null
  const [years = 0, months = 1, days = 1, hours = 0, minutes = 0] = `${before}${value}`
    .split(/\D/)
    .map(Number)
  const at = new Date(0)
  // The constructor takes years below 100 as years of the 20th century.
  at.setUTCFullYear(years, months - 1, days)
  at.setUTCHours(hours, minutes)
  const { clock } = appearance.value
  const hourCycle = type === 'moment' && clock !== 'device' && (clock === '24' ? 'h23' : 'h12')
  return new Intl.DateTimeFormat(locale.value, {
    ...options,
    timeZone: 'UTC',
    ...(hourCycle && { hourCycle }),
  }).format(at)
}

/** Returns the names of the months, in the language of the page. */
export function monthNames(): readonly (readonly [value: string, name: string])[] {
  return Array.from({ length: 12 }, (_, index) => {
    const value = String(index + 1).padStart(2, '0')
    return [value, formatDate('month', value) ?? value] as const
  })
}
