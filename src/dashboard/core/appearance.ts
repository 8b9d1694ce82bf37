import { computed, effect, signal } from '@preact/signals'
import { type Clock, createFormatter, firstWeekday } from '../lib/time'
import { type LanguageCode, languageCodes } from '../texts/languages'
import { language } from '../texts/texts'
import { zone } from './store'

/** Appearance of the page, stored per browser. */
export interface Appearance {
  language: 'device' | LanguageCode
  theme: 'device' | 'paper' | 'dusk' | 'night'
  font: 'atkinson' | 'device' | 'opendyslexic'
  size: '90' | '100' | '115' | '130' | '145' | '160'
  spacing: 'usual' | 'wide'
  contrast: 'device' | 'more'
  lists: 'usual' | 'compact'
  pictures: 'all' | 'faces' | 'none'
  motion: 'device' | 'none'
  clock: Clock
  /** First day of the week; 1 is Monday. */
  week: 'device' | '1' | '6' | '7'
  keys: 'on' | 'off'
}

export const choices: { readonly [K in keyof Appearance]: readonly Appearance[K][] } = {
  language: ['device', ...languageCodes],
  theme: ['device', 'paper', 'dusk', 'night'],
  font: ['atkinson', 'device', 'opendyslexic'],
  size: ['90', '100', '115', '130', '145', '160'],
  spacing: ['usual', 'wide'],
  contrast: ['device', 'more'],
  lists: ['usual', 'compact'],
  pictures: ['all', 'faces', 'none'],
  motion: ['device', 'none'],
  clock: ['device', '24', '12'],
  week: ['device', '1', '6', '7'],
  keys: ['on', 'off'],
}

const defaults: Appearance = {
  language: 'device',
  theme: 'device',
  font: 'atkinson',
  size: '100',
  spacing: 'usual',
  contrast: 'device',
  lists: 'usual',
  pictures: 'all',
  motion: 'device',
  clock: 'device',
  week: 'device',
  keys: 'on',
}

const KEY = 'multitude-appearance'
/** Key of earlier releases; its value is moved. */
const OLD_KEY = 'multitude-look'

export const appearance = signal<Appearance>(loadAppearance())

export function changeAppearance(patch: Partial<Appearance>): void {
  appearance.value = { ...appearance.value, ...patch }
  try {
    localStorage.setItem(KEY, JSON.stringify(appearance.value))
  } catch {
    // Storage may be disabled; the choice then lasts until the page is closed.
  }
}

/**
 * Locale of dates and times: the browser's variant of the language of the texts, such as en-GB, so
 * that dates are never in another language than the texts.
 */
export const locale = computed(
  () =>
    navigator.languages.find((tag) => new Intl.Locale(tag).language === language.value) ??
    language.value,
)

/** Formats times in the chosen time zone and clock. */
export const formatter = computed(() =>
  createFormatter(zone.value, appearance.value.clock, locale.value),
)

/** First day of the week, by the setting or else the locale; 1 is Monday. */
export const weekStart = computed(() =>
  appearance.value.week === 'device' ? firstWeekday(locale.value) : Number(appearance.value.week),
)

/** Applies the appearance to the page now and after every change. Called once. */
export function applyAppearance(): void {
  effect(() => {
    const { dataset, style } = document.documentElement
    const { size, ...rest } = appearance.value
    for (const [name, value] of Object.entries(rest)) dataset[name] = value
    style.setProperty('--text', `${Number(size) / 100}`)
  })
}

/** Ignores unknown keys and values, such as those of another release. */
function loadAppearance(): Appearance {
  let stored: Partial<Record<string, unknown>> = {}
  try {
    const old = localStorage.getItem(OLD_KEY)
    if (old !== null) {
      if (localStorage.getItem(KEY) === null) localStorage.setItem(KEY, old)
      localStorage.removeItem(OLD_KEY)
    }
    stored = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return defaults
  }
  const entries = Object.entries(choices).filter(([name, values]) =>
    (values as readonly unknown[]).includes(stored[name]),
  )
  return { ...defaults, ...Object.fromEntries(entries.map(([name]) => [name, stored[name]])) }
}
