import type { Entity, JsonObject, Level } from '../../model/core/entity'
import { parseInstant } from '../../model/core/time'
import { isObject } from '../../model/core/validation'
import { readRef, textOf } from '../repair'

/** Converts colours, which have a leading `#` in the file; other text stays as it is. */
export function colorIn(value: unknown): string | undefined {
  const digits = textOf(value)?.trim().replace(/^#/, '').toLowerCase()
  return digits !== undefined && /^[0-9a-f]{3}$/.test(digits)
    ? digits.replace(/./g, '$&$&')
    : digits
}

export function colorOut(value: unknown): string | null {
  return typeof value === 'string' ? `#${value}` : null
}

/** Converts the visibility of a record. Only what is public for everyone becomes public. */
export function levelsIn(entity: Entity, privacy: unknown): JsonObject {
  // Some apps write the word without the object around it.
  const visibility = isObject(privacy) ? privacy.visibility : privacy
  const level: Level = visibility === 'public' ? 'public' : 'private'
  return Object.fromEntries(entity.levels.map((key) => [key, level]))
}

/** Returns the visibility of a record: public only if all its levels are. */
export function visibilityOut(levels: unknown): JsonObject {
  const all = isObject(levels) ? Object.values(levels) : [levels]
  return { visibility: all.every((level) => level === 'public') ? 'public' : 'private' }
}

/** Birthdays without a year have the year 0004 here. */
const NO_YEAR = '0004'

export function birthdayIn(value: unknown): string | undefined {
  const { value: date, precision, year_visible }: JsonObject = isObject(value) ? value : {}
  const text = textOf(isObject(value) ? date : value)?.trim()
  const match = /^(?:--?|(\d{4})-)?(\d\d-\d\d)$/.exec(text ?? '')
  // Some apps write a whole date although only its year or month is known.
  if (!match || precision === 'year' || precision === 'month') return undefined
  const [, year = NO_YEAR, day] = match
  const hidesYear = year_visible === false || precision === 'month_day'
  return `${hidesYear ? NO_YEAR : year}-${day}`
}

export function birthdayOut(value: unknown): JsonObject | null {
  if (typeof value !== 'string') return null
  return value.startsWith(`${NO_YEAR}-`)
    ? { value: `--${value.slice(5)}`, precision: 'month_day', year_visible: false }
    : { value, precision: 'day', year_visible: true }
}

/** Converts a position in a list; other numbers have no meaning here. */
export function positionIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Returns text that people wrote; numbers are converted. */
export function wordsIn(value: unknown): string | undefined {
  return textOf(typeof value === 'number' ? readRef(value) : value)
}

/** Returns the first of the values that is a time; without any, the first text, which is reported. */
export function timeIn(...values: readonly unknown[]): string | undefined {
  const texts = values.flatMap((value) => textOf(value) ?? [])
  return texts.find((text) => parseInstant(text) !== null) ?? texts[0]
}
