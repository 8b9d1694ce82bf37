import { t } from 'elysia'
import { isOwner, see } from '../../model/privacy'
import { system } from '../../model/system'
import type { Deps } from '../../service/deps'
import { getSystem, patchSystem } from '../../service/systems'
import { bodySchema } from '../../wire/schema'
import { patchFromV2, toV2 } from '../../wire/v2'
import { describe, writeErrors } from '../docs'
import { routes } from '../viewer'

export const systemRef = t.String({
  description: 'Short ID, UUID, ID of a linked account, or `@me`',
  examples: ['@me'],
})

export function systemRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef',
      async ({ params, viewer }) => {
        const found = await getSystem(deps, viewer, params.systemRef)
        return toV2(system, see(system, found, isOwner(viewer, found.id)))
      },
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: 'Systems',
          summary: 'Get a system',
          answers: { 200: 'System' },
          errors: ['unauthorized', 'systemNotFound'],
        }),
      },
    )
    .patch(
      '/systems/:systemRef',
      async ({ params, viewer, body }) => {
        const patch = patchFromV2(system, body)
        const patched = await patchSystem(deps, viewer, params.systemRef, patch)
        return toV2(system, see(system, patched, true))
      },
      {
        params: t.Object({ systemRef }),
        body: bodySchema(system, 'patch'),
        detail: describe({
          tag: 'Systems',
          summary: 'Change a system',
          answers: { 200: 'System' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
}
