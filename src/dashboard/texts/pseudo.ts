const accents: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  c: 'ç',
  n: 'ñ',
  s: 'š',
  A: 'Å',
  E: 'É',
  I: 'Î',
  O: 'Ö',
  U: 'Û',
  S: 'Š',
}

/**
 * Makes a language for tests from English texts: longer, accented and in brackets, so that a text
 * outside the catalogue and a text that does not fit are found. Strings given to a message, such as
 * names, stay as they are.
 */
export function toPseudo<T>(value: T): T {
  return convertAny(value) as T
}

function convertAny(value: unknown): unknown {
  if (typeof value === 'string') return convertText(value)
  if (typeof value === 'function')
    return (...args: readonly unknown[]) => {
      const given: string[] = []
      const result = value(...args.map((one) => hide(one, given)))
      return reveal(convertAny(result), given)
    }
  if (Array.isArray(value)) return value.map(convertAny)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, convertAny(one)]))
}

/** A third longer, as translations from English are. */
function convertText(text: string): string {
  if (text === '') return ''
  const accented = [...text].map((letter) => accents[letter] ?? letter).join('')
  return `[${accented}${' ~~'.repeat(Math.ceil(text.length / 9))}]`
}

/** Characters of the private use area around the position of a hidden string. */
const [START, END] = ['\uE000', '\uE001']

function hide(value: unknown, given: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => hide(one, given))
  if (typeof value !== 'string' || value === '') return value
  given.push(value)
  return `${START}${given.length - 1}${END}`
}

function reveal(value: unknown, given: readonly string[]): unknown {
  if (typeof value === 'string')
    return value.replace(/\uE000(\d+)\uE001/g, (_, at) => given[Number(at)] ?? '')
  if (Array.isArray(value)) return value.map((one) => reveal(one, given))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, reveal(one, given)]))
}
