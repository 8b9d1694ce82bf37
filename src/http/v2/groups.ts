import { t } from 'elysia'
import { group } from '../../model/group'
import { parseStrings, serializedJson } from '../../serializers/body'
import {
  bodySchema,
  bulkBody,
  EXAMPLE_GROUP,
  EXAMPLE_MEMBER,
  listBody,
} from '../../serializers/schema'
import { changesFromV2, draftFromV2, patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/deps'
import { createGroup, deleteGroup, patchGroup, patchGroups } from '../../service/groups'
import { changeGroupMembers, membershipActions } from '../../service/memberships'
import { readGroup, readGroupMembers, readGroups } from '../../service/read/v2'
import { directRead } from '../directReads'
import { describe, writeErrors } from '../openapi'
import { parameter, parameters, parseFlag } from '../query'
import { routes } from '../routeGroup'
import { groupRef, systemRef } from './params'
import { showGroup } from './views'

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
            description: 'Whether each group comes with the UUIDs of its members',
          }),
        }),
        detail: describe({
          tag: 'Groups',
          id: 'listGroups',
          summary: 'List a system’s groups',
          description:
            'With `with_members=true` each group has the UUIDs of its members, which saves a request for each.',
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
          summary: 'Change many groups at once',
          description:
            'All of them or none, each by the `id` that stands with its changes. Problems are told by position, from 0, as `3.color`. Counts as one change for the rate limit.',
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
        return showGroup(await createGroup(deps, viewer, draft), true)
      },
      {
        body: bodySchema(group, 'draft'),
        detail: describe({
          tag: 'Groups',
          id: 'createGroup',
          summary: 'Make a group',
          description: 'Only `name` is needed. Members are put in afterwards.',
          responses: { 200: 'Group' },
          errors: [...writeErrors, 'invalidBody', 'groupLimit', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/groups/:groupRef',
      directRead('groupRef', (viewer, ref) => readGroup(deps, viewer, ref)),
      {
        params,
        detail: describe({
          tag: 'Groups',
          id: 'getGroup',
          summary: 'Get a group',
          description: 'Groups of other systems too; what is private in them is `null`.',
          responses: { 200: 'GroupWithSystem' },
          errors: ['badRequest', 'groupNotFound'],
        }),
      },
    )
    .patch(
      '/groups/:groupRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(group, body)
        return showGroup(await patchGroup(deps, viewer, params.groupRef, patch), true)
      },
      {
        params,
        body: bodySchema(group, 'patch'),
        detail: describe({
          tag: 'Groups',
          id: 'updateGroup',
          summary: 'Change a group',
          description: 'Only the given keys change; privacy levels change one by one.',
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
          description: 'Its members stay; only the group goes.',
          responses: { 204: null },
          errors: [...writeErrors, 'groupNotFound', 'notYourGroup'],
        }),
      },
    )
    .get(
      '/groups/:groupRef/members',
      directRead('groupRef', (viewer, ref) => readGroupMembers(deps, viewer, ref)),
      {
        params,
        detail: describe({
          tag: 'Groups',
          id: 'listGroupMembers',
          summary: 'List a group’s members',
          description:
            'Whole members, as others see them. Others than the owner get only those that are visible.',
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
          ...words[action],
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

const words = {
  add: {
    id: 'addGroupMembers',
    summary: 'Add to a group’s members',
    description: 'All of them or none. Members that are in it already are fine.',
  },
  remove: {
    id: 'removeGroupMembers',
    summary: 'Remove from a group’s members',
    description: 'All of them or none. Members that are not in it are fine.',
  },
  overwrite: {
    id: 'setGroupMembers',
    summary: 'Replace a group’s members',
    description: 'These members are then in it and no other; an empty list empties it.',
  },
}
