/** Tools for writing the messages of a language. */

/** Forms of the word that a system uses for its members. Each language defines how it uses them. */
export interface Word {
  readonly one: string
  readonly many: string
  /** One, with an article where the language has one here: "an alter". */
  readonly a: string
  /** First one, as the object of "Add": "your first headmate". */
  readonly first: string
  /** Many, as a heading. */
  readonly title: string
}

export interface DurationParts {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
}

type DurationUnit = 'day' | 'hour' | 'minute'

type PluralForms = { readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** Returns the functions that format counts, lists and durations in a language. */
export function createMessageTools(locale: string) {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' })
  const number = (value: number) => numbers.format(value)
  const plural = (count: number, forms: PluralForms) => forms[rules.select(count)] ?? forms.other
  return {
    number,
    /** Selects the form for a count. */
    plural,
    /** Formats "3 headmates", "1 headmate". */
    countOf: (count: number, word: Word) =>
      `${number(count)} ${plural(count, { one: word.one, other: word.many })}`,
    list: (parts: readonly string[]) => lists.format(parts),
    duration: (parts: DurationParts) => formatDurationParts(locale, parts),
  }
}

/** Formats "27 Std., 41 Min."; browsers without `Intl.DurationFormat` get the units joined. */
function formatDurationParts(locale: string, parts: DurationParts): string {
  if ('DurationFormat' in Intl)
    return new Intl.DurationFormat(locale, { style: 'short' }).format(parts)
  const units: [DurationUnit, number | undefined][] = [
    ['day', parts.days],
    ['hour', parts.hours],
    ['minute', parts.minutes],
  ]
  const formatted = units.flatMap(([unit, count]) =>
    count === undefined ? [] : formatUnit(locale, count, unit),
  )
  return new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(formatted)
}

function formatUnit(locale: string, count: number, unit: DurationUnit): string {
  const options = { style: 'unit', unit, unitDisplay: 'short' } as const
  return new Intl.NumberFormat(locale, options).format(count)
}

/** Capitalizes a word. */
export function capitalize(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('')
}
