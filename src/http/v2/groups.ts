import { t } from 'elysia'
import { group } from '../../model/groups/group'
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
import { createGroup, deleteGroup, patchGroup, patchGroups } from '../../service/groups/groups'
import { changeGroupMembers, membershipActions } from '../../service/groups/memberships'
import { readGroup, readGroupMembers, readGroups } from '../../service/reads/objects'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseFlag } from '../server/query'
import { routes } from '../server/routeGroup'
import { groupRef, systemRef } from './params'

const params = t.Object({ groupRef })

export function groupRoutes(deps: Deps, bodyLimit: number) {
  const app = routes(bodyLimit)
    .get(
      '/systems/:systemRef/groups',
      async ({ params, query, viewer }) => {
        const withMembers = parseFlag('with_members', query.with_members)
        return await readGroups(deps, viewer, params.systemRef, withMembers)
      },
      {
        params: t.Object({ systemRef }),
        query: parameters({
          with_members: parameter({
            type: 'boolean',
            description: 'Whether to include the UUIDs of each group’s members',
          }),
        }),
        detail: describe({
          tag: 'Groups',
          id: 'listGroups',
          summary: 'List a system’s groups',
          description:
            'Callers other than the owner get public groups only. With `with_members=true`, each group includes the UUIDs of its members, which saves a request per group.',
          responses: { 200: ['GroupWithMembers'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'groupListHidden'],
        }),
      },
    )
    .patch(
      '/systems/@me/groups',
      async ({ viewer, body, request }) =>
        serializedJson(await patchGroups(deps, viewer, request.signal, changesFromV2(group, body))),
      {
        body: bulkBody(group, EXAMPLE_GROUP),
        detail: describe({
          tag: 'Groups',
          id: 'updateGroups',
          summary: 'Update many groups',
          description:
            'Each entry has the `id` of a group and its changes. Either all changes are applied or none. Validation errors are keyed by zero-based position, such as `3.color`. Counts as one request for the rate limit.',
          responses: { 200: ['Group'] },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'notYourGroupRef',
            'groupRefNotFound',
          ],
        }),
      },
    )
    .post(
      '/groups',
      async ({ viewer, body }) => {
        const draft = draftFromV2(group, body)
        const { json } = await createGroup(deps, viewer, draft)
        return json
      },
      {
        body: bodySchema(group, 'draft'),
        detail: describe({
          tag: 'Groups',
          id: 'createGroup',
          summary: 'Create a group',
          description: 'Only `name` is required. Add members afterwards.',
          responses: { 200: 'Group' },
          errors: [...writeErrors, 'invalidBody', 'groupLimit', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/groups/:groupRef',
      async ({ params, viewer }) => await readGroup(deps, viewer, params.groupRef),
      {
        params,
        detail: describe({
          tag: 'Groups',
          id: 'getGroup',
          summary: 'Get a group',
          description: 'Also returns groups of other systems; their private fields are `null`.',
          responses: { 200: 'GroupWithSystem' },
          errors: ['badRequest', 'groupNotFound'],
        }),
      },
    )
    .patch(
      '/groups/:groupRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(group, body)
        const { json } = await patchGroup(deps, viewer, params.groupRef, patch)
        return json
      },
      {
        params,
        body: bodySchema(group, 'patch'),
        detail: describe({
          tag: 'Groups',
          id: 'updateGroup',
          summary: 'Update a group',
          description: 'Changes only the given keys. Privacy levels can be changed individually.',
          responses: { 200: 'Group' },
          errors: [...writeErrors, 'invalidBody', 'groupNotFound', 'notYourGroup'],
        }),
      },
    )
    .delete(
      '/groups/:groupRef',
      async ({ params, viewer, set }) => {
        await deleteGroup(deps, viewer, params.groupRef)
        set.status = 204
      },
      {
        params,
        detail: describe({
          tag: 'Groups',
          id: 'deleteGroup',
          summary: 'Delete a group',
          description: 'Permanently deletes the group. Its members are kept.',
          responses: { 204: null },
          errors: [...writeErrors, 'groupNotFound', 'notYourGroup'],
        }),
      },
    )
    .get(
      '/groups/:groupRef/members',
      async ({ params, viewer }) => await readGroupMembers(deps, viewer, params.groupRef),
      {
        params,
        detail: describe({
          tag: 'Groups',
          id: 'listGroupMembers',
          summary: 'List a group’s members',
          description:
            'Returns full member objects. Callers other than the owner get public members only.',
          responses: { 200: ['Member'] },
          errors: ['badRequest', 'groupNotFound', 'groupMembersHidden'],
        }),
      },
    )
  for (const action of membershipActions)
    app.post(
      `/groups/:groupRef/members/${action}`,
      async ({ params, viewer, body, set }) => {
        await changeGroupMembers(deps, viewer, params.groupRef, action, parseStrings(body))
        set.status = 204
      },
      {
        params,
        body: listBody('Short IDs or UUIDs of members', [EXAMPLE_MEMBER]),
        detail: describe({
          tag: 'Groups',
          ...membershipDescriptions[action],
          responses: { 204: null },
          errors: [
            ...writeErrors,
            'groupNotFound',
            'notYourGroup',
            'memberRefNotFound',
            'notYourMemberRef',
          ],
        }),
      },
    )
  return app
}

const membershipDescriptions = {
  add: {
    id: 'addGroupMembers',
    summary: 'Add members to a group',
    description:
      'Adds all of the members or none. Members that are already in the group are ignored.',
  },
  remove: {
    id: 'removeGroupMembers',
    summary: 'Remove members from a group',
    description:
      'Removes all of the members or none. Members that are not in the group are ignored.',
  },
  overwrite: {
    id: 'setGroupMembers',
    summary: 'Replace a group’s members',
    description: 'Makes the list the group’s only members. An empty list removes all members.',
  },
}
