import { signal } from '@preact/signals'
import { appearance } from './appearance'

/** Single keys, never in fields, and only as long as they are wanted. */
export const isShortcutHelpOpen = signal(false)

/** What the next page should give the focus to, where a key asked for it. */
export const wanted = signal<'search' | 'switch' | null>(null)

const places: Readonly<Record<string, string>> = {
  n: '#/now',
  m: '#/members',
  h: '#/history',
  i: '#/insights',
}
const GOING_MS = 1500

export function listenForShortcuts(): void {
  let isGoing = false
  addEventListener('keydown', (event) => {
    if (appearance.value.keys === 'off' || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    const place = isGoing ? places[event.key] : undefined
    isGoing = false
    if (place) location.hash = place
    else if (event.key === 'g') {
      isGoing = true
      setTimeout(() => {
        isGoing = false
      }, GOING_MS)
      return
    } else if (event.key === '/') want('search', '#/members')
    else if (event.key === 's') want('switch', '#/now')
    else if (event.key === '?') isShortcutHelpOpen.value = true
    else return
    event.preventDefault()
  })
}

function want(what: 'search' | 'switch', hash: string): void {
  wanted.value = what
  location.hash = hash
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}
