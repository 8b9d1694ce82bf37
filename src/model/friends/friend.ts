import { entity, type Patch, type Row } from '../core/entity'
import { bucketList, flag, text, timestamp } from '../core/field'

/** Settings of what a system shows to a friend. */
export const share = entity('share', {
  see_front: flag(true, { doc: 'Whether the friend sees who is fronting' }),
  see_members: flag(false, { doc: 'Whether the friend sees members, groups and custom fields' }),
  announce: flag(true, { doc: 'Whether the friend may be notified of changes of the front' }),
  buckets: bucketList({
    ownerOnly: 'absent',
    doc: 'Privacy buckets that the friend is in; by default the one named "Friends"',
  }),
})

/** Keys of the field table that are not columns. */
export const derivedShareKeys = ['buckets'] as const

export type Share = Row<typeof share>
export type SharePatch = Patch<typeof share>

/** One side of a friendship: the friend as a system sees it. */
export const friend = entity('friend', {
  name: text({ max: 100, doc: 'Own name for the friend', example: 'Sam' }),
  notify_me: flag(false, { doc: "Whether changes of the friend's front are notified" }),
})

export type Friend = Row<typeof friend>
export type FriendPatch = Patch<typeof friend>

/** Offer of a friendship. Its code is shown once. */
export const invite = entity('invite', {
  name: text({ max: 100, doc: 'Own name for the future friend', example: 'Sam' }),
  expires: timestamp({ doc: 'When the invitation expires' }),
})

export type Invite = Row<typeof invite>
