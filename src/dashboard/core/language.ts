import { effect } from '@preact/signals'
import { type LanguageCode, languageCodes, languages } from '../texts/languages'
import { language, loadStrings } from '../texts/texts'
import { appearance } from './appearance'

/** Languages that people can choose, with their names. */
export const listedLanguages = languageCodes.flatMap((code): [LanguageCode, string][] => {
  const { name } = languages[code]
  return name === null ? [] : [[code, name]]
})

/** Returns the language of the setting, else the first one of the browser that there are texts in. */
export function chooseLanguage(
  setting: LanguageCode | 'device',
  preferred: readonly string[],
): LanguageCode {
  if (setting !== 'device') return setting
  for (const tag of preferred) {
    const language = listedLanguages.find(([code]) => code === new Intl.Locale(tag).language)
    if (language) return language[0]
  }
  return 'en'
}

const RETRY_MS = 2000

/** Loads the texts, and others when another language is chosen. Called once. */
export async function startLanguage(): Promise<void> {
  const load = () => loadStrings(chooseLanguage(appearance.value.language, navigator.languages))
  for (let isLoaded = false; !isLoaded; )
    isLoaded = await load().then(
      () => true,
      () => new Promise((resolve) => setTimeout(resolve, RETRY_MS, false)),
    )
  effect(() => {
    if (chooseLanguage(appearance.value.language, navigator.languages) !== language.peek())
      // The page stays in its language if the server is unreachable.
      load().catch(() => {})
  })
  effect(() => {
    const { lang, dir } = { lang: language.value, dir: languages[language.value].dir }
    Object.assign(document.documentElement, { lang, dir })
    const manifest = document.querySelector('link[rel="manifest"]')
    const isWatch = manifest?.getAttribute('href')?.startsWith('watch')
    manifest?.setAttribute('href', manifestPath(isWatch ? 'watch' : 'app'))
  })
}

/** Returns the path of a manifest in the language in use. */
export function manifestPath(kind: 'app' | 'watch'): string {
  const isOther = language.value !== 'en' && languages[language.value].name !== null
  return isOther ? `${kind}.${language.value}.webmanifest` : `${kind}.webmanifest`
}
