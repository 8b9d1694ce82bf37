import { effect } from '@preact/signals'
import { createDraft } from './drafts'
import { sessionState } from './session'
import { system } from './store'

/** Drafts of one system, by the name of what is being written. */
interface Stored<T> {
  readonly system: string
  readonly drafts: Readonly<Record<string, T>>
}

/**
 * Creates drafts that survive a reload. They are stored for this tab only, and for the system that
 * is logged in, because others may use the device too.
 */
export function createStoredDrafts<T>(key: string) {
  const all = createDraft<Stored<T> | null>(null)
  all.value = read<T>(key)
  effect(() => {
    const uuid = sessionState.value === 'out' ? null : system.value?.uuid
    // Until it is known who is logged in, nothing changes.
    if (uuid !== undefined) store(key, all.value?.system === uuid ? all.value : null)
  })
  const ownDrafts = () =>
    (all.value?.system === system.value?.uuid ? all.value?.drafts : undefined) ?? {}
  return {
    find: (name: string): T | null => ownDrafts()[name] ?? null,
    /** Replaces a draft; null drops it. */
    put(name: string, draft: T | null): void {
      const { [name]: _, ...others } = ownDrafts()
      const drafts = draft === null ? others : { ...others, [name]: draft }
      all.value = { system: system.value?.uuid ?? '', drafts }
    },
  }
}

function read<T>(key: string): Stored<T> | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Stored<T> | null
  } catch {
    return null
  }
}

function store(key: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Storage may be disabled or full; the drafts then last until the page is closed.
  }
}
