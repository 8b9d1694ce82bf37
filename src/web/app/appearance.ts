import { computed, effect, signal } from '@preact/signals'
import { zone } from './store'
import { type Clock, createFormatter } from './time'

/** Appearance of the page, stored per browser. */
export interface Appearance {
  theme: 'device' | 'paper' | 'dusk' | 'night'
  font: 'atkinson' | 'device' | 'opendyslexic'
  size: '90' | '100' | '115' | '130' | '145' | '160'
  spacing: 'usual' | 'wide'
  contrast: 'device' | 'more'
  lists: 'usual' | 'compact'
  pictures: 'all' | 'faces' | 'none'
  motion: 'device' | 'none'
  clock: Clock
  keys: 'on' | 'off'
}

export const choices: { readonly [K in keyof Appearance]: readonly Appearance[K][] } = {
  theme: ['device', 'paper', 'dusk', 'night'],
  font: ['atkinson', 'device', 'opendyslexic'],
  size: ['90', '100', '115', '130', '145', '160'],
  spacing: ['usual', 'wide'],
  contrast: ['device', 'more'],
  lists: ['usual', 'compact'],
  pictures: ['all', 'faces', 'none'],
  motion: ['device', 'none'],
  clock: ['device', '24', '12'],
  keys: ['on', 'off'],
}

const defaults: Appearance = {
  theme: 'device',
  font: 'atkinson',
  size: '100',
  spacing: 'usual',
  contrast: 'device',
  lists: 'usual',
  pictures: 'all',
  motion: 'device',
  clock: 'device',
  keys: 'on',
}

const KEY = 'multitude-look'

export const appearance = signal<Appearance>(loadAppearance())

export function changeAppearance(patch: Partial<Appearance>): void {
  appearance.value = { ...appearance.value, ...patch }
  try {
    localStorage.setItem(KEY, JSON.stringify(appearance.value))
  } catch {
    // Storage may be disabled; the choice then lasts until the page is closed.
  }
}

/** Formats times in the chosen time zone and clock. */
export const formatter = computed(() => createFormatter(zone.value, appearance.value.clock))

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
    stored = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return defaults
  }
  const known = Object.entries(choices).filter(([name, values]) =>
    (values as readonly unknown[]).includes(stored[name]),
  )
  return { ...defaults, ...Object.fromEntries(known.map(([name]) => [name, stored[name]])) }
}
