import { t } from 'elysia'
import { member } from '../../model/member'
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
import { createMember, deleteMember, patchMember, patchMembers } from '../../service/members'
import { changeMemberGroups, membershipActions } from '../../service/memberships'
import { readMember, readMemberGroups, readMembers } from '../../service/read/v2'
import { directRead } from '../directReads'
import { describe, writeErrors } from '../openapi'
import { routes } from '../routeGroup'
import { memberRef, systemRef } from './params'
import { showMember } from './views'

const params = t.Object({ memberRef })

export function memberRoutes(deps: Deps, bodyLimit: number) {
  const app = routes(bodyLimit)
    .get(
      '/systems/:systemRef/members',
      directRead('systemRef', (viewer, ref) => readMembers(deps, viewer, ref)),
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: 'Members',
          id: 'listMembers',
          summary: 'List a system’s members',
          description:
            'All at once, in no order to rely on. Others than the owner get only members that are visible.',
          responses: { 200: ['Member'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'memberListHidden'],
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
          summary: 'Change many members at once',
          description:
            'All of them or none, each by the `id` that stands with its changes. Problems are told by position, from 0, as `3.color`. Counts as one change for the rate limit.',
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
        return showMember(await createMember(deps, viewer, draft), true)
      },
      {
        body: bodySchema(member, 'draft'),
        detail: describe({
          tag: 'Members',
          id: 'createMember',
          summary: 'Make a member',
          description:
            'Only `name` is needed. Keep the `id` or, where it must never change, the `uuid` of the answer. A bot’s new member is private where the system’s settings say so.',
          responses: { 200: 'Member' },
          errors: [...writeErrors, 'invalidBody', 'memberLimit', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/members/:memberRef',
      directRead('memberRef', (viewer, ref) => readMember(deps, viewer, ref)),
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'getMember',
          summary: 'Get a member',
          description: 'Members of other systems too; what is private in them is `null`.',
          responses: { 200: 'MemberWithSystem' },
          errors: ['badRequest', 'memberNotFound'],
        }),
      },
    )
    .patch(
      '/members/:memberRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(member, body)
        return showMember(await patchMember(deps, viewer, params.memberRef, patch), true)
      },
      {
        params,
        body: bodySchema(member, 'patch'),
        detail: describe({
          tag: 'Members',
          id: 'updateMember',
          summary: 'Change a member',
          description:
            'Only the given keys change. `proxy_tags` is replaced as a whole; privacy levels change one by one.',
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
            'For good, with its place in groups and switches. Messages it sent are still found, with `member` `null`.',
          responses: { 204: null },
          errors: [...writeErrors, 'memberNotFound', 'notYourMember'],
        }),
      },
    )
    .get(
      '/members/:memberRef/groups',
      directRead('memberRef', (viewer, ref) => readMemberGroups(deps, viewer, ref)),
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'listMemberGroups',
          summary: 'List the groups a member is in',
          description: 'Others than the owner get only groups that are visible.',
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
          ...words[action],
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

const words = {
  add: {
    id: 'addMemberGroups',
    summary: 'Add to a member’s groups',
    description: 'All of them or none. Groups that the member is in already are fine.',
  },
  remove: {
    id: 'removeMemberGroups',
    summary: 'Remove from a member’s groups',
    description: 'All of them or none. Groups that the member is not in are fine.',
  },
  overwrite: {
    id: 'setMemberGroups',
    summary: 'Replace a member’s groups',
    description:
      'The member is then in these groups and in no other; an empty list takes it out of all.',
  },
}
