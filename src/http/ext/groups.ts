import { t } from 'elysia'
import { groupExt } from '../../model/groups/groupExt'
import { groupToExt, treeFromExt } from '../../serializers/ext'
import { bodySchema, EXAMPLE_GROUP, rawBody } from '../../serializers/schema'
import { patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  listExtendedGroups,
  patchExtendedGroup,
  putGroupTree,
} from '../../service/groups/extendedGroups'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { groupRef, systemRef } from '../v2/params'

/** Groups that contain groups. */
export function groupRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/groups',
      async ({ params, viewer, request }) =>
        (await listExtendedGroups(deps, viewer, params.systemRef, request.signal)).map(groupToExt),
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: 'Groups',
          id: 'listExtendedGroups',
          summary: 'List the tree of groups',
          description:
            'Parents before their children. Callers other than the owner get public groups only, and the parent of a group only if it is public. Members of a child are not members of its parent.',
          responses: { 200: ['ExtendedGroup'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'groupListHidden'],
        }),
      },
    )
    .patch(
      '/groups/:groupRef',
      async ({ params, viewer, body }) =>
        groupToExt(
          await patchExtendedGroup(deps, viewer, params.groupRef, patchFromV2(groupExt, body)),
        ),
      {
        params: t.Object({ groupRef }),
        body: bodySchema(groupExt, 'patch'),
        detail: describe({
          tag: 'Groups',
          id: 'updateExtendedGroup',
          summary: 'Move a group in the tree',
          description: 'Changes only the given keys. Groups are nested at most 8 deep.',
          responses: { 200: 'ExtendedGroup' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'groupNotFound',
            'notYourGroup',
            'groupRefNotFound',
            'notYourGroupRef',
            'limitReached',
            'groupLoop',
          ],
        }),
      },
    )
    .put(
      '/systems/@me/groups/tree',
      async ({ viewer, body }) =>
        (await putGroupTree(deps, viewer, treeFromExt(body))).map(groupToExt),
      {
        body: rawBody({
          type: 'array',
          description: 'All groups, each once, in their order',
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, parent: { type: ['string', 'null'] } },
          },
          example: [{ id: EXAMPLE_GROUP, parent: null }],
        }),
        detail: describe({
          tag: 'Groups',
          id: 'setGroupTree',
          summary: 'Replace the tree of groups',
          description:
            'The list names every group once; otherwise nothing changes. The order of the list becomes the positions.',
          responses: { 200: ['ExtendedGroup'] },
          errors: [...writeErrors, 'forbidden', 'limitReached', 'groupLoop'],
        }),
      },
    )
}
