import { formatInstant, parseInstant } from '../time'
import { isCalendarDate, Problem } from '../validation'
import { base, discardWith, type Field, type Options, optional } from './field'
import { isEmpty, notText } from './text'

export function date(options: Options): Field<string | null> {
  const parse = (value: unknown) => {
    if (isEmpty(value)) return null
    if (typeof value !== 'string') return notText
    return isCalendarDate(value) ? value : new Problem('not_date')
  }
  return {
    ...base('date', 'text', { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, options),
    ...optional,
    parse,
    // Accepts the date of a timestamp. "No year" is stored as 0004, the first leap year.
    repair: (value) => {
      const match = typeof value === 'string' ? /^(\d{4})(-\d\d-\d\d)(?:[T ]|$)/.exec(value) : null
      if (!match) return { now: null, why: 'not_date' }
      const [, year, day] = match
      const now = parse(`${year === '0000' || year === '0001' ? '0004' : year}${day}`)
      return now instanceof Problem
        ? { now: null, why: 'no_real_date' }
        : { now, why: 'date_reformatted' }
    },
  }
}

/** Time of a day, as `HH:MM`. */
export function timeOfDay(options: Options): Field<string | null> {
  return {
    ...base('timeOfDay', 'text', { type: 'string', pattern: TIME_OF_DAY.source }, options),
    ...optional,
    parse: (value) => {
      if (isEmpty(value)) return null
      if (typeof value !== 'string') return notText
      return TIME_OF_DAY.test(value) ? value : new Problem('not_time_of_day')
    },
    repair: discardWith('not_time_of_day'),
  }
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/

/** The kind is part of the type, so that the types of the JSON can be derived. */
export type Timestamp = Field<number | null> & { readonly kind: 'timestamp' }

/** Microseconds since 1970, written by the service and never by a client's patch. */
export function timestamp(options: Omit<Options, 'readonly'>): Timestamp {
  return {
    ...base('timestamp', 'integer', { type: 'string', format: 'date-time' }, options),
    ...optional,
    kind: 'timestamp',
    readonly: true,
    parse: (value) => {
      if (isEmpty(value)) return null
      const instant = typeof value === 'string' ? parseInstant(value) : null
      return instant ?? new Problem('not_time')
    },
    serialize: formatInstant,
    repair: discardWith('not_time'),
  }
}

/** A time that a client may set. */
export function clientTimestamp(options: Options): Timestamp {
  return { ...timestamp(options), readonly: false }
}
