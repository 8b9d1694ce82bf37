import { randomInt } from 'node:crypto'

/** Without characters that look alike, in either case and in handwriting. */
const LETTERS = '34679ACDEFHJKMNPQRTVWXY'

/** Generates a code that people can read out and type. */
export function generateCode(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** Removes spaces and hyphens and ignores case, because people type codes in different ways. */
export function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase()
}
