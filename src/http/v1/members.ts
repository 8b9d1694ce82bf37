import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { parseRef } from '../../model/core/ref'
import { memberDraftFromV1, memberPatchFromV1, memberToV1, schemasV1 } from '../../serializers/v1'
import type { Deps } from '../../service/core/deps'
import { createMember, deleteMember, getMember, patchMember } from '../../service/members/members'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { showMember, TAG } from './views'

const params = t.Object({ id: t.String({ description: 'Short ID of a member' }) })

export function memberRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/m/:id',
      async ({ params, viewer }) => memberToV1(await getMember(deps, viewer, onlyHid(params.id))),
      {
        params,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'getMemberV1',
          summary: 'Get a member',
          description: 'In version 2: `GET /v2/members/{memberRef}`.',
          responses: { 200: schemasV1.member },
          errors: ['badRequest', 'memberNotFound'],
        }),
      },
    )
    .post(
      '/m',
      async ({ viewer, body }) => {
        const draft = memberDraftFromV1(body)
        return showMember((await createMember(deps, viewer, draft)).row, 'owner')
      },
      {
        body: schemasV1.memberDraft,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'createMemberV1',
          summary: 'Create a member',
          description: 'In version 2: `POST /v2/members`. Names are limited to 50 characters here.',
          responses: { 200: schemasV1.member },
          errors: [...writeErrors, 'invalidBody', 'memberLimit'],
        }),
      },
    )
    .patch(
      '/m/:id',
      async ({ params, viewer, body }) => {
        const patch = memberPatchFromV1(body)
        const { row } = await patchMember(deps, viewer, onlyHid(params.id), patch)
        return showMember(row, 'owner')
      },
      {
        params,
        body: schemasV1.memberPatch,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'updateMemberV1',
          summary: 'Update a member',
          description:
            'In version 2: `PATCH /v2/members/{memberRef}`. Names are limited to 50 characters here.',
          responses: { 200: schemasV1.member },
          errors: [...writeErrors, 'invalidBody', 'memberNotFound', 'notYourMember'],
        }),
      },
    )
    .delete(
      '/m/:id',
      async ({ params, viewer, set }) => {
        await deleteMember(deps, viewer, onlyHid(params.id))
        set.status = 204
      },
      {
        params,
        detail: describe({
          tag: TAG,
          deprecated: true,
          id: 'deleteMemberV1',
          summary: 'Delete a member',
          description: 'In version 2: `DELETE /v2/members/{memberRef}`.',
          responses: { 204: null },
          errors: [...writeErrors, 'memberNotFound', 'notYourMember'],
        }),
      },
    )
}

/** Rejects UUIDs: version 1 supports only short IDs. */
function onlyHid(id: string): string {
  if (!('hid' in (parseRef(id) ?? {}))) throw error('memberNotFound')
  return id
}
