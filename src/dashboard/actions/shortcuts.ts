import { signal } from '@preact/signals'
import { toast } from '../core/actions'
import { appearance } from '../core/appearance'
import { revertLast } from './revertLast'

/** Single-key shortcuts, ignored in form fields and when switched off. */
export const isShortcutHelpOpen = signal(false)

/** Element that the next page focuses after a shortcut. */
export const requestedFocus = signal<'search' | 'switch' | null>(null)

const pageHashes: Readonly<Record<string, string>> = {
  n: '#/now',
  m: '#/members',
  h: '#/history',
  i: '#/insights',
}
const SEQUENCE_MS = 1500

export function listenForShortcuts(): void {
  // Shortcut of the installed app.
  if (location.hash === '#/now/switch') requestedFocus.value = 'switch'
  let isInSequence = false
  addEventListener('keydown', (event) => {
    if (appearance.value.keys === 'off' || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target)) return
    // A sheet shows the toast, and nothing else has a shortcut there.
    if (event.key !== 'u' && document.querySelector('dialog[open]')) return
    const hash = isInSequence ? pageHashes[event.key] : undefined
    isInSequence = false
    if (hash) location.hash = hash
    else if (event.key === 'g') {
      isInSequence = true
      setTimeout(() => {
        isInSequence = false
      }, SEQUENCE_MS)
      return
    } else if (event.key === '/') requestFocus('search', '#/members')
    else if (event.key === 's') requestFocus('switch', '#/now')
    else if (event.key === 'u' && toast.value?.undo) revertLast()
    else if (event.key === '?') isShortcutHelpOpen.value = true
    else return
    event.preventDefault()
  })
}

function requestFocus(target: 'search' | 'switch', hash: string): void {
  requestedFocus.value = target
  location.hash = hash
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}
