import { t } from 'elysia'
import type { Deps } from '../../service/core/deps'
import {
  createField,
  deleteField,
  findFieldProblems,
  listFields,
  orderFields,
  patchField,
} from '../../service/members/fields'
import { describe } from '../server/openapi'
import { systemRef } from '../v2/params'
import { ownedRoutes, serializerOf } from './ownedRoutes'

const serialize = serializerOf('fields')

export function fieldRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'fields',
    noun: 'custom field',
    tag: 'Members',
    errors: ['typeInUse'],
    docs: {
      create: 'Adds a field at the end of the list. The server generates the IDs of its options.',
      patch:
        'Options keep their IDs when they are sent with them; removing an option removes it from all values. Every type can be changed to `text` or `markdown`; other changes of the type need a field without values.',
      delete: 'Permanently deletes the field and all its values.',
    },
    operations: {
      create: createField,
      patch: patchField,
      delete: deleteField,
      order: orderFields,
      findProblems: findFieldProblems,
    },
    serialize,
  }).get(
    '/systems/:systemRef/fields',
    async ({ params, viewer }) => (await listFields(deps, viewer, params.systemRef)).map(serialize),
    {
      params: t.Object({ systemRef }),
      detail: describe({
        tag: 'Members',
        id: 'listFields',
        summary: 'List custom fields',
        description: 'By `position`. Callers other than the owner get public fields only.',
        responses: { 200: ['Field'] },
        errors: ['badRequest', 'unauthorized', 'systemNotFound', 'memberListHidden'],
      }),
    },
  )
}
