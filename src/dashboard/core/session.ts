import { signal } from '@preact/signals'
import { errorMessage, isUnauthorized } from '../api/client'
import { dropDrafts } from './drafts'
import { loadAhead, loadAll } from './store'

/** Login state. While logged in, one event stream keeps the page up to date. */
export const sessionState = signal<'loading' | 'in' | 'out' | 'away'>('loading')

/** What the login page says about the session that ended; '' for nothing. */
export const loginNote = signal('')

/** Set by a login until what an earlier session stored is deleted. */
export const isNewLogin = signal(false)

/** How this browser logged in; `unknown` in earlier releases. */
export type LoginMethod = 'link' | 'token' | 'unknown'

/** Deliberate logout: also drops unsent input. */
export function clearSession(): void {
  dropDrafts()
  loginNote.value = ''
  sessionState.value = 'out'
}

/** Problem of the first request for all data; '' without one. */
export const loadProblem = signal('')

/** Loads the data of the system. The event stream tries again only when it is connected anew. */
export async function loadSession(): Promise<void> {
  loadProblem.value = ''
  try {
    await loadAll()
  } catch (cause) {
    // Shows the login page, or belongs to an earlier session.
    if (!isUnauthorized(cause)) loadProblem.value = errorMessage(cause)
    return
  }
  await loadAhead().catch(ignoreError)
}

const KEY = 'multitude-in'

/** Returns how this browser logged in last time; null if it is not logged in, or without storage. */
export function loginMethod(): LoginMethod | null {
  const method = stored(KEY)
  return method === null || method === 'link' || method === 'token' ? method : 'unknown'
}

export function rememberLogin(method: LoginMethod | null): void {
  store(KEY, method)
}

/** Key of the session that this browser left while the server did not answer. */
export const LEFT = 'multitude-left'

const KEEPS = 'multitude-keeps'

/** Returns true if this browser may have a copy or waiting switches. */
export function keepsData(): boolean {
  return stored(KEEPS) !== null
}

/** Remembers that this browser may have them. */
export function startKeeping(): void {
  store(KEEPS, '1')
}

/** Called after everything that this browser kept was deleted. */
export function stopKeeping(): void {
  store(KEEPS, null)
}

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {}
}

/** The event stream already shows that the server is unreachable. */
export function ignoreError(): void {}
