/**
 * Parameters of commands by name. A `word` is one word, quoted if it has spaces; `words` are all
 * remaining ones; `text` is the rest of the message as typed, `name` the same without quotes around it.
 */
export const parameterKinds = {
  system: 'word',
  member: 'word',
  group: 'word',
  subject: 'word',
  level: 'word',
  setting: 'words',
  account: 'word',
  code: 'word',
  message: 'word',
  guild: 'word',
  switched: 'word',
  period: 'name',
  when: 'name',
  topic: 'name',
  term: 'name',
  name: 'name',
  value: 'text',
  tags: 'text',
  text: 'text',
  members: 'words',
  groups: 'words',
  channels: 'words',
} as const

export type ParameterName = keyof typeof parameterKinds
export type ParameterKind = (typeof parameterKinds)[ParameterName]

export type PatternPart =
  | { readonly literals: readonly string[] }
  | {
      readonly parameter: ParameterName
      readonly kind: ParameterKind
      readonly isOptional: boolean
    }

/**
 * Parses a line of the command table: words with their aliases (`member|m`), required (`<member>`)
 * and optional (`[value]`) parameters.
 */
export function parsePattern(pattern: string): PatternPart[] {
  return pattern.split(' ').map((part) => {
    const [, open, name] = /^([<[])(\w+)[>\]]$/.exec(part) ?? []
    if (open === undefined || name === undefined) return { literals: part.split('|') }
    if (!isParameterName(name)) throw new Error(`unknown parameter in a command: ${name}`)
    return { parameter: name, kind: parameterKinds[name], isOptional: open === '[' }
  })
}

/** Returns the parameter that takes the rest of the message as typed; null if there is none. */
export function textParameterOf(parts: readonly PatternPart[]): ParameterName | null {
  for (const part of parts) if ('kind' in part && part.kind === 'text') return part.parameter
  return null
}

export function isParameterName(name: string): name is ParameterName {
  return name in parameterKinds
}

/** Formats a command for people: first names only, parameters in brackets. */
export function formatUsage(parts: readonly PatternPart[]): string {
  return parts
    .map((part) => {
      if ('literals' in part) return part.literals[0]
      return part.isOptional ? `[${part.parameter}]` : `<${part.parameter}>`
    })
    .join(' ')
}
