import type { First, Later } from './catalogue'

/** Languages of the dashboard. Only the texts of the language in use are downloaded. */

interface Language {
  /** Name in the language itself; null for languages that only tests use. */
  readonly name: string | null
  readonly dir: 'ltr' | 'rtl'
  readonly loadFirst: () => Promise<First>
  readonly loadRest: () => Promise<Later>
}

const loadEnglishFirst = async () => (await import('./en/firstBundle')).first
const loadEnglishRest = () =>
  merge(import('./en/restBundle'), import('./en/ext'), import('./en/codes'))
const loadPseudoFirst = async () => (await import('./pseudo')).toPseudo(await loadEnglishFirst())
const loadPseudoRest = async () => (await import('./pseudo')).toPseudo(await loadEnglishRest())

export const languages = {
  en: {
    name: 'English',
    dir: 'ltr',
    loadFirst: loadEnglishFirst,
    loadRest: loadEnglishRest,
  },
  de: {
    name: 'Deutsch',
    dir: 'ltr',
    loadFirst: async () => (await import('./de/firstBundle')).first,
    loadRest: () => merge(import('./de/restBundle'), import('./de/ext'), import('./de/codes')),
  },
  'en-XA': {
    name: null,
    dir: 'ltr',
    loadFirst: loadPseudoFirst,
    loadRest: loadPseudoRest,
  },
  'ar-XB': {
    name: null,
    dir: 'rtl',
    loadFirst: loadPseudoFirst,
    loadRest: loadPseudoRest,
  },
} as const satisfies Record<string, Language>

/** Loads the texts of the pages from several scripts at the same time, because one would be too large. */
async function merge<R, E, C>(
  ...parts: [Promise<{ rest: R }>, Promise<{ ext: E }>, Promise<{ codes: C }>]
): Promise<R & E & C> {
  const [{ rest }, { ext }, { codes }] = await Promise.all(parts)
  return { ...rest, ...ext, ...codes }
}

export type LanguageCode = keyof typeof languages

export const languageCodes = Object.keys(languages) as LanguageCode[]
