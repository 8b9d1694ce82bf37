import { t } from 'elysia'
import type { Events } from '../../events/events'
import { friendLink } from '../../model/core/dashboardLinks'
import { error } from '../../model/core/errors'
import { friend, share } from '../../model/friends/friend'
import { customField } from '../../model/members/customField'
import { groupToExt, toExt } from '../../serializers/ext'
import {
  acceptedInviteFromExt,
  friendFromExt,
  friendToExt,
  inviteCodeFromExt,
  invitePreviewToExt,
  inviteToExt,
  sharedFrontToExt,
} from '../../serializers/extFriends'
import { bodySchema, rawBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import {
  acceptInvite,
  createInvite,
  deleteInvite,
  listInvites,
  previewInvite,
} from '../../service/friends/friendInvites'
import { deleteFriend, listFriends, patchFriend } from '../../service/friends/friends'
import {
  getFriendFront,
  getFriendMember,
  listFriendFields,
  listFriendGroups,
  listFriendMembers,
} from '../../service/friends/sharedData'
import { describe, ownReadErrors, ownWriteErrors, writeErrors } from '../server/openapi'
import { clientOf, contextOf, routes, waitingClientOf } from '../server/routeGroup'
import { memberRef } from '../v2/params'
import { createLoginAttempts } from '../web/loginAttempts'
import { createFriendStream } from './friendStream'
import { excerptDoc } from './members'
import { idParams } from './ownedRoutes'

const { properties: sideProperties } = bodySchema(friend, 'patch')
const shareSchema = bodySchema(share, 'patch')

const codeSchema = { type: 'string', description: 'Code of the invitation' }

export const EXAMPLE_INVITE = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'

const readErrors = [...ownReadErrors, 'friendNotFound', 'notShared'] as const

/** Friends, invitations, and what friends share. */
export function friendRoutes(deps: Deps, events: Events, bodyLimit: number) {
  const attempts = createLoginAttempts()
  const openStream = createFriendStream(deps, events)

  /** Returns what a code gives access to. Wrong, used and expired codes are the same to the caller. */
  const requireInvite = async <T>(request: Request, lookup: Promise<T | null>): Promise<T> => {
    const result = await lookup
    if (result !== null) return result
    const { system } = contextOf(request).caller.viewer
    const { address, isLocal } = clientOf(request)
    const clients = [`system ${system}`, ...(isLocal ? [] : [`address ${address}`])]
    const waits = clients.map((client) => attempts.add(client, deps.clock.now()) ?? 0)
    const waitMs = Math.max(...waits)
    throw waitMs > 0
      ? error('tooManyRequests', 'too many wrong codes', waitMs)
      : error('inviteNotFound')
  }

  return routes(bodyLimit)
    .get('/friends', async ({ viewer }) => (await listFriends(deps, viewer)).map(friendToExt), {
      detail: describe({
        tag: 'Friends',
        id: 'listFriends',
        summary: 'List friends',
        description:
          'Oldest first. `front` shows who is fronting, as the friend shares it; null if it is not shared.',
        requiresAuth: true,
        responses: { 200: ['Friend'] },
        errors: ownReadErrors,
      }),
    })
    .post(
      '/friends',
      async ({ viewer, body, request, set }) => {
        const { code, ...side } = acceptedInviteFromExt(body)
        const accepted = await requireInvite(request, acceptInvite(deps, viewer, code, side))
        set.status = 201
        return friendToExt(accepted)
      },
      {
        body: rawBody({
          type: 'object',
          required: ['code'],
          properties: { code: codeSchema, share: shareSchema, ...sideProperties },
          example: { code: EXAMPLE_INVITE, name: 'Sam', share: { see_members: true } },
        }),
        detail: describe({
          tag: 'Friends',
          id: 'acceptInvite',
          summary: 'Accept an invitation',
          description:
            'Uses the code of an invitation. `share` is what you show: by default who is fronting, to the bucket "Friends".',
          responses: { 201: 'Friend' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'inviteNotFound',
            'bucketNotFound',
            'conflict',
            'limitReached',
            'tooManyRequests',
            'systemNotFound',
          ],
        }),
      },
    )
    .patch(
      '/friends/:id',
      async ({ params, viewer, body }) =>
        friendToExt(await patchFriend(deps, viewer, params.id, friendFromExt(body))),
      {
        params: idParams,
        body: rawBody({
          type: 'object',
          properties: { share: shareSchema, ...sideProperties },
          example: { notify_me: true, share: { see_front: true } },
        }),
        detail: describe({
          tag: 'Friends',
          id: 'updateFriend',
          summary: 'Update a friend',
          description: 'Changes only the given keys, of `share` as well, and only your own side.',
          responses: { 200: 'Friend' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'friendNotFound',
            'bucketNotFound',
            'limitReached',
          ],
        }),
      },
    )
    .delete(
      '/friends/:id',
      async ({ params, viewer, set }) => {
        await deleteFriend(deps, viewer, params.id)
        set.status = 204
      },
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'deleteFriend',
          summary: 'Remove a friend',
          description: 'Ends the friendship for both sides at once.',
          responses: { 204: null },
          errors: [...ownWriteErrors, 'friendNotFound'],
        }),
      },
    )
    .get('/friends/stream', ({ request, viewer }) => openStream(request, viewer), {
      detail: describe({
        tag: 'Friends',
        id: 'streamFriends',
        summary: 'Stream the fronts of friends',
        description:
          'Server-Sent Events. `front` with `{ friend, front }` for each friend at once and after changes that are shared, those of 100 ms together; `end` with `{ friend }` when a friendship ends.',
        requiresAuth: true,
        responses: { 200: t.String({ description: 'Server-Sent Events' }) },
        types: ['text/event-stream'],
        errors: [...ownReadErrors, 'tooManyRequests'],
      }),
    })
    .get(
      '/friends/invites',
      async ({ viewer }) => (await listInvites(deps, viewer)).map((invite) => inviteToExt(invite)),
      {
        detail: describe({
          tag: 'Friends',
          id: 'listInvites',
          summary: 'List open invitations',
          description: 'Oldest first, without their codes.',
          requiresAuth: true,
          responses: { 200: ['Invite'] },
          errors: ownReadErrors,
        }),
      },
    )
    .post(
      '/friends/invites',
      async ({ viewer, body, set }) => {
        const { code, ...created } = await createInvite(deps, viewer, friendFromExt(body))
        set.status = 201
        const { publicUrl } = deps
        const url = publicUrl === '' ? null : friendLink(publicUrl, code)
        return inviteToExt(created, { code, url })
      },
      {
        body: rawBody({
          type: 'object',
          properties: { share: shareSchema, name: sideProperties.name },
          example: { name: 'Sam' },
        }),
        detail: describe({
          tag: 'Friends',
          id: 'createInvite',
          summary: 'Invite a friend',
          description:
            'Returns the code of the invitation, which is shown once, valid for one use and for 7 days. The first invitation creates the buckets "Friends" and "Trusted friends".',
          responses: { 201: 'NewInvite' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'bucketNotFound',
            'limitReached',
            'systemNotFound',
          ],
        }),
      },
    )
    .post(
      '/friends/invites/preview',
      async ({ viewer, body, request }) =>
        invitePreviewToExt(
          await requireInvite(request, previewInvite(deps, viewer, inviteCodeFromExt(body))),
        ),
      {
        body: rawBody({
          type: 'object',
          required: ['code'],
          properties: { code: codeSchema },
          example: { code: EXAMPLE_INVITE },
        }),
        detail: describe({
          tag: 'Friends',
          id: 'previewInvite',
          summary: 'Preview an invitation',
          description: 'Shows who invites and what they would show, without using the code.',
          responses: { 200: 'InvitePreview' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'inviteNotFound', 'tooManyRequests'],
        }),
      },
    )
    .delete(
      '/friends/invites/:id',
      async ({ params, viewer, set }) => {
        await deleteInvite(deps, viewer, params.id)
        set.status = 204
      },
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'deleteInvite',
          summary: 'Withdraw an invitation',
          description: 'Its code can no longer be used.',
          responses: { 204: null },
          errors: [...ownWriteErrors, 'inviteNotFound'],
        }),
      },
    )
    .get(
      '/friends/:id/front',
      async ({ params, viewer, request }) =>
        sharedFrontToExt(await getFriendFront(deps, viewer, params.id, waitingClientOf(request))),
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'getFriendFront',
          summary: "Get a friend's front",
          description:
            'Fronters that the friend shares, with stints and statuses. Nothing tells of others. Unless the friend shows you members (`see_members`), a fronter has its IDs, names, pronouns, picture and colour only.',
          requiresAuth: true,
          responses: { 200: 'FriendFront' },
          errors: [...readErrors, 'tooManyRequests'],
        }),
      },
    )
    .get(
      '/friends/:id/members',
      async ({ params, viewer, request }) =>
        await listFriendMembers(deps, viewer, params.id, waitingClientOf(request)),
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'listFriendMembers',
          summary: 'List members that a friend shares',
          description: `Oldest first, with the values of shared custom fields. ${excerptDoc}`,
          requiresAuth: true,
          responses: { 200: ['FriendMemberInList'] },
          errors: [...readErrors, 'tooManyRequests'],
        }),
      },
    )
    .get(
      '/friends/:id/members/:memberRef',
      async ({ params, viewer }) =>
        await getFriendMember(deps, viewer, params.id, params.memberRef),
      {
        params: t.Object({ ...idParams.properties, memberRef }),
        detail: describe({
          tag: 'Friends',
          id: 'getFriendMember',
          summary: 'Get a member that a friend shares',
          description: 'A member that is not shared is not found, as one that does not exist.',
          requiresAuth: true,
          responses: { 200: 'FriendMember' },
          errors: [...readErrors, 'memberNotFound'],
        }),
      },
    )
    .get(
      '/friends/:id/groups',
      async ({ params, viewer, request }) =>
        (await listFriendGroups(deps, viewer, params.id, request.signal)).map(groupToExt),
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'listFriendGroups',
          summary: 'List groups that a friend shares',
          description: 'Parents before their children. `members` has shared members only.',
          requiresAuth: true,
          responses: { 200: ['FriendGroup'] },
          errors: [...readErrors],
        }),
      },
    )
    .get(
      '/friends/:id/fields',
      async ({ params, viewer }) =>
        (await listFriendFields(deps, viewer, params.id)).map((row) => toExt(customField, row)),
      {
        params: idParams,
        detail: describe({
          tag: 'Friends',
          id: 'listFriendFields',
          summary: 'List custom fields that a friend shares',
          description: 'Fields that share a bucket with the caller, by `position`.',
          requiresAuth: true,
          responses: { 200: ['FriendField'] },
          errors: [...readErrors],
        }),
      },
    )
}
