import { type Signal, signal } from '@preact/signals'
import type { FronterStatus } from '../api/types'
import type { ExactTime } from './exactTime'
import type { FormDraft } from './form'

/** Unsent input. It is kept when the session ends before it was sent. */

/** IDs of the selected members, in the order of selection. */
export const selection = signal<readonly string[]>([])

/** Time of the switch when it is not now; the fields keep what was typed. */
export interface Earlier {
  readonly kind: '15' | '60' | 'morning' | 'typed'
  readonly date: string
  readonly time: string
}
export const earlier = signal<Earlier | null>(null)

/** Switch that is being created or edited on History. */
export interface SwitchDraft extends ExactTime {
  /** Null for a new one. */
  readonly id: string | null
  readonly members: readonly string[]
  /** End of the stint, for a new switch; null if it goes on until the next one. */
  readonly until: { readonly date: string; readonly time: string } | null
}
export const switchDraft = signal<SwitchDraft | null>(null)

/** Member, group or system that is being edited. */
export const formDraft = signal<FormDraft | null>(null)

/** File that is previewed before it is imported. */
export const importFile = signal<File | null>(null)

export function toggleSelection(id: string): void {
  selection.value = selection.value.includes(id)
    ? selection.value.filter((other) => other !== id)
    : [...selection.value, id]
}

/** Status or comment that is being written or edited. Members are short IDs; '' means none. */
export interface FrontNoteDraft {
  readonly kind: 'status' | 'comment'
  readonly text: string
  /** Absent for a new one. */
  readonly id?: string
  readonly member?: string
  /** Author of a comment; absent for the likely one. */
  readonly by?: string
  /** Absent for now. */
  readonly moment?: ExactTime
}

/** Creates a draft of a page or feature, which `dropDrafts` resets, too. */
export function createDraft<T>(initial: T): Signal<T> {
  const draft = signal(initial)
  onDropDrafts(() => {
    draft.value = initial
  })
  return draft
}

/** Calls a function whenever the drafts are dropped. */
export function onDropDrafts(reset: () => void): void {
  resets.push(reset)
}
const resets: (() => void)[] = []

/** Status of the one selected member, to be logged with the switch; null until it is asked for. */
export const switchStatus = createDraft<FronterStatus | null>(null)

export const frontNoteDraft = createDraft<FrontNoteDraft | null>(null)

/** Key of the answered offer to convert archived rows. */
export const OFFER_KEY = 'multitude-offer'

/** Removes the drafts that pages keep for this tab, except those of a system. */
export function dropStoredDrafts(except?: string): void {
  try {
    for (const [key, text] of Object.entries(sessionStorage)) {
      if (!key.startsWith('multitude-')) continue
      const { system } = Object(JSON.parse(text))
      if (system && system !== except) sessionStorage.removeItem(key)
    }
  } catch {}
}

export function dropDrafts(): void {
  try {
    // Drafts of pages that are not loaded.
    sessionStorage.clear()
    localStorage.removeItem(OFFER_KEY)
  } catch {}
  for (const reset of resets) reset()
  selection.value = []
  earlier.value = null
  switchDraft.value = null
  formDraft.value = null
  importFile.value = null
}
