import { t } from 'elysia'
import { redact } from '../../model/core/privacy'
import { settings } from '../../model/systems/settings'
import { system } from '../../model/systems/system'
import { bodySchema } from '../../serializers/schema'
import { patchFromV2, toV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { getVisibleSettings, patchSettings } from '../../service/systems/settings'
import { patchSystem } from '../../service/systems/systems'
import { describe, writeErrors } from '../server/openapi'
import { direct, routes } from '../server/routeGroup'
import { systemRef } from './params'
import { readSystemByAccess } from './watch'

const params = t.Object({ systemRef })

export function systemRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get('/systems/:systemRef', direct(deps, readSystemByAccess), {
      params,
      detail: describe({
        tag: 'Systems',
        id: 'getSystem',
        summary: 'Get a system',
        description:
          'Private fields are `null` for callers other than the owner. Use `GET /v2/systems/@me` to test a token.',
        responses: { 200: 'System' },
        errors: ['badRequest', 'unauthorized', 'systemNotFound'],
      }),
    })
    .patch(
      '/systems/:systemRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(system, body)
        const { json } = await patchSystem(deps, viewer, params.systemRef, patch)
        return json
      },
      {
        params,
        body: bodySchema(system, 'patch'),
        detail: describe({
          tag: 'Systems',
          id: 'updateSystem',
          summary: 'Update a system',
          description:
            'Changes only the given keys. With a token, `systemRef` must be your own system, such as `@me`.',
          responses: { 200: 'System' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/settings',
      async ({ params, viewer }) =>
        toV2(settings, await getVisibleSettings(deps, viewer, params.systemRef)),
      {
        params,
        detail: describe({
          tag: 'Systems',
          id: 'getSettings',
          summary: 'Get a system’s settings',
          description: 'The owner gets all settings, other callers only the nine public ones.',
          responses: { 200: 'Settings' },
          errors: ['badRequest', 'unauthorized', 'systemNotFound'],
        }),
      },
    )
    .patch(
      '/systems/:systemRef/settings',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(settings, body)
        const patched = await patchSettings(deps, viewer, params.systemRef, patch)
        return toV2(settings, redact(settings, patched, 'owner'))
      },
      {
        params,
        body: bodySchema(settings, 'patch'),
        detail: describe({
          tag: 'Systems',
          id: 'updateSettings',
          summary: 'Update a system’s settings',
          description:
            'Changes only the given keys. The settings control how bots proxy and display the system, such as the latch timeout, the name format, the case of proxy tags and the privacy of new members.',
          responses: { 200: 'Settings' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
}
