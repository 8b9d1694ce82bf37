import { entity, type Row } from '../core/entity'
import { choice, text, timestamp } from '../core/field'
import { memberKinds } from '../members/memberExt'
import { MAX_STATUS } from './frontNoteSize'

/** Fields that the extension API adds to a member in front. */
export const fronter = entity('fronter', {
  kind: choice(memberKinds, { defaultValue: 'member', doc: 'Kind of the member' }),
  since: timestamp({ doc: 'Beginning of the stint' }),
  status: text({
    max: MAX_STATUS,
    guard: 'front_status_privacy',
    doc: 'Status text; null if there is none, or the caller may not see it',
    example: 'at work',
  }),
})

export type Fronter = Row<typeof fronter>
