import { t } from 'elysia'
import { group } from '../../model/groups/group'
import { EXAMPLE_GROUP, EXAMPLE_MEMBER } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import { createGroup, deleteGroup, patchGroup, patchGroups } from '../../service/groups/groups'
import { changeGroupMembers } from '../../service/groups/memberships'
import { readGroup, readGroupMembers, readGroups } from '../../service/reads/objects'
import { describe } from '../server/openapi'
import { parameter, parameters, parseFlag } from '../server/query'
import { entityRoutes } from './entityRoutes'
import { groupRef, systemRef } from './params'

export function groupRoutes(deps: Deps, bodyLimit: number) {
  return entityRoutes(deps, bodyLimit, {
    entity: group,
    noun: 'group',
    params: t.Object({ groupRef }),
    example: EXAMPLE_GROUP,
    docs: {
      create: 'Only `name` is required. Add members afterwards.',
      patch: 'Changes only the given keys. Privacy levels can be changed individually.',
      delete: 'Permanently deletes the group. Its members are kept.',
    },
    operations: {
      read: readGroup,
      create: createGroup,
      patch: patchGroup,
      patchAll: patchGroups,
      delete: deleteGroup,
    },
    memberships: {
      path: 'members',
      read: readGroupMembers,
      detail: describe({
        tag: 'Groups',
        id: 'listGroupMembers',
        summary: 'List a group’s members',
        description:
          'Returns full member objects. Callers other than the owner get public members only.',
        responses: { 200: ['Member'] },
        errors: ['badRequest', 'groupNotFound', 'groupMembersHidden'],
      }),
      change: changeGroupMembers,
      example: EXAMPLE_MEMBER,
      docs: membershipDescriptions,
    },
  }).get(
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
