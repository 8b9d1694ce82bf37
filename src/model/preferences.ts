import { entity, type Patch, type Row } from './entity'
import { required } from './field'

/** What the dashboard remembers; members and groups are named beside it. */
export const preferences = entity('preferences', {
  word: required({ max: 30, doc: 'What members are called here', example: 'headmates' }),
})

export const DEFAULT_WORD = 'members'

/** Most members that are pinned, and most groups that are statuses. */
export const MAX_NAMED = 1000

export type Preferences = Row<typeof preferences> & {
  /** UUIDs of members, in order. */
  pinned: string[]
  /** UUIDs of groups. */
  statuses: string[]
}

/** With references of any kind. */
export type PreferencesPatch = Patch<typeof preferences> & {
  pinned?: string[]
  statuses?: string[]
}
