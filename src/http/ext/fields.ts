import { t } from 'elysia'
import { customField } from '../../model/members/customField'
import { parseStrings } from '../../serializers/body'
import { toExt } from '../../serializers/ext'
import { listBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import {
  createField,
  deleteField,
  findFieldProblems,
  listFields,
  orderFields,
  patchField,
} from '../../service/members/fields'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { systemRef } from '../v2/params'
import { ownedRoutes } from './ownedRoutes'

/** Lists and orders custom fields. */
export function fieldListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/fields',
      async ({ params, viewer }) =>
        (await listFields(deps, viewer, params.systemRef)).map((row) => toExt(customField, row)),
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
    .put(
      '/systems/@me/fields/order',
      async ({ viewer, body }) =>
        (await orderFields(deps, viewer, parseStrings(body))).map((row) => toExt(customField, row)),
      {
        body: listBody('UUIDs of all fields, each once, in the new order', []),
        detail: describe({
          tag: 'Members',
          id: 'orderFields',
          summary: 'Order custom fields',
          description: 'The list names every field once; otherwise nothing changes.',
          responses: { 200: ['Field'] },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
}

/** Creates, changes and deletes one custom field. */
export function fieldRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: customField,
    path: 'fields',
    name: 'Field',
    noun: 'custom field',
    tag: 'Members',
    component: 'Field',
    missing: 'fieldNotFound',
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
      findProblems: findFieldProblems,
    },
    serialize: (redacted) => toExt(customField, redacted),
  })
}
