import { t } from 'elysia'
import { member } from '../../model/member'
import type { Deps } from '../../service/deps'
import { createMember, deleteMember, patchMember } from '../../service/members'
import { changeMemberGroups, membershipActions } from '../../service/memberships'
import { readMember, readMemberGroups, readMembers } from '../../service/reading'
import { readStrings } from '../../wire/json'
import { bodySchema, listBody } from '../../wire/schema'
import { draftFromV2, patchFromV2 } from '../../wire/v2'
import { describe, writeErrors } from '../docs'
import { routes } from '../viewer'
import { memberRef, systemRef } from './params'
import { showMember } from './views'

const params = t.Object({ memberRef })

export function memberRoutes(deps: Deps, bodyLimit: number) {
  const app = routes(bodyLimit)
    .get(
      '/systems/:systemRef/members',
      async ({ params, viewer }) => await readMembers(deps, viewer, params.systemRef),
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: 'Members',
          summary: 'List a system’s members',
          answers: { 200: ['Member'] },
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'memberListHidden'],
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
          summary: 'Make a member',
          answers: { 200: 'Member' },
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
          summary: 'Get a member',
          answers: { 200: 'MemberWithSystem' },
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
          summary: 'Change a member',
          answers: { 200: 'Member' },
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
          summary: 'Delete a member',
          answers: { 204: null },
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
          summary: 'List the groups a member is in',
          answers: { 200: ['Group'] },
          errors: ['badRequest', 'memberNotFound', 'groupListHidden'],
        }),
      },
    )
  for (const action of membershipActions)
    app.post(
      `/members/:memberRef/groups/${action}`,
      async ({ params, viewer, body, set }) => {
        await changeMemberGroups(deps, viewer, params.memberRef, action, readStrings(body))
        set.status = 204
      },
      {
        params,
        body: listBody('Short IDs or UUIDs of groups'),
        detail: describe({
          tag: 'Members',
          summary: `${summaries[action]} a member’s groups`,
          answers: { 204: null },
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

const summaries = { add: 'Add to', remove: 'Remove from', overwrite: 'Replace' }
