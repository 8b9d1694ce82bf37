import { type Signal, signal } from '@preact/signals'
import type { Instant } from '../../model/time'
import type { FormDraft } from './form'
import type { SpanKind } from './insights'
import { resetListing } from './memberList'

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
export interface SwitchDraft {
  /** Null for a new one. */
  readonly id: string | null
  readonly date: string
  readonly time: string
  readonly members: readonly string[]
  /** End of the stint, for a new switch; null if it goes on until the next one. */
  readonly until: { readonly date: string; readonly time: string } | null
  /** Exact timestamp of the switch (microseconds) until its fields are edited. */
  readonly timestamp: Instant | null
}
export const switchDraft = signal<SwitchDraft | null>(null)

/** Member, group or system that is being edited. */
export const formDraft = signal<FormDraft | null>(null)

/** Span selected on Insights; `from` and `to` keep what was typed for a custom span. */
export interface SpanDraft {
  readonly kind: SpanKind
  readonly from: string
  readonly to: string
}
const defaultSpan: SpanDraft = { kind: 'fortnight', from: '', to: '' }
export const spanDraft = signal(defaultSpan)

/** File that is previewed before it is imported. */
export const importFile = signal<File | null>(null)

export function toggleSelection(id: string): void {
  selection.value = selection.value.includes(id)
    ? selection.value.filter((other) => other !== id)
    : [...selection.value, id]
}

/** Creates a draft for a lazily loaded page, so that `dropDrafts` resets it too. */
export function createDraft<T>(initial: T): Signal<T> {
  const draft = signal(initial)
  resets.push(() => {
    draft.value = initial
  })
  return draft
}
const resets: (() => void)[] = []

export function dropDrafts(): void {
  for (const reset of resets) reset()
  selection.value = []
  earlier.value = null
  switchDraft.value = null
  formDraft.value = null
  resetListing()
  spanDraft.value = defaultSpan
  importFile.value = null
}
