import { type Draft, entity, type Patch, type Row, withKeys } from '../core/entity'
import type { Problems } from '../core/errors'
import { clientTimestamp, flag, reference, required, text, timestamp } from '../core/field'
import { Problem } from '../core/validation'

/** Message that members leave each other: in a room, on a member's board or on the system's. */
export const post = entity('post', {
  room: reference({ doc: 'Room of the post' }),
  for: reference({ doc: 'Member on whose board the post is' }),
  by: reference({ doc: 'Member who wrote the post' }),
  author_name: text({
    max: 100,
    readonly: true,
    doc: 'Name of the author, once that member is deleted',
  }),
  title: text({ max: 200, doc: 'Title', example: 'Groceries' }),
  text: required({ max: 4_000, doc: 'Text in Markdown', example: 'Milk, please.' }),
  written: clientTimestamp({ doc: 'When the post was written; now by default' }),
  edited: timestamp({ doc: 'When title or text were last changed' }),
  reply_to: reference({ doc: 'Post of the same room or board that this one replies to' }),
  read: flag(false, { doc: 'Whether the post was read; null in rooms' }),
})

export type Post = Row<typeof post>
export type PostDraft = Draft<typeof post>
export type PostPatch = Patch<typeof post>

/** Fields of a post that a patch may change. */
export const patchedPost = withKeys(post, ['title', 'text', 'read'])

/** Returns problems that field validation does not detect. */
export function validatePost({ room, for: recipient, read }: Post): Problems {
  if (room === null) return {}
  return {
    ...(recipient !== null && { for: [new Problem('room_post_on_board')] }),
    ...(read && { read: [new Problem('room_post_read')] }),
  }
}
