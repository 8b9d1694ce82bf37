import type { Instant } from './time'

/** Position in a list: items before a time, or after the item with this UUID. */
export type ListPosition = { readonly before: Instant } | { readonly uuid: string } | null

export interface PageRequest {
  readonly limit: number
  readonly position: ListPosition
}
