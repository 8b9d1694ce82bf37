import { color, type Option, url } from '../core/field'
import { cutText } from '../core/field/text'
import { isCalendarDate, Problem, parseText } from '../core/validation'
import type { CustomField, CustomFieldType } from './customField'

export const MAX_VALUE = 4_000

/** Option of a custom field, as far as values depend on it. */
export type FieldOption = Pick<Option, 'id' | 'name'>

export interface FieldType extends Pick<CustomField, 'type'> {
  readonly options: readonly FieldOption[] | null
}

/** Value of a custom field, as in JSON; null for no value. */
export type FieldValue = string | number | boolean | string[] | null

/** Parses a client's value, or a stored one. Empty texts and lists are no values. */
export function parseValue({ type, options }: FieldType, value: unknown): FieldValue | Problem {
  if (value === null || value === '') return null
  return parsers[type](value, options ?? [])
}

type Parser = (value: unknown, options: readonly FieldOption[]) => FieldValue | Problem

const parseTextValue: Parser = (value) =>
  typeof value === 'string' ? parseText(value, MAX_VALUE) : new Problem('not_text_or_null')

const colorField = color({ doc: '' })
const urlField = url({ doc: '' })

const parsers: Record<CustomFieldType, Parser> = {
  text: parseTextValue,
  markdown: parseTextValue,
  color: (value) => colorField.parse(value),
  date: textOf('not_date_value', 'YYYY-MM-DD', isCalendarDate),
  month: textOf('not_month', 'MM', (text) => isCalendarDate(`2000-${text}-01`)),
  year: textOf('not_year', 'YYYY', (text) => isCalendarDate(`${text}-01-01`)),
  month_year: textOf('not_month_year', 'YYYY-MM', (text) => isCalendarDate(`${text}-01`)),
  // 2000 has a 29th of February.
  month_day: textOf('not_month_day', 'MM-DD', (text) => isCalendarDate(`2000-${text}`)),
  moment: textOf('not_moment', 'YYYY-MM-DDTHH:MM', isMoment),
  number: (value) =>
    typeof value === 'number' && Number.isFinite(value)
      ? // JSON has no negative zero.
        value + 0
      : new Problem('not_number_or_null'),
  flag: (value) => (typeof value === 'boolean' ? value : new Problem('not_flag_or_null')),
  url: (value) => urlField.parse(value),
  choice: (value, options) => (isOptionId(value, options) ? value : new Problem('not_option')),
  choices: (value, options) => {
    if (!Array.isArray(value) || !value.every((id) => isOptionId(id, options)))
      return new Problem('not_option_ids')
    if (new Set(value).size < value.length) return new Problem('option_twice')
    return value.length === 0 ? null : value
  },
}

function textOf(
  code:
    | 'not_date_value'
    | 'not_month'
    | 'not_year'
    | 'not_month_year'
    | 'not_month_day'
    | 'not_moment',
  form: string,
  isValid: (text: string) => boolean,
): Parser {
  return (value) =>
    typeof value === 'string' && value.length === form.length && isValid(value)
      ? value
      : new Problem(code)
}

function isMoment(text: string): boolean {
  return isCalendarDate(text.slice(0, 10)) && /^T([01]\d|2[0-3]):[0-5]\d$/.test(text.slice(10))
}

function isOptionId(value: unknown, options: readonly FieldOption[]): value is string {
  return options.some(({ id }) => id === value)
}

/** Types whose values are free text; every other type can be changed to one of them. */
export function isTextType(type: CustomFieldType): boolean {
  return type === 'text' || type === 'markdown'
}

/** Returns a value after its field was changed to a text type. */
export function valueAsText({ options }: FieldType, value: FieldValue): string {
  const nameOf = (id: unknown) => options?.find((option) => option.id === id)?.name ?? String(id)
  const text = Array.isArray(value)
    ? value.map(nameOf).join(', ')
    : typeof value === 'string'
      ? options === null
        ? value
        : nameOf(value)
      : JSON.stringify(value)
  return cutText(text, MAX_VALUE)
}

/** Returns a value of `choice` or `choices` after options of its field were removed. */
export function withoutRemoved(value: FieldValue, options: readonly FieldOption[]): FieldValue {
  if (!Array.isArray(value)) return isOptionId(value, options) ? value : null
  const kept = value.filter((id) => isOptionId(id, options))
  return kept.length === 0 ? null : kept
}
