import type { Level } from '../../model/core/entity'
import type { Instant } from '../../model/core/time'
import type { ArchiveChange, FronterStatus, LevelChange } from '../api/types'

/** Notice at the bottom of the page, with a way to revert what it announces. */
export interface Toast {
  readonly text: string
  readonly undo?: Undo
}

/** Change that reverts another one. Data rather than a function, so that it survives a reload. */
export type Undo =
  | { readonly kind: 'removeSwitches'; readonly ids: readonly string[] }
  | {
      readonly kind: 'restoreSwitch'
      readonly members: readonly string[]
      readonly at: Instant
      readonly statuses: readonly FronterStatus[]
    }
  | { readonly kind: 'changeSwitch'; readonly id: string; readonly change: SwitchChange }
  | {
      readonly kind: 'changeMemberships'
      readonly group: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  | { readonly kind: 'changeLevels'; readonly changes: readonly LevelChange[] }
  | { readonly kind: 'changeArchived'; readonly uuid: string; readonly change: ArchiveChange }
  /** Creates a deleted object again, with another ID. */
  | { readonly kind: 'create'; readonly path: string; readonly body: object }
  | { readonly kind: 'changeSystemLevels'; readonly levels: Readonly<Record<string, Level>> }

/** New time or members of a switch. */
export interface SwitchChange {
  readonly at?: Instant
  readonly members?: readonly string[]
}

const KEY = 'multitude-undo'

/** Browsers keep the storage of a closed tab and give it back when the tab is opened again. */
const MAX_AGE_MS = 60_000

/** Stores a toast that can be undone for this tab; removes the stored one otherwise. */
export function storeToast(toast: Toast | null): void {
  try {
    if (toast?.undo) sessionStorage.setItem(KEY, JSON.stringify({ toast, storedAt: Date.now() }))
    else sessionStorage.removeItem(KEY)
  } catch {
    // Storage may be disabled; the toast then lasts until the page is closed.
  }
}

/** Returns the toast that was visible when the page was reloaded. */
export function loadToast(): Toast | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
      toast: Toast
      storedAt: number
    } | null
    return stored && Date.now() - stored.storedAt < MAX_AGE_MS ? stored.toast : null
  } catch {
    return null
  }
}
