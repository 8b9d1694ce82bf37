/** Limits and names that a text contains. */
export type TextValues = Readonly<Record<string, string | number | readonly string[]>>

/** Text of a code; one with values is a function of them. */
type CodedText = string | ((values: never) => string)

export type CodedTexts = Readonly<Record<string, CodedText>>

/** Arguments after a code: the values of its text, if it has any. */
export type ValueArgs<T extends CodedText> = T extends (values: infer V) => string
  ? [values: V]
  : []

/** The same codes with the same values in another language. */
export type Translated<T extends CodedTexts> = {
  readonly [C in keyof T]:
    | string
    | (T[C] extends (values: infer V) => string ? (values: V) => string : never)
}

export interface Coded<C extends string = string> {
  readonly code: C
  readonly values: TextValues
}

/** Returns the text of a code with its values; undefined if the code has none. */
export function renderText(texts: CodedTexts, { code, values }: Coded): string | undefined {
  const text: CodedText | undefined = texts[code]
  if (typeof text === 'function') return (text as (values: TextValues) => string)(values)
  return text
}

/** Finds the code and the values of a text that `renderText` returned. */
export function parseCoded(texts: CodedTexts, rendered: string): Coded | null {
  for (const code of Object.keys(texts)) {
    const match = patternOf(texts, code).exec(rendered)
    if (match) return { code, values: { ...match.groups } }
  }
  return null
}

function patternOf(texts: CodedTexts, code: string): RegExp {
  const placeholders = new Proxy<TextValues>({}, { get: (_, key) => `\0${String(key)}\0` })
  const text = renderText(texts, { code, values: placeholders }) ?? ''
  const parts = text
    .split('\0')
    .map((part, index) => (index % 2 ? `(?<${part}>.*)` : part.replace(/[^\w\s]/g, '\\$&')))
  return new RegExp(`^${parts.join('')}$`, 's')
}
