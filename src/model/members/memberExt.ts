import { entity, type Patch, type Row } from '../core/entity'
import { EXCERPT_LENGTH, excerptOf } from '../core/excerpt'
import { bucketList, choice, customValues, flag, text, timestamp } from '../core/field'
import { cutText } from '../core/field/text'
import { MAX_DESCRIPTION } from './member'

/** Kinds of members. A custom front, such as "Asleep", is a state that is logged like a member. */
export const memberKinds = ['member', 'custom_front'] as const

export const MAX_ABOUT = 20_000

/** Fields that the extension API adds to a member. */
export const memberExt = entity('memberExt', {
  kind: choice(memberKinds, {
    defaultValue: 'member',
    doc: '`custom_front` for a state such as "Asleep" that is logged like a member',
  }),
  archived: flag(false, {
    ownerOnly: 'null',
    isAbsentForFriends: true,
    doc: 'Whether the member is archived; stored as `archived_at`',
  }),
  archived_at: timestamp({
    ownerOnly: 'null',
    isAbsentForFriends: true,
    doc: 'When the member was archived',
  }),
  archived_reason: text({
    max: 150,
    ownerOnly: 'null',
    isAbsentForFriends: true,
    doc: 'Why the member was archived',
  }),
  announce_front: flag(true, {
    ownerOnly: 'null',
    isAbsentForFriends: true,
    doc: 'Whether friends may be notified when this member fronts',
  }),
  about: text({
    max: MAX_ABOUT,
    guard: 'description_privacy',
    doc: 'Description in Markdown that may be longer than `description`',
    example: 'Keeps the lamps.',
  }),
  fields: customValues({
    publicPart: 'public_fields',
    friendPart: 'friend_fields',
    doc: 'Values of custom fields by the ID of the field; other callers get those of public fields',
  }),
  buckets: bucketList({
    ownerOnly: 'absent',
    doc: 'Privacy buckets whose friends see the member',
  }),
})

/**
 * The same in lists, which have only the beginning of a long `about`. It comes first, so that the
 * JSON of a single member is that of the list without a known beginning.
 */
export const listedMemberExt = entity('memberExt', {
  about_excerpt: text({
    max: EXCERPT_LENGTH,
    readonly: true,
    guard: 'description_privacy',
    doc: 'Beginning of an `about` of more than 300 characters, which is null in lists; else null',
  }),
  ...memberExt.fields,
})

/** Returns a row of a member as lists show it. Of `about`, a beginning that is too long suffices. */
export function toListed<R extends { readonly about: string | null }>(
  row: R,
): R & { about_excerpt: string | null } {
  const { about } = row
  if (about === null || about.length <= EXCERPT_LENGTH) return { ...row, about_excerpt: null }
  return { ...row, about: null, about_excerpt: excerptOf(about) }
}

/** Keys of the field table that are not columns of `member_ext`. */
export const derivedKeys = ['archived', 'fields', 'buckets'] as const

export type MemberExt = Row<typeof memberExt>
export type MemberExtPatch = Patch<typeof memberExt>

/** Columns of `member_ext`, with the defaults of a member that has no row. */
export type StoredMemberExt = Omit<MemberExt, (typeof derivedKeys)[number]>

export const defaultMemberExt: StoredMemberExt = {
  kind: 'member',
  archived_at: null,
  archived_reason: null,
  announce_front: true,
  about: null,
}

/** Values of custom fields by the UUID of the field. */
export type FieldValues = MemberExt['fields']

/**
 * Returns the beginning of a long description that other clients see as `description`. It ends at a
 * line or a word, if one ends in its second half.
 */
export function beginningOf(about: string): string {
  if (about.length <= MAX_DESCRIPTION) return about
  // A line or a word may end exactly where the text is cut.
  const room = about.slice(0, MAX_DESCRIPTION + 1)
  const ends = [room.lastIndexOf('\n'), lastSpace(room)]
  const end = ends.find((position) => position >= MAX_DESCRIPTION / 2)
  const whole = room.slice(0, end ?? 0).trimEnd()
  if (whole !== '') return whole
  return cutText(about, MAX_DESCRIPTION)
}

function lastSpace(text: string): number {
  let index = text.length - 1
  while (index >= 0 && text.charAt(index).trim() !== '') index--
  return index
}
