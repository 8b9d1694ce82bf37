import { computed, effect, signal } from '@preact/signals'
import { zone } from './store'
import { type Clock, createFormatter } from './time'

/** How the page looks, kept for each browser. */
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

const usual: Appearance = {
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

export const appearance = signal<Appearance>(recall())

export function changeAppearance(patch: Partial<Appearance>): void {
  appearance.value = { ...appearance.value, ...patch }
  try {
    localStorage.setItem(KEY, JSON.stringify(appearance.value))
  } catch {
    // A browser that keeps nothing shows it until the page is closed.
  }
}

/** Times in the zone and by the clock that were chosen. */
export const formatter = computed(() => createFormatter(zone.value, appearance.value.clock))

/** Puts it on the page, now and whenever it changes; to be called once. */
export function applyAppearance(): void {
  effect(() => {
    const { dataset, style } = document.documentElement
    const { size, ...others } = appearance.value
    for (const [name, value] of Object.entries(others)) dataset[name] = value
    style.setProperty('--text', `${Number(size) / 100}`)
  })
}

/** Whatever else lies there, of another release or another hand, is as if it were not. */
function recall(): Appearance {
  let kept: Partial<Record<string, unknown>> = {}
  try {
    kept = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return usual
  }
  const known = Object.entries(choices).filter(([name, values]) =>
    (values as readonly unknown[]).includes(kept[name]),
  )
  return { ...usual, ...Object.fromEntries(known.map(([name]) => [name, kept[name]])) }
}
