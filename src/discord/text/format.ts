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
