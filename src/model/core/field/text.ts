import { reason } from '../reason'
import { isHttpUrl, isTimezone, MAX_URL, Problem, parseText } from '../validation'
import { base, discardWith, type Field, type Options, optional, type Repaired } from './field'

/** Checks for the values that clear a text. */
export function isEmpty(value: unknown): value is null | '' {
  return value === null || value === ''
}

export function required(
  options: Options & { max: number; fallback?: string },
): Field<string> & { required: true } {
  const { max } = options
  const parse = (value: unknown) =>
    typeof value !== 'string'
      ? new Problem('not_text')
      : value === ''
        ? new Problem('empty')
        : parseText(value, max)
  return {
    ...base('text', 'text', { type: 'string', maxLength: max, minLength: 1 }, options),
    defaultValue: '',
    nullable: false,
    required: true,
    max,
    parse,
    repair: (value) => repairText(value, max, parse),
  }
}

export function text(options: Options & { max: number }): Field<string | null> {
  return textOf(null, options)
}

/** Text that falls back to a default instead of null. */
export function textOr(defaultValue: string, options: Options & { max: number }): Field<string> {
  return textOf(defaultValue, options)
}

function textOf<T extends string | null>(
  defaultValue: T,
  options: Options & { max: number },
): Field<string | T> {
  const { max } = options
  const parse = (value: unknown) =>
    isEmpty(value) ? defaultValue : typeof value === 'string' ? parseText(value, max) : notText
  return {
    ...base('text', 'text', { type: 'string', maxLength: max }, options),
    defaultValue,
    nullable: true,
    max,
    parse,
    repair: (value) => repairText(value, max, parse),
  }
}

export function color(options: Options): Field<string | null> {
  const parse = (value: unknown) => {
    if (isEmpty(value)) return null
    if (typeof value !== 'string') return notText
    return /^[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : new Problem('not_color')
  }
  return {
    ...base('color', 'text', { type: 'string', pattern: '^[0-9a-fA-F]{6}$' }, options),
    ...optional,
    parse,
    repair: (value) => {
      const now = typeof value === 'string' ? parse(value.trim().replace(/^#/, '')) : null
      return now instanceof Problem || now === null
        ? { now: null, why: 'not_color' }
        : { now, why: 'color_reformatted' }
    },
  }
}

export function url(options: Options): Field<string | null> {
  const parse = (value: unknown) => {
    if (isEmpty(value)) return null
    if (typeof value !== 'string') return notText
    const checked = parseText(value, MAX_URL)
    if (checked instanceof Problem) return checked
    return isHttpUrl(checked) ? checked : new Problem('not_url')
  }
  return {
    ...base('url', 'text', { type: 'string', maxLength: MAX_URL }, options),
    ...optional,
    max: MAX_URL,
    parse,
    repair: (value) => {
      if (typeof value !== 'string') return { now: undefined, why: 'not_url' }
      // Angle brackets suppress link previews in chats, so some stored addresses have them.
      const now = parse(value.trim().replace(/^<(.*)>$/s, '$1'))
      if (!(now instanceof Problem)) return { now }
      const isTooLong = now.code === 'too_long'
      return {
        now: null,
        why: isTooLong ? reason('too_long', { max: MAX_URL }) : 'not_url',
      }
    },
  }
}

export function choice<const C extends readonly string[]>(
  choices: C,
  options: Options & { defaultValue: C[number] },
): Field<C[number]> {
  const { defaultValue } = options
  return {
    ...base('choice', 'text', { type: 'string', enum: choices }, options),
    defaultValue,
    choices,
    parse: (value) =>
      choices.includes(value as C[number])
        ? (value as C[number])
        : new Problem('not_choice', { choices }),
    repair: () => ({ now: defaultValue, why: 'not_choice' }),
  }
}

/** A choice that may be empty. */
export function nullableChoice<const C extends readonly string[]>(
  choices: C,
  options: Options,
): Field<C[number] | null> {
  return {
    ...base('choice', 'text', { type: 'string', enum: choices }, options),
    ...optional,
    choices,
    parse: (value) =>
      isEmpty(value)
        ? null
        : choices.includes(value as C[number])
          ? (value as C[number])
          : new Problem('not_choice_or_null', { choices }),
    repair: discardWith('not_choice'),
  }
}

/** A choice that must be given, because it has no default. */
export function requiredChoice<const C extends readonly [string, ...string[]]>(
  choices: C,
  options: Options,
): Field<C[number]> & { required: true } {
  return { ...choice(choices, { ...options, defaultValue: choices[0] }), required: true }
}

export function timezone(options: Options): Field<string> {
  return {
    ...base('timezone', 'text', { type: 'string' }, options),
    defaultValue: 'UTC',
    parse: (value) =>
      typeof value === 'string' && isTimezone(value) ? value : new Problem('not_timezone'),
    repair: discardWith('not_timezone'),
  }
}

/** Reference to another entity, resolved by the service. */
export function reference(options: Options): Field<string | null> {
  return {
    ...base('reference', 'text', { type: 'string' }, options),
    ...optional,
    parse: (value) => (isEmpty(value) ? null : typeof value === 'string' ? value : notText),
  }
}

/** Reference to an entity that must exist. */
export function requiredReference(options: Options): Field<string> & { required: true } {
  return {
    ...base('reference', 'text', { type: 'string' }, options),
    defaultValue: '',
    required: true,
    parse: (value) => (typeof value === 'string' && value !== '' ? value : new Problem('not_text')),
  }
}

export const notText = new Problem('not_text_or_null')

function repairText(value: unknown, max: number, read: (value: unknown) => unknown): Repaired {
  if (typeof value !== 'string' && typeof value !== 'number')
    return { now: undefined, why: 'not_text' }
  const text = dropUnstorable(String(value))
  const now = read(cutText(text, max))
  const why =
    typeof value === 'number'
      ? 'number_as_text'
      : text.length > max
        ? reason('cut', { max })
        : 'characters_removed'
  return {
    now: now instanceof Problem ? undefined : now,
    why,
    ...(typeof value === 'string' && value.length > max && { fullText: value }),
  }
}

export function dropUnstorable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '')
}

/** Truncates text, but never inside a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}
