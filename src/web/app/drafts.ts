import { type Signal, signal } from '@preact/signals'
import type { Instant } from '../../model/time'
import type { FormDraft } from './form'
import type { SpanKind } from './insights'
import { resetListing } from './memberList'

/** What was chosen or typed and is not sent yet: it outlives a session that ends in between. */

/** Faces that were tapped, in that order. */
export const selection = signal<readonly string[]>([])

/** When it happened: now, or a moment before; the fields keep what was typed. */
export interface Earlier {
  readonly kind: '15' | '60' | 'morning' | 'typed'
  readonly date: string
  readonly time: string
}
export const earlier = signal<Earlier | null>(null)

/** A switch that is being made or changed on History. */
export interface SwitchDraft {
  /** Null for a new one. */
  readonly id: string | null
  readonly date: string
  readonly time: string
  readonly members: readonly string[]
  /** What the switch had, to the microsecond, while its fields are not touched. */
  readonly timestamp: Instant | null
}
export const switchDraft = signal<SwitchDraft | null>(null)

/** Somebody, or a group, who is being edited. */
export const formDraft = signal<FormDraft | null>(null)

/** Which time is looked at on Insights; the fields of an own one keep what was typed. */
export interface AskedSpan {
  readonly kind: SpanKind
  readonly from: string
  readonly to: string
}
const usualSpan: AskedSpan = { kind: 'fortnight', from: '', to: '' }
export const askedSpan = signal(usualSpan)

/** A file that is looked at before it is brought in. */
export const importFile = signal<File | null>(null)

export function toggleSelection(id: string): void {
  selection.value = selection.value.includes(id)
    ? selection.value.filter((other) => other !== id)
    : [...selection.value, id]
}

/** A draft of a place that is loaded when it is first opened. */
export function createDraft<T>(initial: T): Signal<T> {
  const draft = signal(initial)
  drops.push(() => {
    draft.value = initial
  })
  return draft
}
const drops: (() => void)[] = []

export function dropDrafts(): void {
  for (const drop of drops) drop()
  selection.value = []
  earlier.value = null
  switchDraft.value = null
  formDraft.value = null
  resetListing()
  askedSpan.value = usualSpan
  importFile.value = null
}
