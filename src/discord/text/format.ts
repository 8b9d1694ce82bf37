const plurals = new Intl.PluralRules('en')
const conjunctions = new Intl.ListFormat('en', { type: 'conjunction' })
const disjunctions = new Intl.ListFormat('en', { type: 'disjunction' })

export function plural(count: number, one: string, other: string): string {
  return `${count} ${plurals.select(count) === 'one' ? one : other}`
}

/** Joins texts as in `one, two, and three`. */
export function list(items: readonly string[]): string {
  return conjunctions.format(items)
}

/** Joins texts as in `one, two, or three`. */
export function choice(items: readonly string[]): string {
  return disjunctions.format(items)
}

export function code(text: string): string {
  return `\`${text}\``
}

export function bold(text: string): string {
  return `**${text}**`
}

/** Begins a sentence with a label. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const UNITS = [
  [86_400, 'day', 'days'],
  [3_600, 'hour', 'hours'],
  [60, 'minute', 'minutes'],
  [1, 'second', 'seconds'],
] as const

/** Formats seconds in their two largest units, as in `2 days, 3 hours`. */
export function duration(seconds: number): string {
  const parts: string[] = []
  let rest = Math.round(seconds)
  for (const [size, one, other] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(plural(count, one, other))
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? plural(0, 'second', 'seconds') : parts.join(', ')
}
