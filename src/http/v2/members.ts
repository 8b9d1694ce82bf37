import { t } from 'elysia'
import { member } from '../../model/members/member'
import { EXAMPLE_GROUP, EXAMPLE_MEMBER } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import { changeMemberGroups } from '../../service/groups/memberships'
import {
  createMember,
  deleteMember,
  patchMember,
  patchMembers,
} from '../../service/members/members'
import { readMember, readMemberGroups, readMembers } from '../../service/reads/objects'
import { describe } from '../server/openapi'
import { direct } from '../server/routeGroup'
import { entityRoutes } from './entityRoutes'
import { memberRef, systemRef } from './params'

export function memberRoutes(deps: Deps, bodyLimit: number) {
  return entityRoutes(deps, bodyLimit, {
    entity: member,
    noun: 'member',
    params: t.Object({ memberRef }),
    example: EXAMPLE_MEMBER,
    docs: {
      create:
        'Only `name` is required. Store the `id` of the response, or the `uuid` if the reference must never change. Members that a bot creates are private if the system’s settings say so.',
      patch:
        'Changes only the given keys. `proxy_tags` is replaced as a whole; privacy levels can be changed individually.',
      delete:
        'Permanently deletes the member and removes it from groups and switches. Its messages can still be looked up, with `member` set to `null`.',
    },
    operations: {
      read: readMember,
      create: createMember,
      patch: patchMember,
      patchAll: patchMembers,
      delete: deleteMember,
    },
    memberships: {
      path: 'groups',
      read: readMemberGroups,
      detail: describe({
        tag: 'Members',
        id: 'listMemberGroups',
        summary: 'List a member’s groups',
        description: 'Callers other than the owner get public groups only.',
        responses: { 200: ['Group'] },
        errors: ['badRequest', 'memberNotFound', 'groupListHidden'],
      }),
      change: changeMemberGroups,
      example: EXAMPLE_GROUP,
      docs: membershipDescriptions,
    },
  }).get('/systems/:systemRef/members', direct(deps, readMembers), {
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
  })
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
