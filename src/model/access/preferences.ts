import { entity, type Patch, type Row } from '../core/entity'
import { required } from '../core/field'

/** Preferences of the dashboard; `Preferences` adds references to members and groups. */
export const preferences = entity('preferences', {
  word: required({ max: 30, doc: 'Word for members in the dashboard', example: 'headmates' }),
})

export const DEFAULT_WORD = 'members'

/** Maximum number of pinned members, and of groups that are statuses. */
export const MAX_PREFERENCE_ITEMS = 1000

export type Preferences = Row<typeof preferences> & {
  /** UUIDs of members, in order. */
  pinned: string[]
  /** UUIDs of groups. */
  statuses: string[]
}

/** A patch whose members and groups may be references of any kind. */
export type PreferencesPatch = Patch<typeof preferences> & {
  pinned?: string[]
  statuses?: string[]
}
