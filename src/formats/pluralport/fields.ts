import type { JsonObject } from '../../model/core/entity'
import { cutText } from '../../model/core/field/text'
import { isObject, Problem } from '../../model/core/validation'
import { type CustomFieldType, customFieldTypes, hasOptions } from '../../model/members/customField'
import { type FieldOption, type FieldValue, parseValue } from '../../model/members/fieldValue'
import type { Subject } from '../bundle'
import { createValueReader } from '../fieldValues'
import type { ImportLog } from '../importLog'
import { textOf } from '../repair'
import { colorIn, colorOut, positionIn, visibilityOut, wordsIn } from './values'

/** Types of the format for our types. */
const typesOut: Record<CustomFieldType, string> = {
  text: 'text',
  markdown: 'markdown',
  color: 'color',
  date: 'date',
  month: 'month',
  year: 'year',
  month_year: 'month_year',
  month_day: 'month_day',
  moment: 'timestamp',
  number: 'number',
  flag: 'boolean',
  url: 'text',
  choice: 'select',
  choices: 'multiselect',
}

const typesIn: ReadonlyMap<string, CustomFieldType> = new Map([
  ...Object.entries(typesOut).map(([ours, theirs]) => [theirs, ours as CustomFieldType] as const),
  ['text', 'text'],
  ['date_range', 'text'],
  ['json', 'text'],
])

/** Types of dates by their precision. */
const datesIn: ReadonlyMap<unknown, CustomFieldType> = new Map([
  ['month', 'month_year'],
  ['year', 'year'],
  ['month_day', 'month_day'],
])

/** Keys of the definition of a field that `readField` uses. */
export const fieldKeys = [
  'name',
  'field_type',
  'options',
  'supports_markdown',
  'date_precision',
  'sort_order',
  'privacy',
]

export function writeField(row: JsonObject): JsonObject {
  const type = row.type as CustomFieldType
  return {
    name: row.name,
    field_type: typesOut[type],
    options: optionsIn(row.options, null),
    supports_markdown: type === 'markdown',
    date_precision: type === 'date' ? 'day' : null,
    sort_order: row.position,
    privacy: visibilityOut(row.privacy),
  }
}

/** Reads the definition of a field. Options that it lacks are taken from the values. */
export function readField(
  record: JsonObject,
  values: readonly unknown[],
  onUnknownType: (typeName: unknown) => void,
): JsonObject {
  const typeName = textOf(record.field_type)
  const knownType = typesIn.get(typeName ?? '')
  if (knownType === undefined) onUnknownType(record.field_type)
  const type = typeIn(knownType ?? 'text', record)
  const names = hasOptions(type) ? optionsIn(record.options, values) : null
  return {
    name: wordsIn(record.name),
    // Without options there is nothing to choose from.
    type: hasOptions(type) && !names ? 'text' : type,
    options: names?.map((name, index) => ({ id: `option ${index}`, name, color: null })),
    privacy: visibilityOut(isObject(record.privacy) ? record.privacy.visibility : record.privacy)
      .visibility,
    position: positionIn(record.sort_order),
  }
}

function typeIn(type: CustomFieldType, record: JsonObject): CustomFieldType {
  if (type === 'text' && record.supports_markdown === true) return 'markdown'
  return type === 'date' ? (datesIn.get(record.date_precision) ?? 'date') : type
}

const MAX_OPTIONS = 50
const MAX_OPTION_NAME = 100

/** Returns the names of options in any form that apps write; null without any. */
function optionsIn(options: unknown, values: readonly unknown[] | null): string[] | null {
  const names: string[] = []
  for (const text of [...namesIn(options), ...(values ?? []).flatMap(namesIn)]) {
    const name = cutText(text.toWellFormed(), MAX_OPTION_NAME)
    if (!names.some((option) => option.toLowerCase() === name.toLowerCase())) names.push(name)
    // There may be a value for each of many members.
    if (names.length === MAX_OPTIONS) break
  }
  return names.length === 0 ? null : names
}

function namesIn(options: unknown): string[] {
  if (Array.isArray(options))
    return options.flatMap((option) => {
      if (!isObject(option)) return wordsIn(option) ?? []
      return wordsIn(option.name) ?? wordsIn(option.label) ?? wordsIn(option.value) ?? []
    })
  if (!isObject(options)) return [options].flatMap((option) => wordsIn(option) ?? [])
  const list = Object.values(options).find(Array.isArray)
  if (list) return namesIn(list)
  return Object.entries(options).flatMap(([key, value]) => wordsIn(value) ?? wordsIn(key) ?? [])
}

/** Definition of a field, as a row of our own export. */
type Definition = JsonObject

function optionsOf({ options }: Definition): FieldOption[] {
  return Array.isArray(options)
    ? options.filter(
        (option) =>
          isObject(option) && typeof option.id === 'string' && typeof option.name === 'string',
      )
    : []
}

export function writeValue(field: Definition, value: unknown): unknown {
  if (field.type === 'color') return colorOut(value)
  const nameOf = (id: unknown) => optionsOf(field).find((option) => option.id === id)?.name ?? id
  if (field.type === 'choice') return nameOf(value)
  return field.type === 'choices' && Array.isArray(value) ? value.map(nameOf) : value
}

/** Reads a value; null if it is none of the field's type. */
export function readValue(
  field: Definition,
  value: unknown,
  subject: Subject,
  log: ImportLog,
): FieldValue {
  // As in the definition: an unknown type becomes text.
  const type = customFieldTypes.find((type) => type === field.type) ?? 'text'
  const options = optionsOf(field)
  const normalizedValue = toForm(type, value, options)
  if (typeof normalizedValue === 'string' && !hasOptions(type))
    return readText(type, normalizedValue, subject, String(field.name), log)
  const parsed = parseValue({ type, options }, normalizedValue)
  return parsed instanceof Problem ? null : parsed
}

const readText = createValueReader(undefined)

/** Returns the value in the form of the type where it has another one; objects become text. */
function toForm(type: CustomFieldType, value: unknown, options: readonly FieldOption[]): unknown {
  if (type === 'number') return typeof value === 'string' ? numberIn(value) : value
  if (type === 'flag') return value === 'true' ? true : value === 'false' ? false : value
  if (type === 'choice') return optionId(Array.isArray(value) ? value[0] : value, options)
  if (type === 'choices') {
    // Names that differ in case only are the same option.
    const names = new Set(Array.isArray(value) ? value : [value])
    return [...new Set([...names].map((option) => optionId(option, options)))]
  }
  if (type === 'color') return colorIn(value) ?? value
  if (typeof value === 'number') return String(value).padStart(widths.get(type) ?? 0, '0')
  if (typeof value === 'string')
    return type === 'month_day' ? value.trim().replace(/^--?/, '') : value
  if (typeof value === 'boolean') return String(value)
  if (!isObject(value) && !Array.isArray(value)) return value
  const range: JsonObject = isObject(value) ? value : {}
  const [start, end] = [wordsIn(range.start), wordsIn(range.end)]
  return start === undefined && end === undefined
    ? JSON.stringify(value)
    : `${start ?? ''} – ${end ?? ''}`.trim()
}

/** Digits of numbers that are dates. */
const widths: ReadonlyMap<CustomFieldType, number> = new Map([
  ['month', 2],
  ['year', 4],
])

function numberIn(text: string): unknown {
  return text.trim() === '' ? text : Number(text)
}

function optionId(value: unknown, options: readonly FieldOption[]): unknown {
  const name = cutText(wordsIn(value) ?? '', MAX_OPTION_NAME)
  const isSame = (option: FieldOption) => option.name.toLowerCase() === name.toLowerCase()
  return (options.find((option) => option.name === name) ?? options.find(isSame))?.id ?? value
}
