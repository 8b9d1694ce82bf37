import { computed, effect, signal } from '@preact/signals'
import { zone } from './store'
import { type Clock, createSpeller } from './time'

/** How the page looks, kept for each browser. */
export interface Look {
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

export const choices: { readonly [K in keyof Look]: readonly Look[K][] } = {
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

const usual: Look = {
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

export const look = signal<Look>(recall())

export function changeLook(patch: Partial<Look>): void {
  look.value = { ...look.value, ...patch }
  try {
    localStorage.setItem(KEY, JSON.stringify(look.value))
  } catch {
    // A browser that keeps nothing shows it until the page is closed.
  }
}

/** Times in the zone and by the clock that were chosen. */
export const spell = computed(() => createSpeller(zone.value, look.value.clock))

/** Puts it on the page, now and whenever it changes; to be called once. */
export function applyLook(): void {
  effect(() => {
    const { dataset, style } = document.documentElement
    const { size, ...others } = look.value
    for (const [name, value] of Object.entries(others)) dataset[name] = value
    style.setProperty('--text', `${Number(size) / 100}`)
  })
}

/** Whatever else lies there, of another release or another hand, is as if it were not. */
function recall(): Look {
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
