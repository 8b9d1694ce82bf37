import type { Coded, TextValues, ValueArgs } from './coded'
import type { ProblemCode, problemMessages } from './problemMessages'

export class Problem<C extends ProblemCode = ProblemCode> implements Coded<C> {
  readonly values: TextValues

  constructor(
    readonly code: C,
    ...[values]: ValueArgs<(typeof problemMessages)[C]>
  ) {
    this.values = values ?? {}
  }

  /** Lists the problem by its key in a body, in which the value has the given key. */
  under(key: string): [key: string, problem: Problem][] {
    return [[key, this]]
  }
}

/** Problems with parts of a value, such as `2.name` of a list; '' is the value itself. */
export class ItemProblems extends Problem {
  readonly #items: readonly (readonly [path: string, problem: Problem])[]

  constructor(items: readonly (readonly [path: string, problem: Problem])[]) {
    super('not_options')
    this.#items = items
  }

  override under(key: string): [key: string, problem: Problem][] {
    return this.#items.map(([path, problem]) => [path === '' ? key : `${key}.${path}`, problem])
  }
}

export interface ProxyTag {
  prefix: string | null
  suffix: string | null
}

export const MAX_URL = 256
export const MAX_TAGS = 100
/** prefix + "text" + suffix stays under 100 characters. */
export const MAX_TAG_AFFIXES = 95

/** Accepts text that can be stored and returned unchanged: no NUL, no lone surrogate. */
export function parseText(value: string, max: number): string | Problem {
  if (value.length > max) return new Problem('too_long', { max, actual: value.length })
  if (value.includes('\0') || !value.isWellFormed()) return new Problem('not_storable')
  return value
}

export function isHttpUrl(value: string): boolean {
  // URL parsers correct "http:///host" and similar; clients that use the address later may not.
  return /^https?:\/\/[^\s\p{Cc}/\\?#][^\s\p{Cc}]*$/iu.test(value) && URL.canParse(value)
}

export function isCalendarDate(value: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return (
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(lastDayOf(year, month)).getUTCDate()
  )
}

export function isTimezone(value: string): boolean {
  try {
    // The runtime also accepts offsets such as "+01:00"; require a name.
    return /^[A-Za-z]/.test(value) && new Intl.DateTimeFormat('en', { timeZone: value }) !== null
  } catch {
    return false
  }
}

/** Checks for a JSON object; arrays are none. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseProxyTag(item: unknown): ProxyTag | Problem {
  if (!isObject(item)) return new Problem('not_proxy_tag')
  const { prefix = null, suffix = null } = item
  for (const part of [prefix, suffix])
    if (part !== null && typeof part !== 'string') return new Problem('not_proxy_tag_texts')
  const tag = { prefix: (prefix as string) || null, suffix: (suffix as string) || null }
  const length = (tag.prefix ?? '').length + (tag.suffix ?? '').length
  if (length > MAX_TAG_AFFIXES)
    return new Problem('proxy_tag_too_long', { max: MAX_TAG_AFFIXES, actual: length })
  for (const part of [tag.prefix, tag.suffix]) {
    const checked = parseText(part ?? '', MAX_TAG_AFFIXES)
    if (checked instanceof Problem) return checked
  }
  return tag
}

/**
 * Returns the last day of a month: day 0 of the next. Date.UTC would map years below 100 to 19xx.
 */
function lastDayOf(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 0)
}
