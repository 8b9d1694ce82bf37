import { extSettings } from '../../model/systems/extSettings'
import { settingsToExt } from '../../serializers/ext'
import { bodySchema } from '../../serializers/schema'
import { patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { getExtSettings, patchExtSettings } from '../../service/systems/extSettings'
import { describe, ownReadErrors, ownWriteErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

export function extSettingsRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/settings',
      async ({ viewer }) => settingsToExt(extSettings, await getExtSettings(deps, viewer)),
      {
        detail: describe({
          tag: 'Systems',
          id: 'getExtSettings',
          summary: 'Get the settings of the extension API',
          description: 'Settings of your system that PluralKit does not have.',
          requiresAuth: true,
          responses: { 200: 'ExtSettings' },
          errors: ownReadErrors,
        }),
      },
    )
    .patch(
      '/systems/@me/settings',
      async ({ viewer, body }) =>
        settingsToExt(
          extSettings,
          await patchExtSettings(deps, viewer, patchFromV2(extSettings, body)),
        ),
      {
        body: bodySchema(extSettings, 'patch'),
        detail: describe({
          tag: 'Systems',
          id: 'updateExtSettings',
          summary: 'Update the settings of the extension API',
          description: 'Changes only the given keys.',
          responses: { 200: 'ExtSettings' },
          errors: [...ownWriteErrors, 'invalidBody'],
        }),
      },
    )
}
