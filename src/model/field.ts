import {
  isCalendarDate,
  isTimezone,
  isWebAddress,
  MAX_TAGS,
  MAX_URL,
  Problem,
  type ProxyTag,
  parseProxyTag,
  parseSnowflake,
  parseText,
} from './check'
import type { Platform } from './platform'
import { parseInstant } from './time'

/** What kind of thing a field holds. The column, the JSON and the schema follow from it. */
export type Kind =
  | 'text'
  | 'color'
  | 'url'
  | 'date'
  | 'timestamp'
  | 'flag'
  | 'count'
  | 'choice'
  | 'timezone'
  | 'texts'
  | 'proxyTags'
  | 'reference'
  | 'snowflake'
  | 'snowflakes'

/** One line of a field table: everything the house knows about one key. */
export interface Field<T = unknown> {
  readonly kind: Kind
  readonly doc: string
  /** The value of a new row that does not give one. */
  readonly initial: T
  readonly nullable: boolean
  /** Must be given on create, and is never empty. */
  readonly required: boolean
  /** Shown, never written by a client. */
  readonly readonly: boolean
  /** Most characters, items or units, as the kind counts them. */
  readonly max?: number
  /** Most characters of each item of a list of texts. */
  readonly maxEach?: number
  readonly choices?: readonly string[]
  /** The privacy level that hides the value from everyone but the owner. */
  readonly guard?: string
  /** When hidden, this key's value is shown in its place, or the field's own if that is empty. */
  readonly standIn?: string
  /** What everyone but the owner gets: nothing ("null"), or not even the key ("absent"). */
  readonly ownerOnly?: 'null' | 'absent'
  readonly example?: unknown
  /** IDs are read as the platform's, and kept with its name. */
  read(value: unknown, platform?: Platform): T | Problem
}

export type ValueOf<F> = F extends Field<infer T> ? T : never

interface Options {
  doc: string
  guard?: string
  readonly?: boolean
  ownerOnly?: 'null' | 'absent'
  example?: unknown
}

export function required(
  options: Options & { max: number; standIn?: string },
): Field<string> & { required: true } {
  return {
    ...base('text', options),
    initial: '',
    nullable: false,
    required: true,
    max: options.max,
    read: (value) =>
      typeof value !== 'string'
        ? new Problem('Must be a string.')
        : value === ''
          ? new Problem('Must not be empty.')
          : parseText(value, options.max),
  }
}

export function text(options: Options & { max: number }): Field<string | null> {
  return {
    ...base('text', options),
    ...optional,
    max: options.max,
    read: (value) =>
      isEmpty(value) ? null : typeof value === 'string' ? parseText(value, options.max) : notText,
  }
}

/** Text that falls back to a default instead of null. */
export function textOr(initial: string, options: Options & { max: number }): Field<string> {
  return {
    ...base('text', options),
    initial,
    nullable: true,
    max: options.max,
    read: (value) =>
      isEmpty(value)
        ? initial
        : typeof value === 'string'
          ? parseText(value, options.max)
          : notText,
  }
}

export function color(options: Options): Field<string | null> {
  return {
    ...base('color', options),
    ...optional,
    read: (value) => {
      if (isEmpty(value)) return null
      if (typeof value !== 'string') return notText
      return /^[0-9a-f]{6}$/i.test(value)
        ? value.toLowerCase()
        : new Problem('Must be six hexadecimal digits, without "#".')
    },
  }
}

export function url(options: Options): Field<string | null> {
  return {
    ...base('url', options),
    ...optional,
    max: MAX_URL,
    read: (value) => {
      if (isEmpty(value)) return null
      if (typeof value !== 'string') return notText
      const checked = parseText(value, MAX_URL)
      if (checked instanceof Problem) return checked
      return isWebAddress(checked)
        ? checked
        : new Problem('Must be an absolute http or https address.')
    },
  }
}

export function date(options: Options): Field<string | null> {
  return {
    ...base('date', options),
    ...optional,
    read: (value) => {
      if (isEmpty(value)) return null
      if (typeof value !== 'string') return notText
      return isCalendarDate(value) ? value : new Problem('Must be a real date, YYYY-MM-DD.')
    },
  }
}

/** Microseconds since 1970. Always written by the service, never by a client's patch. */
export function timestamp(options: Omit<Options, 'readonly'>): Field<number | null> {
  return {
    ...base('timestamp', options),
    ...optional,
    readonly: true,
    read: (value) => {
      if (isEmpty(value)) return null
      const instant = typeof value === 'string' ? parseInstant(value) : null
      return instant ?? new Problem('Must be an ISO 8601 time.')
    },
  }
}

export function flag(initial: boolean, options: Options): Field<boolean> {
  return {
    ...base('flag', options),
    initial,
    read: (value) => (typeof value === 'boolean' ? value : new Problem('Must be true or false.')),
  }
}

/** A flag without a default: it must be given. */
export function requiredFlag(options: Options): Field<boolean> & { required: true } {
  return { ...flag(false, options), required: true }
}

/** A flag that may say nothing, so that another place decides. */
export function maybeFlag(options: Options): Field<boolean | null> {
  return {
    ...base('flag', options),
    ...optional,
    read: (value) =>
      value === null || typeof value === 'boolean'
        ? value
        : new Problem('Must be true, false or null.'),
  }
}

export function count(initial: number, options: Options): Field<number> {
  return {
    ...base('count', options),
    initial,
    read: (value) => (isCount(value) ? value : new Problem('Must be a whole number, 0 or more.')),
  }
}

export function maybeCount(options: Options): Field<number | null> {
  return {
    ...base('count', options),
    ...optional,
    read: (value) =>
      value === null || isCount(value)
        ? value
        : new Problem('Must be a whole number, 0 or more, or null.'),
  }
}

export function choice<const C extends readonly string[]>(
  choices: C,
  options: Options & { initial: C[number] },
): Field<C[number]> {
  return {
    ...base('choice', options),
    initial: options.initial,
    choices,
    read: (value) =>
      choices.includes(value as C[number])
        ? (value as C[number])
        : new Problem(`Must be one of: ${choices.join(', ')}.`),
  }
}

export function timezone(options: Options): Field<string> {
  return {
    ...base('timezone', options),
    initial: 'UTC',
    read: (value) =>
      typeof value === 'string' && isTimezone(value)
        ? value
        : new Problem('Must be a time zone name such as "Europe/Oslo".'),
  }
}

export function texts(options: Options & { most: number; max: number }): Field<string[]> {
  return {
    ...base('texts', options),
    initial: [],
    max: options.most,
    maxEach: options.max,
    read: (value) => {
      if (!Array.isArray(value)) return new Problem('Must be a list of strings.')
      if (value.length > options.most)
        return new Problem(`At most ${options.most} items.`, options.most, value.length)
      const read: string[] = []
      for (const item of value) {
        if (item !== null && typeof item !== 'string')
          return new Problem('Must be a list of strings.')
        const checked = parseText(item ?? '', options.max)
        if (checked instanceof Problem) return checked
        read.push(checked)
      }
      return read
    },
  }
}

export function proxyTags(options: Options): Field<ProxyTag[]> {
  return {
    ...base('proxyTags', options),
    initial: [],
    max: MAX_TAGS,
    read: (value) => {
      if (!Array.isArray(value)) return new Problem('Must be a list of proxy tags.')
      if (value.length > MAX_TAGS)
        return new Problem(`At most ${MAX_TAGS} proxy tags.`, MAX_TAGS, value.length)
      const tags: ProxyTag[] = []
      for (const item of value) {
        const tag = parseProxyTag(item)
        if (tag instanceof Problem) return tag
        if (tag.prefix !== null || tag.suffix !== null) tags.push(tag)
      }
      return tags
    },
  }
}

/** Names another entity. Which one is meant is resolved by the service that takes the patch. */
export function reference(options: Options): Field<string | null> {
  return {
    ...base('reference', options),
    ...optional,
    read: (value) => (isEmpty(value) ? null : typeof value === 'string' ? value : notText),
  }
}

/** A chat platform's ID of an account, a guild, a channel or a message. */
export function snowflake(options: Options): Field<string> & { required: true } {
  return { ...base('snowflake', options), initial: '', required: true, read: parseSnowflake }
}

export function maybeSnowflake(options: Options): Field<string | null> {
  return {
    ...base('snowflake', options),
    ...optional,
    read: (value, platform) => (isEmpty(value) ? null : parseSnowflake(value, platform)),
  }
}

export function snowflakes(options: Options & { most: number }): Field<string[]> {
  return {
    ...base('snowflakes', options),
    initial: [],
    max: options.most,
    read: (value, platform) => {
      if (!Array.isArray(value)) return new Problem('Must be a list of IDs.')
      if (value.length > options.most)
        return new Problem(`At most ${options.most} IDs.`, options.most, value.length)
      const ids = new Set<string>()
      for (const item of value) {
        const id = parseSnowflake(item, platform)
        if (id instanceof Problem) return id
        ids.add(id)
      }
      return [...ids]
    },
  }
}

/** A time that a client gives; the moment of the request when it does not. */
export function givenTime(options: Options): Field<number | null> {
  return { ...timestamp(options), readonly: false }
}

/** Names something that must be there. */
export function requiredReference(options: Options): Field<string> & { required: true } {
  return {
    ...base('reference', options),
    initial: '',
    required: true,
    read: (value) =>
      typeof value === 'string' && value !== '' ? value : new Problem('Must be a string.'),
  }
}

const optional = { initial: null, nullable: true }

const notText = new Problem('Must be a string or null.')

function base(kind: Kind, options: Options & { standIn?: string }) {
  return {
    kind,
    doc: options.doc,
    nullable: false,
    required: false,
    readonly: options.readonly ?? false,
    ...(options.guard && { guard: options.guard }),
    ...(options.standIn && { standIn: options.standIn }),
    ...(options.ownerOnly && { ownerOnly: options.ownerOnly }),
    ...(options.example !== undefined && { example: options.example }),
  }
}

function isEmpty(value: unknown): value is null | '' {
  return value === null || value === ''
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
