import type { First, Rest } from './catalogue'

/** Languages of the dashboard. Only the texts of the language in use are downloaded. */

interface Language {
  /** Name in the language itself; null for languages that only tests use. */
  readonly name: string | null
  readonly dir: 'ltr' | 'rtl'
  readonly loadFirst: () => Promise<First>
  readonly loadRest: () => Promise<Rest>
}

const loadEnglishFirst = async () => (await import('./en/first')).first
const loadEnglishRest = async () => (await import('./en/rest')).rest
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
    loadFirst: async () => (await import('./de/first')).first,
    loadRest: async () => (await import('./de/rest')).rest,
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

export type LanguageCode = keyof typeof languages

export const languageCodes = Object.keys(languages) as LanguageCode[]
