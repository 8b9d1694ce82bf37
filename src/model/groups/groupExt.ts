import { entity, type Patch, type Row } from '../core/entity'
import { bucketList, count, memberList, reference, text } from '../core/field'

/** Maximum number of groups on the path from the top to a group. */
export const MAX_GROUP_DEPTH = 8

/** Fields that the extension API adds to a group. */
export const groupExt = entity('groupExt', {
  parent: reference({
    publicPart: 'public_parent',
    friendPart: 'friend_parent',
    doc: 'UUID of the group that contains this group; null at the top',
  }),
  emoji: text({ max: 16, doc: 'Emoji shown beside the name', example: '🌱' }),
  position: count(0, { doc: 'Position among the groups of the same parent' }),
  members: memberList({
    publicPart: 'public_members',
    friendPart: 'friend_members',
    readonly: true,
    doc: 'UUIDs of the members; null for other callers if the list is private',
  }),
  buckets: bucketList({
    ownerOnly: 'absent',
    doc: 'Privacy buckets whose friends see the group',
  }),
})

/** Keys of the field table that are not columns of `group_ext`. */
export const derivedGroupKeys = ['parent', 'members', 'buckets'] as const

export type GroupExt = Row<typeof groupExt>
export type GroupExtPatch = Patch<typeof groupExt>
