import { error } from '../../model/core/errors'
import { patchedPost, post } from '../../model/journal/post'
import { room } from '../../model/journal/room'
import { postToExt, readMarksFromExt, roomToExt, unreadToExt } from '../../serializers/ext'
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
import {
  createRoom,
  deleteRoom,
  listRooms,
  orderRooms,
  patchRoom,
} from '../../service/journal/rooms'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseFlag, parseText } from '../server/query'
import { routes } from '../server/routeGroup'
import { ownedRoutes, ownReadErrors, pageParameters, parsePage } from './ownedRoutes'

/** Lists rooms and posts, and marks posts as read. */
export function postListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/rooms',
      async ({ viewer }) =>
        (await listRooms(deps, viewer)).map((listed) => roomToExt(listed.room, listed.lastWritten)),
      {
        detail: describe({
          tag: 'Journal',
          id: 'listRooms',
          summary: 'List rooms',
          description: 'All rooms of your system, by `position`.',
          requiresAuth: true,
          responses: { 200: ['Room'] },
          errors: ownReadErrors,
        }),
      },
    )
    .get(
      '/systems/@me/posts',
      async ({ viewer, query }) =>
        (await listPosts(deps, viewer, parseFilter(query), parsePage(query))).map(postToExt),
      {
        query: parameters({
          room: parameter({ type: 'string', description: 'Only posts of the room with this UUID' }),
          for: parameter({
            type: 'string',
            description: `Only posts on the board of this member, or of the system: \`${SYSTEM_BOARD}\``,
          }),
          unread: parameter({ type: 'boolean', description: 'Only unread posts of all boards' }),
          ...pageParameters,
        }),
        detail: describe({
          tag: 'Journal',
          id: 'listPosts',
          summary: 'List posts',
          description: 'Newest first. Without a filter, posts of all rooms and boards.',
          requiresAuth: true,
          responses: { 200: ['Post'] },
          errors: [
            ...ownReadErrors,
            'roomNotFound',
            'postNotFound',
            'memberRefNotFound',
            'notYourMemberRef',
          ],
        }),
      },
    )
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
          errors: [
            ...writeErrors,
            'forbidden',
            'invalidBody',
            'memberRefNotFound',
            'notYourMemberRef',
          ],
        }),
      },
    )
}

/** Creates, changes and deletes one room. */
export function roomRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: room,
    path: 'rooms',
    name: 'Room',
    noun: 'room',
    tag: 'Journal',
    component: 'Room',
    missing: 'roomNotFound',
    errors: [],
    docs: {
      create: 'Only `name` is required. A new room is the last one of the list.',
      patch: 'Changes only the given keys.',
      delete: 'Permanently deletes the room and its posts.',
    },
    operations: { create: createRoom, patch: patchRoom, delete: deleteRoom, order: orderRooms },
    serialize: (listed) => roomToExt(listed.room, listed.lastWritten),
  })
}

/** Creates, changes and deletes one post. */
export function postRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: post,
    patchEntity: patchedPost,
    path: 'posts',
    name: 'Post',
    noun: 'post',
    tag: 'Journal',
    component: 'Post',
    missing: 'postNotFound',
    errors: ['roomNotFound', 'postNotFound', 'memberRefNotFound', 'notYourMemberRef'],
    docs: {
      create:
        'A post is in a room (`room`), on the board of a member (`for`), or on the board of the system (neither).',
      patch: 'Changes title, text or `read`. A change of title or text sets `edited`.',
      delete: 'Permanently deletes the post. Replies to it are kept.',
    },
    operations: { create: createPost, patch: patchPost, delete: deletePost },
    serialize: postToExt,
  })
}

function parseFilter(query: { room?: unknown; for?: unknown; unread?: unknown }): PostFilter {
  const room = parseText('room', query.room)
  const board = parseText('for', query.for)
  const unread = parseFlag('unread', query.unread)
  if ([room !== null, board !== null, unread].filter(Boolean).length > 1)
    throw error('badRequest', 'give only one of room, for and unread')
  if (room !== null) return { room }
  if (board !== null) return { for: board }
  return unread ? { unread } : null
}
