import { type Draft, entity, type Patch, type Row } from '../core/entity'
import { choiceList, color, count, required, text } from '../core/field'

/** Kinds of new rows that a privacy bucket can contain from the beginning. */
export const sharedKinds = ['members', 'custom_fronts', 'groups', 'fields'] as const
export type SharedKind = (typeof sharedKinds)[number]

/** Named set of friends. A friend sees what shares at least one bucket with them. */
export const bucket = entity('bucket', {
  name: required({ max: 100, doc: 'Name', example: 'Friends' }),
  about: text({ max: 500, doc: 'What the bucket is for', example: 'All friends' }),
  color: color({ doc: 'Colour as 6 hex digits', example: 'c99524' }),
  emoji: text({ max: 16, doc: 'Emoji shown beside the name', example: '🔓' }),
  position: count(0, { doc: 'Position in the list' }),
  default_for: {
    ...choiceList(sharedKinds, {
      doc: 'Kinds of new rows that are put in the bucket when they are created; imports do not',
    }),
    required: false,
  },
})

export type Bucket = Row<typeof bucket>
export type BucketDraft = Draft<typeof bucket>
export type BucketPatch = Patch<typeof bucket>

/** Buckets that a system gets with its first invitation. Nothing is put in them unasked. */
export const defaultBuckets: readonly BucketDraft[] = [
  { name: 'Friends', about: 'All friends', color: 'c99524', emoji: '🔓', position: 0 },
  { name: 'Trusted friends', about: 'Close friends', color: '1998a8', emoji: '🔒', position: 1 },
]

/** Name of the bucket that a new friend is in, unless another is chosen. */
export const FRIENDS_BUCKET = 'Friends'
