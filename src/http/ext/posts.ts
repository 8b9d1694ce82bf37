import { error } from '../../model/core/errors'
import { patchedPost } from '../../model/journal/post'
import { postToExt, readMarksFromExt, unreadToExt } from '../../serializers/ext'
import { rawBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import {
  countUnread,
  createPost,
  deletePost,
  listPosts,
  markPostsRead,
  type PostFilter,
  patchPost,
  SYSTEM_BOARD,
} from '../../service/journal/posts'
import { describe, memberRefErrors, ownReadErrors, ownWriteErrors } from '../server/openapi'
import { parameter, parseFlag, parseText } from '../server/query'
import { type OwnedListing, ownedRoutes, parsePage } from './ownedRoutes'

const listing: OwnedListing<Parameters<typeof postToExt>[0]> = {
  isPaged: true,
  filters: {
    room: parameter({ type: 'string', description: 'Only posts of the room with this UUID' }),
    for: parameter({
      type: 'string',
      description: `Only posts on the board of this member, or of the system: \`${SYSTEM_BOARD}\``,
    }),
    unread: parameter({ type: 'boolean', description: 'Only unread posts of all boards' }),
  },
  read: (deps, viewer, query) => listPosts(deps, viewer, parseFilter(query), parsePage(query)),
  serialize: postToExt,
  description: 'Newest first. Without a filter, posts of all rooms and boards.',
  errors: ['roomNotFound', ...memberRefErrors],
}

export function postRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'posts',
    patchEntity: patchedPost,
    tag: 'Journal',
    errors: ['roomNotFound', 'postNotFound', ...memberRefErrors],
    docs: {
      create:
        'A post is in a room (`room`), on the board of a member (`for`), or on the board of the system (neither).',
      patch: 'Changes title, text or `read`. A change of title or text sets `edited`.',
      delete: 'Permanently deletes the post. Replies to it are kept.',
    },
    operations: { create: createPost, patch: patchPost, delete: deletePost },
    serialize: postToExt,
    listing,
  })
    .get(
      '/systems/@me/posts/unread',
      async ({ viewer, request }) => unreadToExt(await countUnread(deps, viewer, request.signal)),
      {
        detail: describe({
          tag: 'Journal',
          id: 'countUnreadPosts',
          summary: 'Count unread posts',
          description: `Numbers by the UUID of the member on whose board they are; \`${SYSTEM_BOARD}\` for the system's board. Boards without unread posts are left out.`,
          requiresAuth: true,
          responses: { 200: 'UnreadPosts' },
          errors: ownReadErrors,
        }),
      },
    )
    .post(
      '/systems/@me/posts/read',
      async ({ viewer, body, set }) => {
        await markPostsRead(deps, viewer, readMarksFromExt(body))
        set.status = 204
      },
      {
        body: rawBody({
          type: 'object',
          properties: {
            for: {
              type: 'string',
              description: `Member on whose board all posts are marked, or \`${SYSTEM_BOARD}\``,
            },
            ids: {
              type: 'array',
              maxItems: 1000,
              items: { type: 'string', format: 'uuid' },
              description: 'UUIDs of posts; unknown ones are ignored',
            },
          },
          example: { for: SYSTEM_BOARD },
        }),
        detail: describe({
          tag: 'Journal',
          id: 'markPostsRead',
          summary: 'Mark posts as read',
          description: 'Marks all posts of a board, or up to 1,000 posts by their IDs.',
          responses: { 204: null },
          errors: [...ownWriteErrors, 'invalidBody', ...memberRefErrors],
        }),
      },
    )
}

function parseFilter(query: Readonly<Record<string, unknown>>): PostFilter {
  const room = parseText('room', query.room)
  const board = parseText('for', query.for)
  const unread = parseFlag('unread', query.unread)
  if ([room !== null, board !== null, unread].filter(Boolean).length > 1)
    throw error('badRequest', 'give only one of room, for and unread')
  if (room !== null) return { room }
  if (board !== null) return { for: board }
  return unread ? { unread } : null
}
