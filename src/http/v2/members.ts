import { t } from 'elysia'
import { member } from '../../model/members/member'
import { parseStrings, serializedJson } from '../../serializers/body'
import {
  bodySchema,
  bulkBody,
  EXAMPLE_GROUP,
  EXAMPLE_MEMBER,
  listBody,
} from '../../serializers/schema'
import { changesFromV2, draftFromV2, patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { changeMemberGroups, membershipActions } from '../../service/groups/memberships'
import {
  createMember,
  deleteMember,
  patchMember,
  patchMembers,
} from '../../service/members/members'
import { readMember, readMemberGroups, readMembers } from '../../service/reads/objects'
import { describe, writeErrors } from '../server/openapi'
import { routes, waitingClientOf } from '../server/routeGroup'
import { memberRef, systemRef } from './params'

const params = t.Object({ memberRef })

export function memberRoutes(deps: Deps, bodyLimit: number) {
  const app = routes(bodyLimit)
    .get(
      '/systems/:systemRef/members',
      async ({ params, viewer, request }) =>
        await readMembers(deps, viewer, params.systemRef, () => waitingClientOf(request)),
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: 'Members',
          id: 'listMembers',
          summary: 'List a system’s members',
          description:
            'Returns all members, unordered. Callers other than the owner get public members only.',
          responses: { 200: ['Member'] },
          errors: [
            'badRequest',
            'unauthorized',
            'systemNotFound',
            'memberListHidden',
            'tooManyRequests',
          ],
        }),
      },
    )
    .patch(
      '/systems/@me/members',
      async ({ viewer, body, request }) =>
        serializedJson(
          await patchMembers(deps, viewer, request.signal, changesFromV2(member, body)),
        ),
      {
        body: bulkBody(member, EXAMPLE_MEMBER),
        detail: describe({
          tag: 'Members',
          id: 'updateMembers',
          summary: 'Update many members',
          description:
            'Each entry has the `id` of a member and its changes. Either all changes are applied or none. Validation errors are keyed by zero-based position, such as `3.color`. Counts as one request for the rate limit.',
          responses: { 200: ['Member'] },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'notYourMemberRef',
            'memberRefNotFound',
          ],
        }),
      },
    )
    .post(
      '/members',
      async ({ viewer, body }) => {
        const draft = draftFromV2(member, body)
        const { json } = await createMember(deps, viewer, draft)
        return json
      },
      {
        body: bodySchema(member, 'draft'),
        detail: describe({
          tag: 'Members',
          id: 'createMember',
          summary: 'Create a member',
          description:
            'Only `name` is required. Store the `id` of the response, or the `uuid` if the reference must never change. Members that a bot creates are private if the system’s settings say so.',
          responses: { 200: 'Member' },
          errors: [...writeErrors, 'invalidBody', 'memberLimit', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/members/:memberRef',
      async ({ params, viewer }) => await readMember(deps, viewer, params.memberRef),
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'getMember',
          summary: 'Get a member',
          description: 'Also returns members of other systems; their private fields are `null`.',
          responses: { 200: 'MemberWithSystem' },
          errors: ['badRequest', 'memberNotFound'],
        }),
      },
    )
    .patch(
      '/members/:memberRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(member, body)
        const { json } = await patchMember(deps, viewer, params.memberRef, patch)
        return json
      },
      {
        params,
        body: bodySchema(member, 'patch'),
        detail: describe({
          tag: 'Members',
          id: 'updateMember',
          summary: 'Update a member',
          description:
            'Changes only the given keys. `proxy_tags` is replaced as a whole; privacy levels can be changed individually.',
          responses: { 200: 'Member' },
          errors: [...writeErrors, 'invalidBody', 'memberNotFound', 'notYourMember'],
        }),
      },
    )
    .delete(
      '/members/:memberRef',
      async ({ params, viewer, set }) => {
        await deleteMember(deps, viewer, params.memberRef)
        set.status = 204
      },
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'deleteMember',
          summary: 'Delete a member',
          description:
            'Permanently deletes the member and removes it from groups and switches. Its messages can still be looked up, with `member` set to `null`.',
          responses: { 204: null },
          errors: [...writeErrors, 'memberNotFound', 'notYourMember'],
        }),
      },
    )
    .get(
      '/members/:memberRef/groups',
      async ({ params, viewer }) => await readMemberGroups(deps, viewer, params.memberRef),
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'listMemberGroups',
          summary: 'List a member’s groups',
          description: 'Callers other than the owner get public groups only.',
          responses: { 200: ['Group'] },
          errors: ['badRequest', 'memberNotFound', 'groupListHidden'],
        }),
      },
    )
  for (const action of membershipActions)
    app.post(
      `/members/:memberRef/groups/${action}`,
      async ({ params, viewer, body, set }) => {
        await changeMemberGroups(deps, viewer, params.memberRef, action, parseStrings(body))
        set.status = 204
      },
      {
        params,
        body: listBody('Short IDs or UUIDs of groups', [EXAMPLE_GROUP]),
        detail: describe({
          tag: 'Members',
          ...membershipDescriptions[action],
          responses: { 204: null },
          errors: [
            ...writeErrors,
            'memberNotFound',
            'notYourMember',
            'groupRefNotFound',
            'notYourGroupRef',
          ],
        }),
      },
    )
  return app
}

const membershipDescriptions = {
  add: {
    id: 'addMemberGroups',
    summary: 'Add a member to groups',
    description:
      'Adds all of the groups or none. Groups that the member is already in are ignored.',
  },
  remove: {
    id: 'removeMemberGroups',
    summary: 'Remove a member from groups',
    description: 'Removes all of the groups or none. Groups that the member is not in are ignored.',
  },
  overwrite: {
    id: 'setMemberGroups',
    summary: 'Replace a member’s groups',
    description:
      'Makes the list the member’s only groups. An empty list removes the member from all groups.',
  },
}
